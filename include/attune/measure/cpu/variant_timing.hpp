// attune/measure/cpu/variant_timing.hpp - times variants as the application will run them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/clock/round_robin.hpp>
#include <attune/measure/clock/sampler.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The caller's `prepare` puts the data back before each timed call. This class adds what the
/// options say of caches and precision.
class variant_timing {
public:
    /// @param buffers  of the calls  @pre what they refer to outlives this object
    variant_timing(std::span<buffer const> buffers, bench_options const& options);

    /// What the calls from now on are wrapped in, around nothing, is taken off their times.
    /// @param idle  a run of nothing, wrapped as they are; empty: they are bare
    void take_off(std::function<void()> idle) { idle_ = std::move(idle); }

    /// Repeats one call until its time is known, or until it is proven slower than `stop_above_s`.
    /// A call too short for the clock is repeated within a sample where caches are warm and a
    /// second call writes what the first one did.
    /// @param prepare           puts the data back
    /// @param background_cpu_s  see system_clocks
    /// @param record            takes the single times; may be null
    /// Errors   whatever `prepare` or the call throws
    [[nodiscard]] measurement time(std::function<void()> const& prepare,
                                   std::function<void()> const& call,
                                   double stop_above_s,
                                   std::function<double()> const& background_cpu_s = {},
                                   timing_record* record = nullptr);

    /// Times several calls in turns, short ones repeated within a sample as by time().
    /// @param limit_s     wall seconds of everything
    /// @param passengers  see round_robin_options
    /// Errors   whatever `prepare` or a call throws
    [[nodiscard]] round_times compare(std::function<void()> const& prepare,
                                      std::span<std::function<void()> const> calls,
                                      double limit_s,
                                      std::size_t passengers = 0);

    /// A few samples of a call, taken as those of `how` were: by the same clock, as many runs in
    /// each.
    /// Errors   whatever `prepare` or the call throws
    [[nodiscard]] std::vector<time_sample> sample(std::function<void()> const& prepare,
                                                  std::function<void()> const& call,
                                                  timing_record const& how,
                                                  std::size_t count);

private:
    [[nodiscard]] std::function<void()> ready(std::function<void()> const& prepare);

    std::span<buffer const> buffers_;
    bench_options options_;
    cache_eviction caches_;
    std::function<void()> idle_{};
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cpu/variant_timing.ipp>
#endif
