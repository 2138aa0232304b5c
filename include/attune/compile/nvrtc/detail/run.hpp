// attune/compile/nvrtc/detail/run.hpp - runs NVRTC and reads its log.
// SPDX-License-Identifier: MIT
// Source   NVRTC user guide
//
// The formats of the log are those of NVRTC 12 and 13.
#pragma once

#include <attune/compile/nvrtc/library.hpp>
#include <attune/compile/source/device_text.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// "gemm.cu:12: error: ..." for "gemm.cu(12): error: ..."; returns other lines unchanged.
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

/// Line `number` of the kernel's text, from 1; empty if there is no such line.
[[nodiscard]] inline std::string_view source_line(std::string_view text, std::size_t number)
{
    for (; number > 1; --number) {
        std::size_t const end = text.find('\n');
        if (end == text.npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

/// Returns true for lines that are not about the kernel: precompiled headers, numbers of ptxas,
/// remarks.
[[nodiscard]] inline bool is_chatter(std::string_view line)
{
    return line.starts_with("ptxas info") || line.starts_with("ptxas         .") ||
           line.starts_with("Remark: The warnings can be suppressed") ||
           line.find("creating precompiled header file") != line.npos ||
           line.find("using precompiled header file") != line.npos;
}

/// The log without chatter, errors as `file:line: error: text`. NVRTC prints the source line below
/// an error. With --brief-diagnostics it does not, and this function inserts the kernel's line.
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

/// The first error of a readable log; empty if it has none.
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

/// A failure of stage compile. The log contains the reason and the source line.
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

struct nvrtc_request {
    std::string text{};
    std::string name{}; ///< name of the file in messages; quoted includes are relative to it
    std::vector<std::string> flags{};
    std::string kernel{}; ///< "gemm<TILE_M>"
    double limit_s = 0;
    bool wants_ptx = false;
};

struct nvrtc_reply {
    nvrtc::result result = nvrtc::success;
    std::string log{};
    std::string image{};                                ///< CUBIN; empty if no code was made
    std::string entry{};                                ///< the kernel's symbol
    std::string ptx{};                                  ///< filled on request
    nvrtc::result headers = nvrtc::precompiled_nothing; ///< success: parsed headers were stored
    bool reused_headers = false;
    bool timed_out = false;
};

/// The time limit of a run. NVRTC calls ask(), perhaps on several threads; 1 cancels the run.
struct nvrtc_deadline {
    std::chrono::steady_clock::time_point end{};
    std::atomic<bool> passed = false;

    static int ask(void* own, void* /*unused*/)
    {
        auto& self = *static_cast<nvrtc_deadline*>(own);
        if (!self.passed && std::chrono::steady_clock::now() > self.end) self.passed = true;
        return self.passed ? 1 : 0;
    }
};

/// Runs NVRTC. Thread-safe.
[[nodiscard]] inline nvrtc_reply run_nvrtc(nvrtc::library const& with, nvrtc_request const& asked)
{
    using clock = std::chrono::steady_clock;
    char const* const names[] = {"attune/tunable.hpp", "attune/matrix_view.hpp"};
    char const* const texts[] = {tunable_overlay, matrix_view_overlay};
    nvrtc_reply reply;
    nvrtc::program made = nullptr;
    reply.result =
        with.create_program(&made, asked.text.c_str(), asked.name.c_str(), 2, texts, names);
    if (reply.result != nvrtc::success) return reply;
    struct owner {
        nvrtc::library const& with;
        nvrtc::program what;
        ~owner() { (void)with.destroy_program(&what); }
    } const owned{with, made};

    (void)with.add_name_expression(made, asked.kernel.c_str());
    nvrtc_deadline deadline{clock::now() +
                            std::chrono::duration_cast<clock::duration>(
                                std::chrono::duration<double>(std::min(asked.limit_s, 1e6)))};
    if (with.set_flow_callback != nullptr)
        (void)with.set_flow_callback(made, &nvrtc_deadline::ask, &deadline);
    std::vector<char const*> flags;
    for (std::string const& flag : asked.flags)
        flags.push_back(flag.c_str());
    reply.result = with.compile_program(made, static_cast<int>(flags.size()), flags.data());
    reply.timed_out = deadline.passed && reply.result != nvrtc::success;

    std::size_t bytes = 0;
    if (with.get_program_log_size(made, &bytes) == nvrtc::success && bytes > 1) {
        reply.log.resize(bytes);
        (void)with.get_program_log(made, reply.log.data());
        while (!reply.log.empty() && reply.log.back() == '\0')
            reply.log.pop_back();
    }
    if (with.get_pch_create_status != nullptr) reply.headers = with.get_pch_create_status(made);
    reply.reused_headers = reply.log.find("using precompiled header file") != reply.log.npos;
    if (reply.result != nvrtc::success) return reply;

    char const* symbol = nullptr;
    if (with.get_lowered_name(made, asked.kernel.c_str(), &symbol) == nvrtc::success &&
        symbol != nullptr)
        reply.entry = symbol;
    if (with.get_cubin_size(made, &bytes) == nvrtc::success && bytes > 0) {
        reply.image.resize(bytes);
        if (with.get_cubin(made, reply.image.data()) != nvrtc::success) reply.image.clear();
    }
    if (asked.wants_ptx && with.get_ptx_size(made, &bytes) == nvrtc::success && bytes > 1) {
        reply.ptx.resize(bytes);
        if (with.get_ptx(made, reply.ptx.data()) != nvrtc::success) reply.ptx.clear();
        while (!reply.ptx.empty() && reply.ptx.back() == '\0')
            reply.ptx.pop_back();
    }
    return reply;
}

/// Code in the form that the cache stores: a line of numbers, a line with the symbol, the image.
[[nodiscard]] inline std::string kept_device_code(device_code const& code)
{
    code_resources const& r = code.resources;
    std::string text = "attune device code 1";
    for (std::int64_t const n :
         {std::int64_t{code.architecture}, r.registers, r.spill_bytes, r.stack_bytes,
          r.static_shared_bytes, r.constant_bytes, r.most_threads})
        text += ' ' + std::to_string(n);
    return text + '\n' + code.entry + '\n' + code.image;
}

/// @return  empty if `text` has another form
[[nodiscard]] inline std::optional<device_code> parse_kept_device_code(std::string_view text)
{
    std::string_view const start = "attune device code 1";
    if (!text.starts_with(start)) return {};
    text.remove_prefix(start.size());
    std::array<std::int64_t, 7> numbers{};
    for (std::int64_t& number : numbers) {
        if (!text.starts_with(' ')) return {};
        auto const [end, failed] =
            std::from_chars(text.data() + 1, text.data() + text.size(), number);
        if (failed != std::errc{}) return {};
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    std::size_t const end = text.find('\n', 1);
    if (!text.starts_with('\n') || end == text.npos) return {};
    device_code code;
    code.entry = text.substr(1, end - 1);
    code.image = text.substr(end + 1);
    code.architecture = static_cast<int>(numbers[0]);
    code.resources = {numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]};
    return code;
}

} // namespace attune::inline ATTUNE_ABI::detail
