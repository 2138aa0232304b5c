// attune/measure/duel.hpp - is b really faster than a? Both, turn by turn, on the same machine.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> [measure] -> remember
// In       two runs and how to make ready for either
// Out      the ratio of their times with its 95 % interval
// Source   own. Two measurements taken one after the other differ by what the machine did
// meanwhile;
//          neighbours in time share it, and in their ratio it cancels. The order alternates (ab,
//          ba, ab, ...), so that neither gains from always being second
// Depends  std only
// Tests    tests/measure/duel.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/measure/clocks.hpp>
#include <attune/measure/estimate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace attune {

/// When to stop comparing. Whatever comes first. A result that merely has become significant does
/// not stop a duel: stopping there would prove too much too often.
struct duel_options {
    double precision = 0.005;       ///< half the 95 % interval of the ratio over the ratio
    double clear_by = 0.1;          ///< the whole interval is further than this from 1
    std::uint32_t min_pairs = 10;   ///< before `precision` or `clear_by` may stop
    std::uint32_t max_pairs = 200;  ///< >= 1
    double max_s = 2.0;             ///< wall seconds of everything; the rule of adaptive_timer
    std::uint32_t warm_up_runs = 1; ///< of each, not counted; the last one tells which clock to use
    clock_choice clock = clock_choice::automatic; ///< thread CPU only where it suits both
};

/// The outcome of a duel.
struct comparison {
    double ratio = 1;        ///< median over the pairs of (seconds of b) / (seconds of a)
    double low = 1;          ///< lower end of its 95 % interval; the range below six pairs
    double high = 1;         ///< upper end
    std::uint32_t pairs = 0; ///< turns behind it
    measurement a;           ///< seconds of one run of a
    measurement b;           ///< seconds of one run of b

    /// Proved, not merely seen: the whole interval lies below 1, and it is a real interval.
    [[nodiscard]] constexpr bool b_is_faster() const noexcept
    {
        return pairs >= fewest_for_confidence && high < 1;
    }
};

/// The loop of duel() over any source of time.
template <time_source Source>
[[nodiscard]] comparison duel_with(Source& source,
                                   duel_options const& options,
                                   std::function<void()> const& prepare,
                                   std::function<void()> const& run_a,
                                   std::function<void()> const& run_b)
{
    std::size_t const most = std::max<std::size_t>(options.max_pairs, 1);
    std::vector<double> times_a;
    std::vector<double> times_b;
    std::vector<double> ratios; // ascending
    for (std::vector<double>* each : {&times_a, &times_b, &ratios})
        each->reserve(std::min<std::size_t>(most, 4096));

    auto const add = [&](double a_s, double b_s) {
        times_a.push_back(a_s);
        times_b.push_back(b_s);
        double const ratio = b_s / a_s;
        ratios.insert(std::upper_bound(ratios.begin(), ratios.end(), ratio), ratio);
    };
    auto const result = [&] {
        measurement const ratio = median_of_sorted(ratios);
        return comparison{ratio.value,
                          ratio.low,
                          ratio.high,
                          ratio.samples,
                          median_of(times_a),
                          median_of(times_b)};
    };
    time_budget budget(source, options.max_s);

    clock_choice clock = options.clock;
    for (std::uint32_t done = 0; done < options.warm_up_runs; ++done) {
        prepare();
        run_profile const seen_a = profile(source, run_a);
        prepare();
        run_profile const seen_b = profile(source, run_b);
        if (options.clock == clock_choice::automatic) {
            bool const thread_suits = suitable_clock(seen_a) == clock_choice::thread_cpu &&
                                      suitable_clock(seen_b) == clock_choice::thread_cpu;
            clock = thread_suits ? clock_choice::thread_cpu : clock_choice::wall;
        }
        if (budget.is_up()) {
            add(seen_a.by(clock), seen_b.by(clock));
            return result();
        }
    }

    stopwatch watch(source, clock);
    auto const timed = [&](std::function<void()> const& run) {
        prepare();
        return watch.time(run);
    };
    for (;;) {
        bool const a_first = ratios.size() % 2 == 0;
        double const first_s = timed(a_first ? run_a : run_b);
        double const second_s = timed(a_first ? run_b : run_a);
        add(a_first ? first_s : second_s, a_first ? second_s : first_s);
        if (ratios.size() >= most) return result();
        if (ratios.size() >= std::max<std::size_t>(options.min_pairs, fewest_for_confidence)) {
            measurement const ratio = median_of_sorted(ratios);
            bool const clear =
                ratio.low > 1 + options.clear_by || ratio.high < 1 - options.clear_by;
            if (clear || is_narrow(ratio, options.precision)) return result();
        }
        if (budget.is_up()) return result();
    }
}

/// Compares two runs turn by turn; used before a winner may replace the default.
///
/// @param prepare  called before every run of either, never timed; may be empty
/// @return  b over a: below 1, b is faster
/// Errors   whatever `prepare`, `run_a` or `run_b` throws
[[nodiscard]] comparison duel(std::function<void()> const& prepare,
                              std::function<void()> const& run_a,
                              std::function<void()> const& run_b,
                              duel_options const& options = {});

} // namespace attune
