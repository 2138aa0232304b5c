// attune/compile/nvrtc/detail/run.hpp - one run of NVRTC.
// SPDX-License-Identifier: MIT
// Source   NVRTC user guide
#pragma once

#include <attune/compile/nvrtc/library.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/matrix_view_text.hpp>
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

struct nvrtc_request {
    std::string text{};
    std::string name{}; ///< of the file, for messages; quoted includes are relative to it
    std::vector<std::string> flags{};
    std::string kernel{}; ///< "gemm<TILE_M>"
    double limit_s = 0;
    bool wants_ptx = false;
};

struct nvrtc_reply {
    nvrtc::result result = nvrtc::success;
    std::string log{};
    std::string image{};                                ///< CUBIN; empty: no code was made
    std::string entry{};                                ///< the kernel's symbol
    std::string ptx{};                                  ///< where it was asked for
    nvrtc::result headers = nvrtc::precompiled_nothing; ///< success: parsed headers were stored
    bool reused_headers = false;
    bool timed_out = false;
};

/// The time limit of a run. NVRTC calls ask(), possibly on several threads; 1 cancels the run.
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

/// @return  empty when `text` has another form
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
