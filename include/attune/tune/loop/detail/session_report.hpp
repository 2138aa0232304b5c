// attune/tune/loop/detail/session_report.hpp - what the parts of a session have to say, in its report.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/clock/noise.hpp>
#include <attune/measure/clock/round_robin.hpp>
#include <attune/tune/loop/finals.hpp>
#include <attune/tune/loop/scoreboard.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/pipeline/supply.hpp>
#include <attune/tune/report.hpp>

#include <cstddef>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// @pre  report.default_time is from the beginning
/// @param default_time  as the final measured it
inline void
put_into(tuning_report& report, attune::verdict const& end, measurement const& default_time)
{
    report.noise = noise_of(report.default_time, default_time, end.ratio);
    report.noise.unsure = end.unsure;
    report.default_time = end.default_time;
    if (end.winner == 0) return;
    report.how = decision::tuned;
    report.speedup = 1 / end.ratio.value;
    report.speedup_low = 1 / end.ratio.high;
    report.speedup_high = 1 / end.ratio.low;
}

/// What makes the outcome of a final less than certain; empty: nothing.
inline void put_into(machine_noise& noise, disturbance const& seen)
{
    noise.slow_share = seen.share;
    noise.slowdown = seen.slowdown;
}

/// From times that were not taken in turns: the interval is what both intervals allow.
inline void
put_into(tuning_report& report, measurement const& installed, measurement const& baseline)
{
    report.baseline = {baseline,
                       baseline.value / installed.value,
                       baseline.low / installed.high,
                       baseline.high / installed.low};
}

/// From a final in which contestant `own` was the baseline.
inline void put_into(tuning_report& report,
                     attune::verdict const& end,
                     round_times const& times,
                     std::size_t own)
{
    measurement const ratio =
        times.ratio(end.winner, own, final_options(times.size(), 0).confidence);
    measurement const time{end.time.value * ratio.value,
                           end.time.value * ratio.low,
                           end.time.value * ratio.high,
                           ratio.samples};
    report.baseline = {time, ratio.value, ratio.low, ratio.high};
}

/// What to say where the user's own code is faster than what is installed; else empty.
[[nodiscard]] inline std::string slower_than_own(baseline_comparison const& own)
{
    if (own.speedup_high >= 1) return {};
    return "your own code (kernel.baseline) is " + formatted("%.2fx", 1 / own.speedup) +
           " faster than what is installed: call that, or give the kernel what makes it fast";
}

[[nodiscard]] inline std::string
warning_of(machine_noise const& noise, attune::verdict const& end, std::size_t contestants)
{
    std::string const unproven = want_of_rounds(end, contestants);
    if (!unproven.empty()) return unproven;
    return noise.is_disturbed ? "" : attune::warning_of(noise, end.ratio); // which says more
}

inline void put_into(tuning_report& report,
                     scoreboard const& board,
                     trial_runner const& runner,
                     variant_supply const& supply)
{
    report.evaluations = board.evaluations();
    report.failures = board.failures();
    report.first_failures = board.first_failures();
    report.elapsed_s = board.elapsed_s();
    report.same_code = runner.same_code();
    report.isolation = runner.protection();
    report.compiled = supply.compiled();
    report.from_cache = supply.from_cache();
    report.compile_s = supply.compile_s();
}

} // namespace attune::inline ATTUNE_ABI::detail
