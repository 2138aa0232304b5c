// attune/measure/sandbox/sandboxed_run.ipp - a run in a child, and the failure of its end.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/compare.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/detail/signal_text.hpp>
#include <attune/measure/sandbox/sandboxed_run.hpp>

#include <algorithm>
#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string first_line(std::string const& text)
{
    return text.substr(0, text.find('\n'));
}

ATTUNE_INLINE std::string objection_to(std::span<buffer const> buffers, snapshot const& reference)
{
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (!buffers[i].writable) continue;
        if (auto const found = compare(buffers[i], reference.saved(i))) return found->text();
    }
    return {};
}

ATTUNE_INLINE bool has_missed(child_end const& end, std::span<address_range const> without)
{
    if (without.empty() || end.ending != child_ending::signalled || end.code != SIGSEGV)
        return false;
    if (!end.address) return true; // it died before it reported the address
    return std::any_of(without.begin(), without.end(),
                       [&](address_range const& r) { return r.contains(*end.address); });
}

ATTUNE_INLINE failure verdict_of(child_end const& end, child_limits const& limits)
{
    switch (end.ending) {
    case child_ending::objected:
        return {failure_stage::verify, first_line(end.text), end.text};
    case child_ending::threw: {
        std::string const line = first_line(end.text);
        std::string const log = end.log.empty() ? end.text : end.text + "\n" + end.log;
        return {failure_stage::crash, line.empty() ? "an exception without a text" : line, log};
    }
    case child_ending::exited:
        return {failure_stage::crash, "exit(" + std::to_string(end.code) + ") was called", end.log};
    case child_ending::signalled: {
        std::string reason = signal_text(end.code, end.signal_code);
        if (end.address) reason += " at address " + hexadecimal(*end.address);
        return {failure_stage::crash, reason, end.log};
    }
    case child_ending::overran:
        if (end.phase == child_phase::checking) // the run itself was in time
            return {failure_stage::verify,
                    "the check of its result was still running after " +
                        seconds_text(limits.check_s),
                    end.log};
        return {failure_stage::timeout, "still running after " + seconds_text(limits.run_s),
                end.log};
    case child_ending::returned:
    case child_ending::lost:
        break;
    }
    return {failure_stage::crash,
            "ended before its time; how is unknown, because another part of the program waits for "
            "all children (or ignores SIGCHLD)",
            end.log};
}

ATTUNE_INLINE first_run_result sandboxed_run(std::function<void()> const& run,
                                             std::span<buffer const> buffers,
                                             snapshot const* reference,
                                             sandboxed_run_options const& options)
{
    ATTUNE_ASSERT(reference == nullptr || reference->size() == buffers.size(),
                  "the reference is a snapshot of the same buffers");
    auto const check = [&] {
        std::string objection = reference ? objection_to(buffers, *reference) : "";
        if (objection.empty() && options.also_check) objection = options.also_check();
        return objection;
    };
    child_limits limits;
    limits.run_s = options.limit_s;
    limits.check_s = options.check_limit_s;
    limits.begin_s = options.begin_limit_s;
    limits.memory_bytes = options.memory_bytes != 0 ? options.memory_bytes : usual_child_memory();
    limits.without = options.without;
    child_end end = run_in_child(run, check, limits);
    if (has_missed(end, limits.without)) {
        limits.without = {};
        end = run_in_child(run, check, limits);
        if (options.missed) options.missed();
    }
    if (end.ending == child_ending::returned) return end.elapsed_s;
    failure verdict = verdict_of(end, limits);
    if (end.wanted_memory)
        verdict.reason += "; needed more than " +
                          text_of_bytes(static_cast<double>(limits.memory_bytes)) +
                          " of memory: raise tuning_options::measuring.trial.memory_bytes";
    if (end.address && options.explain_address)
        if (std::string const owner = options.explain_address(*end.address); !owner.empty())
            verdict.reason += ", " + owner;
    return verdict;
}

} // namespace attune::inline ATTUNE_ABI::detail
