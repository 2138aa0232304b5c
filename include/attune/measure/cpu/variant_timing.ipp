// attune/measure/cpu/variant_timing.ipp - options for the timers, and cold caches.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/repeatable.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/clock/run_limits.hpp>
#include <attune/measure/cpu/variant_timing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// A shorter run is not asked: caches and page tables that the first run after a fork finds cold
/// are too large a share of it.
inline constexpr double shortest_counted_warm_up_s = 1e-3;

ATTUNE_INLINE variant_timing::variant_timing(std::span<buffer const> buffers,
                                             bench_options const& options)
    : buffers_(buffers)
    , options_(options)
    , caches_(buffers)
{
}

ATTUNE_INLINE std::function<void()> variant_timing::ready(std::function<void()> const& prepare)
{
    if (options_.cache == cache_state::warm) return prepare;
    return [this, &prepare] {
        prepare();
        caches_.evict();
    };
}

ATTUNE_INLINE measurement variant_timing::time(std::function<void()> const& prepare,
                                               std::function<void()> const& call,
                                               double stop_above_s,
                                               std::function<double()> const& background_cpu_s,
                                               timing_record* record)
{
    adaptive_timer_options how;
    how.precision = options_.precision;
    how.stop_above = stop_above_s;
    how.max_samples = most_samples_of_a_variant;
    how.background_cpu_s = background_cpu_s;
    how.record = record;
    how.idle = idle_;
    if (counts_warm_ups_) how.warm_up_counts_from_s = shortest_counted_warm_up_s;
    how.max_s = std::min(how.max_s, options_.timing_limit_s);
    if (options_.cache == cache_state::warm)
        how.is_repeatable = [&] {
            prepare();
            return is_repeatable(buffers_, call);
        };
    return adaptive_timer{how}.time(ready(prepare), call);
}

ATTUNE_INLINE round_times variant_timing::compare(std::function<void()> const& prepare,
                                                  std::span<std::function<void()> const> calls,
                                                  double limit_s, std::size_t passengers)
{
    time_in_turns_options how = final_options(calls.size(), limit_s);
    how.idle = idle_;
    how.passengers = passengers;
    if (options_.cache == cache_state::warm)
        how.is_repeatable = [&](std::size_t i) {
            prepare();
            return is_repeatable(buffers_, calls[i]);
        };
    return time_in_turns(ready(prepare), calls, how);
}

ATTUNE_INLINE std::vector<time_sample> variant_timing::sample(std::function<void()> const& prepare,
                                                              std::function<void()> const& call,
                                                              timing_record const& how,
                                                              std::size_t count)
{
    constexpr auto by_cpu = clock_choice::thread_cpu;
    system_clocks clocks;
    clock_choice const clock = how.clock == name_of(by_cpu) ? by_cpu : clock_choice::wall;
    std::function<void()> const made_ready = ready(prepare);
    if (idle_) prepare();
    sampler<system_clocks> taker(clocks, clock, idle_);
    std::vector<time_sample> out;
    while (out.size() < count)
        out.push_back(taker.take(made_ready, call, std::max(how.runs, 1U)));
    return out;
}

ATTUNE_INLINE call_energy variant_timing::energy(std::function<void()> const& prepare,
                                                 std::function<void()> const& call,
                                                 std::function<void()> const& between)
{
    if (options_.cache == cache_state::warm) {
        prepare();
        if (is_repeatable(buffers_, call)) {
            prepare();
            auto const calls = [&](std::uint64_t count) {
                for (; count > 0; --count) {
                    cut_here();
                    call();
                }
            };
            return options_.energy->measure(calls, {}, options_.timing_limit_s, between);
        }
    }
    std::function<void()> const made_ready = ready(prepare);
    auto const calls = [&](std::uint64_t count) {
        for (; count > 0; --count) {
            cut_here();
            made_ready();
            call();
        }
    };
    auto const beside = [&](std::uint64_t count) {
        for (; count > 0; --count)
            made_ready();
    };
    return options_.energy->measure(calls, beside, options_.timing_limit_s, between);
}

} // namespace attune::inline ATTUNE_ABI::detail
