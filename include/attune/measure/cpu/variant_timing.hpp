// attune/measure/cpu/variant_timing.hpp - timing with the cache state and precision of the options.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/measure/clock/time_in_turns.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Times calls with the cache state and precision of bench_options. The caller's `prepare` restores
/// the data before each timed call.
class variant_timing {
public:
    /// @param buffers  of the calls  @pre their memory outlives this object
    variant_timing(std::span<buffer const> buffers, bench_options const& options);

    /// Sets the run whose time is subtracted from the following calls.
    /// @param idle  a run of nothing, wrapped as the calls are; empty: calls are not wrapped
    void take_off(std::function<void()> idle) { idle_ = std::move(idle); }

    /// From now on warm-up runs of time() may count as samples: what is timed has run before.
    void count_warm_ups() noexcept { counts_warm_ups_ = true; }

    /// Repeats one call until its time is precise, or proven longer than `stop_above_s`. A call too
    /// short for the clock is repeated within a sample, if caches are warm and a second call writes
    /// the same results.
    /// @param prepare           restores the data
    /// @param background_cpu_s  see system_clocks
    /// @param record            receives the single times; may be null
    /// Errors   exceptions of `prepare` and the call
    [[nodiscard]] measurement time(std::function<void()> const& prepare,
                                   std::function<void()> const& call, double stop_above_s,
                                   std::function<double()> const& background_cpu_s = {},
                                   timing_record* record = nullptr);

    /// Times several calls in turns; short ones are repeated within a sample as by time().
    /// @param limit_s     wall seconds of the whole comparison
    /// @param passengers  see time_in_turns_options
    /// Errors   exceptions of `prepare` and the calls
    [[nodiscard]] round_times compare(std::function<void()> const& prepare,
                                      std::span<std::function<void()> const> calls, double limit_s,
                                      std::size_t passengers = 0);

    /// Takes `count` samples of a call, with the clock and the runs per sample of `how`.
    /// Errors   exceptions of `prepare` and the call
    [[nodiscard]] std::vector<time_sample> sample(std::function<void()> const& prepare,
                                                  std::function<void()> const& call,
                                                  timing_record const& how, std::size_t count);

    /// The energy of a call, without that of `prepare` and of cold caches, by the counters of the
    /// options; in at most the time for timing one variant, once a run is complete.
    /// @param between  called before each run; neither its time nor its energy counts
    /// Errors   exceptions of `prepare` and the call; detail::cut_short after Ctrl-C
    [[nodiscard]] call_energy energy(std::function<void()> const& prepare,
                                     std::function<void()> const& call,
                                     std::function<void()> const& between);

private:
    [[nodiscard]] std::function<void()> ready(std::function<void()> const& prepare);

    std::span<buffer const> buffers_;
    bench_options options_;
    cache_eviction caches_;
    std::function<void()> idle_{};
    bool counts_warm_ups_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cpu/variant_timing.ipp>
#endif
