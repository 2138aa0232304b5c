// attune/ship/prepared_compiler.ipp - compiles each winner for each instruction set, and loads the highest.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/diagnostics.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/system/libraries.hpp>
#include <attune/compile/system/object_key.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/compile/system/shared_code.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>
#include <attune/ship/bake.hpp>
#include <attune/ship/bake/bake_plan.hpp>
#include <attune/ship/baked/instruction_level.hpp>
#include <attune/ship/prepared_compiler.hpp>

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string prepared_key(kernel_source const& kernel, compile_request const& v)
{
    content_hash out;
    out.add("attune prepared 1").add(kernel.text).add(v.function);
    auto const add_flags = [&](std::vector<std::string> const& flags) {
        for (std::string const& flag : flags)
            if (!is_machine_flag(flag)) out.add(flag);
        out.add("");
    };
    add_flags(kernel.flags);
    add_flags(v.flags);
    std::vector<std::pair<std::string, std::string>> macros;
    for (macro_definition const& macro : v.macros)
        macros.emplace_back(macro.name, macro.value);
    std::sort(macros.begin(), macros.end());
    for (auto const& [name, value] : macros)
        out.add(name).add(value);
    return out.hex();
}

[[nodiscard]] inline std::string name_of_machine(unsigned machine)
{
    switch (machine) {
    case EM_X86_64:
        return "x86_64";
    case EM_AARCH64:
        return "aarch64";
    default:
        return "machine" + std::to_string(machine);
    }
}

ATTUNE_INLINE std::string machine_of_object(std::string_view bytes)
{
    // The first 20 bytes are equal for 32 and 64 bits.
    if (bytes.size() < 20 || !bytes.starts_with(ELFMAG)) return {};
    bool const is_big = bytes[EI_DATA] == ELFDATA2MSB;
    auto const byte = [&](std::size_t at) {
        return static_cast<unsigned>(static_cast<unsigned char>(bytes[at]));
    };
    return name_of_machine(is_big ? byte(18) << 8 | byte(19) : byte(19) << 8 | byte(18));
}

ATTUNE_INLINE std::string machine_of_program()
{
#if defined(__x86_64__)
    return name_of_machine(EM_X86_64);
#elif defined(__aarch64__)
    return name_of_machine(EM_AARCH64);
#elif defined(__riscv)
    return name_of_machine(EM_RISCV);
#elif defined(__powerpc64__)
    return name_of_machine(EM_PPC64);
#else
    return "unknown";
#endif
}

ATTUNE_INLINE std::string prepared_name(std::string const& key, std::string const& machine,
                                        std::string_view level)
{
    return key + '.' + machine + '.' + std::string(level) + ".so";
}

ATTUNE_INLINE std::string prepared_by_name(std::string const& machine)
{
    return "compiler." + machine + ".txt";
}

ATTUNE_INLINE std::optional<std::string> bytes_of_file(std::string const& path)
{
    std::error_code failed;
    std::ifstream in(path, std::ios::binary);
    if (!std::filesystem::is_regular_file(path, failed) || !in) return {};
    return std::string{std::istreambuf_iterator<char>(in), {}};
}

ATTUNE_INLINE std::string prepared_text(kernel_source const& kernel, std::string const& function)
{
    // The stack begins at a multiple of 64 bytes: see entry_symbol.
    return "#line 1 " + detail::quoted(kernel.path) + '\n' + kernel.text + "\n#line 1 " +
           detail::quoted("attune prepare of " + kernel.path) + R"cpp(
namespace attune_prepared {
template <class Pointer> struct function;
template <class R, class... A> struct function<R (*)(A...)> { using type = R(A...); };
template <class R, class... A> struct function<R (*)(A...) noexcept> { using type = R(A...); };
template <class Type, Type* Function> struct entry;
template <class R, class... A, R (*Function)(A...)> struct entry<R(A...), Function> {
    static R call(A... a)
    {
        alignas(64) char frame;
        __asm__ volatile("" : : "r"(&frame) : "memory");
        return Function(static_cast<A&&>(a)...);
    }
};
}
extern "C" __attribute__((visibility("default"))) void* )cpp" +
           entry_symbol +
           "()\n{\n    using type = attune_prepared::function<decltype(&::" + function +
           ")>::type;\n    return reinterpret_cast<void*>(&attune_prepared::entry<type, &::" +
           function + ">::call);\n}\n";
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE prepared_compiler::prepared_compiler(std::string folder, std::string_view most)
    : folder_(std::move(folder))
    , level_(static_cast<std::size_t>(std::min(detail::level_of(detail::words_of_this_processor()),
                                               detail::instruction_level_up_to(most))))
{
}

