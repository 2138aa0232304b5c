// attune/compile/system/detail/facts.hpp - the facts of a spawned compiler, its programs and libraries.
// SPDX-License-Identifier: MIT
// Source   GCC manual, -print-prog-name; man page of ld.so, LD_TRACE_LOADED_OBJECTS
#pragma once

#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/source/diagnostics.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The facts besides the kernel and the flags that determine the code.
struct system_facts {
    bool is_clang = false;
    bool tells_assembled = false;     ///< its assembler can list its files
    bool tells_linked = false;        ///< its linker can list its files
    std::string identity{};           ///< "g++ (Debian 12.2.0-14) 12.2.0 -O3 ..."
    std::string without{};            ///< flags for features that this process lacks: " -mno-avx"
    std::string toolchain{};          ///< hash of the stamps of `tools`
    std::vector<std::string> tools{}; ///< the compiler, its programs and their libraries

    [[nodiscard]] std::string text() const
    {
        std::string out{is_clang ? 'c' : 'g', tells_assembled ? 'a' : '-',
                        tells_linked ? 'l' : '-'};
        for (std::string const* const part : {&identity, &without, &toolchain})
            out += '\n' + *part;
        for (std::string const& tool : tools)
            out += '\n' + tool;
        return out;
    }
};

/// @return  empty if `text` has another form than that of system_facts::text()
[[nodiscard]] inline std::optional<system_facts> system_facts_in(std::string_view text)
{
    auto const line = [&] {
        std::size_t const end = std::min(text.find('\n'), text.size());
        std::string const found(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        return found;
    };
    std::string const marks = line();
    if (marks.size() != 3) return {};
    system_facts out{.is_clang = marks[0] == 'c',
                     .tells_assembled = marks[1] == 'a',
                     .tells_linked = marks[2] == 'l'};
    for (std::string* const part : {&out.identity, &out.without, &out.toolchain})
        *part = line();
    while (!text.empty())
        out.tools.push_back(line());
    if (out.identity.empty()) return {};
    return out;
}

[[nodiscard]] inline std::string hash_of_tools(std::vector<std::string> const& tools)
{
    content_hash hash;
    for (std::string const& tool : tools) {
        file_stamp const stamp = stamp_of_any(tool);
        hash.add(tool);
        for (std::int64_t const n :
             {stamp.bytes, stamp.modified_ns, stamp.changed_ns, stamp.number})
            hash.add(std::to_string(n));
    }
    return hash.hex();
}

/// The model name of the processor.
[[nodiscard]] inline std::string processor_name()
{
    for (std::string const& line : processor_lines())
        if (line.starts_with("model name") || line.starts_with("CPU part"))
            return std::string(processor_value(line));
    return "unknown";
}

/// The output of a run in which a compiler identifies itself.
/// Errors   attune::error: the compiler failed, printed nothing or took too long. The output of
///          such a run is no identity
[[nodiscard]] inline std::string answer_of(std::vector<std::string> const& question, double limit_s)
{
    process_result said = run_process(question, limit_s);
    if (said.succeeded() && !said.output.empty()) return std::move(said.output);
    std::string how = "it said nothing";
    if (said.timed_out)
        how = "no answer within " + std::to_string(static_cast<long>(limit_s)) +
              " s, see system_options::limit_s";
    else if (said.signal != 0)
        how = "signal " + std::to_string(said.signal) + " ended it";
    else if (!said.succeeded())
        how = "exit status " + std::to_string(said.exit_status);
    if (std::string const first = first_error(said.output); !first.empty()) how += ": " + first;
    throw error("the compiler '" + question.front() + "' does not say what it is",
                joined(question).substr(1) + " (" + how + ")",
                "run that command in a shell; nothing of this is kept, and the next call asks "
                "again");
}

/// The program that the compiler runs; empty if it names none.
[[nodiscard]] inline std::string program_of(std::string const& compiler, std::string const& name,
                                            double limit_s)
{
    process_result const said = run_process({compiler, "-print-prog-name=" + name}, limit_s);
    if (!said.succeeded()) return {};
    return find_program(said.output.substr(0, said.output.find('\n')));
}

/// The shared libraries of a program, as the loader finds them.
[[nodiscard]] inline std::vector<std::string> libraries_of_program(std::string const& program,
                                                                   double limit_s)
{
    std::string const env = find_program("env");
    if (env.empty() || !is_elf(program)) return {}; // a script would run
    process_result const said = run_process({env, "LD_TRACE_LOADED_OBJECTS=1", program}, limit_s);
    std::vector<std::string> out;
    for (std::string_view rest = said.output; !rest.empty();) {
        std::size_t const end = std::min(rest.find('\n'), rest.size());
        std::string_view const line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        std::size_t const begin = line.find('/');
        if (begin == line.npos) continue;
        std::string path(line.substr(begin, line.find(" (", begin) - begin));
        if (stamp_of(path)) out.push_back(std::move(path));
    }
    return out;
}

/// Flags that turn off features of -march=native that this process lacks. Under an emulator, only
/// this process may lack them.
/// @param macros  predefined macros of the compiler
[[nodiscard]] inline std::string flags_without(std::string_view macros)
{
    struct feature {
        std::string_view macro, name, flag;
    };
    constexpr feature all[] = {{"__AVX512F__", "avx512f", "avx512f"},
                               {"__AVX2__", "avx2", "avx2"},
                               {"__AVX__", "avx", "avx"},
                               {"__AVXVNNI__", "avx_vnni", "avxvnni"},
                               {"__FMA__", "fma", "fma"},
                               {"__F16C__", "f16c", "f16c"},
                               {"__BMI__", "bmi1", "bmi"},
                               {"__BMI2__", "bmi2", "bmi2"},
                               {"__LZCNT__", "abm", "lzcnt"},
                               {"__MOVBE__", "movbe", "movbe"},
                               {"__POPCNT__", "popcnt", "popcnt"},
                               {"__SSE4_2__", "sse4_2", "sse4.2"},
                               {"__SSE4_1__", "sse4_1", "sse4.1"},
                               {"__SSSE3__", "ssse3", "ssse3"},
                               {"__AES__", "aes", "aes"},
                               {"__PCLMUL__", "pclmulqdq", "pclmul"},
                               {"__SHA__", "sha_ni", "sha"},
                               {"__GFNI__", "gfni", "gfni"},
                               {"__ADX__", "adx", "adx"},
                               {"__RDRND__", "rdrand", "rdrnd"},
                               {"__RDSEED__", "rdseed", "rdseed"}};
    std::string features;
    for (std::string const& line : processor_lines())
        if (line.starts_with("flags")) features = ' ' + std::string(processor_value(line)) + ' ';
    std::string out;
    for (feature const& one : all)
        if (!features.empty() &&
            features.find(' ' + std::string(one.name) + ' ') == features.npos &&
            macros.find("#define " + std::string(one.macro) + ' ') != macros.npos)
            out += " -mno-" + std::string(one.flag);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
