// attune/compile/clang/detail/module_reply.hpp - replies of the Clang module as values of attune.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/clang/abi.hpp>
#include <attune/compile/clang/detail/module_session.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/compile/detail/code_in_memory.hpp>
#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/source/diagnostics.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/system/libraries.hpp>
#include <attune/compile/system/object_key.hpp>
#include <attune/compile/system/shared_code.hpp>
#include <attune/core/error.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::vector<char const*> c_strings(std::vector<std::string> const& texts)
{
    std::vector<char const*> pointers;
    for (std::string const& text : texts)
        pointers.push_back(text.c_str());
    return pointers;
}

using clang_reply = std::unique_ptr<attune_clang_reply, void (*)(attune_clang_reply*)>;

/// @param libraries  paths
/// @param must_load  true: loads also an object whose stage would be 5
/// Errors  attune::error if memory is exhausted
[[nodiscard]] inline clang_reply load_object(clang_session const& module, std::string_view object,
                                             std::vector<std::string> const& libraries,
                                             bool must_load)
{
    std::vector<char const*> const list = c_strings(libraries);
    fork_delay const whole;
    clang_reply out(module.functions->load_object(
                        module.session, reinterpret_cast<unsigned char const*>(object.data()),
                        object.size(), entry_symbol, list.data(), list.size(), must_load ? 1 : 0),
                    module.functions->free_reply);
    if (!out) throw error("the Clang module is out of memory", {}, {});
    return out;
}

/// Returns the counts in a reply of attune_clang_functions::compile().
[[nodiscard]] inline code_size counts_of(attune_clang_reply const& reply)
{
    auto const known = [](long n) { return n < 0 ? std::nullopt : std::optional<std::int64_t>(n); };
    code_size out;
    out.spills = known(reply.spills);
    out.vector_instructions = known(reply.vector_instructions);
    return out;
}

/// Bytes before the object in an entry of the cache, a multiple of 16: LLVM reads aligned objects.
inline constexpr std::size_t counts_length = 48;

/// Returns an object and its counts as an entry of the cache: the spills and the vector
/// instructions, each followed by a space, padded to counts_length; then the object.
[[nodiscard]] inline std::string counted_object(code_size const& counts, std::string_view object)
{
    std::string out = std::to_string(counts.spills.value_or(-1)) + ' ' +
                      std::to_string(counts.vector_instructions.value_or(-1)) + ' ';
    out.resize(counts_length, ' ');
    return out.append(object);
}

struct counted_object_parts {
    code_size counts{};
    std::string_view object{}; ///< part of the entry
};

/// @return  empty if `entry` has another form than that of counted_object()
[[nodiscard]] inline std::optional<counted_object_parts> parts_of(std::string_view entry)
{
    if (entry.size() < counts_length) return {};
    counted_object_parts out{.object = entry.substr(counts_length)};
    char const* at = entry.data();
    for (auto* const count : {&out.counts.spills, &out.counts.vector_instructions}) {
        std::int64_t n = 0;
        auto const [next, problem] = std::from_chars(at, out.object.data(), n);
        if (problem != std::errc{} || next == out.object.data() || *next != ' ') return {};
        if (n >= 0) *count = n;
        at = next + 1;
    }
    return out;
}

/// Returns a callable without its address: key, sizes and facts come from the object.
/// @param libraries  paths of the libraries in the flags
/// @param loaded     dlopen's handle of the code; null: it has none
[[nodiscard]] inline callable described(std::string_view object, code_size const& counts,
                                        std::vector<std::string> libraries, void* loaded = nullptr)
{
    callable made;
    for (std::string& service : loaded_service_libraries())
        libraries.push_back(std::move(service));
    made.object_key =
        key_with_callees(object_key(object), outside_names(object), libraries, loaded);
    made.size = size_of_code(object);
    made.size.spills = counts.spills;
    made.size.vector_instructions = counts.vector_instructions;
    made.facts = facts_noted_in(object);
    return made;
}

/// Returns the callable or the failure in a reply whose stage is not 3.
/// @param threads  result of thread_ids() before the module loaded the code
[[nodiscard]] inline compile_result code_of(std::shared_ptr<clang_session const> const& session,
                                            attune_clang_reply const& reply,
                                            std::string_view object, code_size const& counts,
                                            std::vector<long> const& threads,
                                            std::vector<std::string> const& libraries)
{
    if (reply.stage == 1) return compile_failure(reply.log, session->functions->major);
    if (reply.stage != 0) return load_failure(reply.log);
    callable made = described(object, counts, libraries);
    made.address = reply.address;
    code_in_memory code;
    code.end = [session, at = reply.code] { session->functions->end_code(session->session, at); };
    code.unmap = [session, at = reply.code] {
        fork_delay const whole;
        session->functions->release_code(session->session, at);
    };
    elf_object const symbols(object);
    if (symbols.usable())
        symbols.for_symbols([&](std::string_view name, Elf64_Sym const& symbol) {
            if (symbol.st_shndx == SHN_UNDEF) code.facts.note(name);
        });
    if (code.facts.starts_any) code.threads = threads;
    made.code = owner_of(std::move(code));
    return made;
}

/// Returns the failure of code that clang_compiler cannot link into the process.
/// @param why   the part of the code that needs a linker: "it has thread_local variables"
/// @param said  the message of the linker or of the system's loader
[[nodiscard]] inline failure link_failure(std::string const& why, std::string said)
{
    failure out =
        load_failure(std::move(said), "clang_compiler could not link it into this process: ");
    if (missing_symbol(out.log).empty())
        out.reason =
            "clang_compiler needs a linker for this kernel, because " + why + ": " + out.reason;
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