ATTUNE_INLINE std::string prepared_compiler::made_by() const
{
    std::string const machine = detail::machine_of_program();
    std::optional<std::string> by =
        detail::bytes_of_file(folder_ + '/' + detail::prepared_by_name(machine));
    if (!by)
        throw error("nothing was prepared for processors such as this one (" + machine + ')',
                    folder_,
                    "attune prepare STORE KERNEL_FILE -o FOLDER, with a compiler for them");
    return by->substr(0, by->find('\n'));
}

ATTUNE_INLINE std::string prepared_compiler::identity() const
{
    return "prepared for " + detail::machine_of_program() + ' ' +
           std::string(detail::instruction_level_names[level_]) + " by " + made_by();
}

ATTUNE_INLINE compile_result prepared_compiler::compile(kernel_source const& kernel,
                                                        compile_request const& v) const
{
    std::string const by = identity();
    std::string const key = detail::prepared_key(kernel, v);
    for (std::size_t level = level_ + 1; level-- > 0;) {
        auto const bytes =
            detail::bytes_of_file(folder_ + '/' +
                                  detail::prepared_name(key, detail::machine_of_program(),
                                                        detail::instruction_level_names[level]));
        if (!bytes) continue;
        std::string problem;
        detail::shared_code loaded = detail::load_shared_code(*bytes, problem);
        if (loaded.code == nullptr)
            return failure{failure_stage::load, problem.substr(0, problem.find('\n')), {}};
        callable out;
        out.address = reinterpret_cast<void* (*)()>(loaded.address)();
        out.code = std::move(loaded.code);
        out.object_key = detail::key_with_callees(detail::object_key(*bytes),
                                                  detail::outside_names(*bytes), {}, loaded.handle);
        out.size = detail::size_of_code(*bytes);
        out.compiler = by;
        out.from_cache = true;
        return out;
    }
    return failure{failure_stage::compile,
                   "this configuration is not prepared in " + folder_ +
                       "; attune prepare compiles the winners of a store",
                   {}};
}

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// The first line of the compiler's version output.
[[nodiscard]] inline std::string version_of(std::string const& command)
{
    if (find_program(command).empty())
        throw error("the compiler was not found", command, "install it, or name another one");
    std::string out = run_process({command, "--version"}, 60).output;
    return out.substr(0, out.find('\n'));
}

/// Leaves out flags such as -mprefer-vector-width=512, which other machines do not have.
inline void leave_out_foreign_flags(std::vector<std::string>& flags, std::string const& machine)
{
    std::erase_if(flags, [&](std::string const& one) { return is_foreign_flag(one, machine); });
}

