// attune/compile/nvrtc/log.hpp - NVRTC's log in the form of attune's other compilers.
// SPDX-License-Identifier: MIT
//
// The formats are those of NVRTC 12 and 13
#pragma once

#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/device_text.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// "gemm.cu:12: error: ..." for "gemm.cu(12): error: ..."; other lines are returned unchanged.
[[nodiscard]] inline std::string with_line_number(std::string_view line)
{
    for (std::size_t at = 0; (at = line.find("): ", at)) != line.npos; ++at) {
        std::size_t const open = line.rfind('(', at);
        if (open == line.npos || open == 0 || open + 1 == at) continue;
        std::string_view const number = line.substr(open + 1, at - open - 1);
        if (number.find_first_not_of("0123456789") != number.npos) continue;
        return std::string(line.substr(0, open)) + ':' + std::string(number) +
               std::string(line.substr(at + 1));
    }
    return std::string(line);
}

/// Line `number` of the kernel's text, counted from 1; empty when there is no such line.
[[nodiscard]] inline std::string_view source_line(std::string_view text, std::size_t number)
{
    for (; number > 1; --number) {
        std::size_t const end = text.find('\n');
        if (end == text.npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

/// True for lines that are not about the kernel: precompiled headers, numbers of ptxas, remarks.
[[nodiscard]] inline bool is_chatter(std::string_view line)
{
    return line.starts_with("ptxas info") || line.starts_with("ptxas         .") ||
           line.starts_with("Remark: The warnings can be suppressed") ||
           line.find("creating precompiled header file") != line.npos ||
           line.find("using precompiled header file") != line.npos;
}

/// The log without chatter, errors as `file:line: error: text`. NVRTC prints the source line below
/// an error; where it did not (--brief-diagnostics), the kernel's line is inserted.
[[nodiscard]] inline std::string readable_log(std::string_view log, kernel_source const& kernel)
{
    std::string out;
    while (!log.empty()) {
        std::string_view line = log.substr(0, log.find('\n'));
        log.remove_prefix(std::min(line.size() + 1, log.size()));
        if (is_chatter(line) || (line.empty() && (out.empty() || out.ends_with("\n\n")))) continue;
        std::string const text = with_line_number(line);
        out += text + '\n';
        if (text == line || log.starts_with(' ') || !text.starts_with(kernel.path + ':')) continue;
        std::size_t number = 0;
        for (std::size_t i = kernel.path.size() + 1; i < text.size() && text[i] != ':'; ++i)
            number = number * 10 + static_cast<std::size_t>(text[i] - '0');
        if (std::string_view const shown = source_line(kernel.text, number); !shown.empty())
            out += "  " + std::string(shown) + '\n';
    }
    return out;
}

/// Advice on a missing header; empty for other errors.
[[nodiscard]] inline std::string missing_device_header_advice(std::string_view reason)
{
    std::size_t const found = reason.find("open source file \"");
    if (found == reason.npos) return {};
    std::string_view name = reason.substr(found + std::string_view("open source file \"").size());
    name = name.substr(0, name.find('"'));
    if (name.starts_with("cuda/") || name.starts_with("cub/") || name.starts_with("cooperative_") ||
        name.starts_with("cuda_") || name == "mma.h")
        return "it comes with the CUDA toolkit: add the toolkit's include folder to include_dirs";
    if (name.find_first_of("./") == name.npos)
        return "NVRTC has no C++ standard library: include <cuda/std/" + std::string(name) +
               "> of the CUDA toolkit";
    return {};
}

/// The first error of a readable log; empty when it has none.
[[nodiscard]] inline std::string first_device_error(std::string_view log)
{
    while (!log.empty()) {
        std::string_view const line = log.substr(0, log.find('\n'));
        log.remove_prefix(std::min(line.size() + 1, log.size()));
        if (line.find("error: ") != line.npos || line.starts_with("ptxas error") ||
            line.starts_with("ptxas fatal"))
            return std::string(line);
    }
    return {};
}

/// A failure of stage compile. Its log contains the reason and the source line.
/// @param log     as NVRTC returned it
/// @param result  NVRTC's text for the returned result
[[nodiscard]] inline failure device_compile_failure(std::string_view log, std::string_view result,
                                                    kernel_source const& kernel,
                                                    compile_request const& v)
{
    failure f{failure_stage::compile, {}, readable_log(log, kernel)};
    f.reason = first_device_error(f.log);
    std::string const entry = device_entry_name(kernel.path);
    if (f.reason.starts_with(entry) || f.reason.starts_with("__nv_name_map"))
        if (std::string sentence = device_entry_problem(log, kernel, v); !sentence.empty())
            f.reason = entry + ": error: " + sentence;
    if (std::string const advice = missing_device_header_advice(f.reason); !advice.empty())
        f.reason += " (" + advice + ')';
    if (f.reason.empty()) f.reason = "NVRTC failed without a message: " + std::string(result);
    if (f.log.find(f.reason) == f.log.npos) f.log = f.reason + '\n' + f.log;
    return f;
}

} // namespace attune::inline ATTUNE_ABI::detail