/// The shared object; empty, with the compiler's log, on a failure.
[[nodiscard]] inline std::optional<std::string>
prepared_object(prepare_request const& request, kernel_source const& kernel,
                compile_request const& v, std::string const& level, std::string& log)
{
    temporary_folder const folder;
    std::string const unit = folder.write("kernel.cpp", prepared_text(kernel, v.function));
    static_cast<void>(folder.write("overlay/attune/tunable.hpp", tunable_overlay));
    static_cast<void>(folder.write("overlay/attune/matrix_view.hpp", matrix_view_overlay));
    std::vector<std::string> command{request.command, "-O3", "-std=c++20"};
    auto const append = [&](std::vector<std::string> const& more) {
        command.insert(command.end(), more.begin(), more.end());
    };
    append(kernel.flags);
    append(v.flags);
    append(macro_flags(v));
    append({variant_flag, "-I" + folder.path() + "/overlay", "-iquote",
            std::filesystem::path(kernel.path).parent_path().string()});
    for (std::string const& dir : kernel.include_dirs)
        command.push_back("-I" + dir);
    if (level != "base") command.push_back("-march=" + level);
    std::string const object = folder.path() + "/variant.so";
    append({"-w", "-shared", "-fPIC", "-fvisibility=hidden", "-fdiagnostics-color=never",
            "-ffile-prefix-map=" + folder.path() + "=.", "-Wl,--build-id=none",
            "-Wl,-Bsymbolic-functions", "-o", object, "-x", "c++", unit});
    process_result run = run_process(command, request.limit_s, folder.path());
    log = run.timed_out
              ? "it took longer than " + std::to_string(static_cast<long>(request.limit_s)) + " s"
              : first_error(run.output);
    std::optional<std::string> bytes = bytes_of_file(object);
    if (!run.succeeded() || !bytes || machine_of_object(*bytes).empty()) return {};
    return bytes;
}

ATTUNE_INLINE std::vector<std::string> prepare(prepare_request const& request)
{
    std::vector<std::string> const levels = checked_levels(request.levels);
    kernel_source source = source_file(std::filesystem::absolute(request.kernel_file).string());
    source.include_dirs = request.include_dirs;
    bake_plan const plan = plan_of(text_of_store(request.store), request.store, std::move(source),
                                   {.kernel = request.kernel});
    std::string const by = version_of(request.command);
    std::string target = run_process({request.command, "-dumpmachine"}, 60).output;
    target.resize(std::min(target.find_first_of("-\n"), target.size()));
    kernel_source built = plan.source;
    leave_out_foreign_flags(built.flags, target);
    std::vector<compile_request> all{plan.default_code};
    for (planned_variant const& one : plan.variants)
        all.push_back(one.code);
    std::vector<std::string> said = plan.notices;
    std::vector<file_content> files;
    for (std::string const& level : levels) {
        std::size_t made = 0;
        std::string machine;
        std::string why;
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::string log;
            compile_request wanted = all[i];
            leave_out_foreign_flags(wanted.flags, target);
            auto bytes = prepared_object(request, built, wanted, level, log);
            if (!bytes) {
                if (why.empty()) why = log;
                said.push_back(plan.kernel + ": " +
                               (i == 0 ? plan.default_text : plan.variants[i - 1].text()) +
                               " is not compiled for " + level + ": " + log);
                continue;
            }
            ++made;
            machine = machine_of_object(*bytes);
            files.push_back({request.folder + '/' +
                                 prepared_name(prepared_key(plan.source, all[i]), machine, level),
                             std::move(*bytes)});
        }
        if (made == 0)
            throw error("the compiler cannot compile the kernel for " + level,
                        request.command + ": " + why,
                        "name a compiler for such processors, or another instruction set");
        said.push_back(plan.kernel + ": " + std::to_string(made) + " configurations for " +
                       machine + ' ' + level + ", by " + by);
        files.push_back({request.folder + '/' + prepared_by_name(machine), by + '\n'});
    }
    std::error_code failed;
    bool const is_new = std::filesystem::create_directories(request.folder, failed);
    if (failed)
        throw error("a folder cannot be made: " + failed.message(), request.folder,
                    "name another one, or see to the permissions of the folder that it is in");
    try {
        replace_files(files);
    } catch (...) {
        if (is_new) std::filesystem::remove(request.folder, failed); // it is empty
        throw;
    }
    return said;
}

} // namespace attune::inline ATTUNE_ABI::detail
