// attune/measure/cuda/device_runs.hpp - a sample_taker for variants on a device, by events.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/clocks.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/clock/sample_taker.hpp>
#include <attune/measure/cuda/device_clock.hpp>
#include <attune/measure/cuda/launch_graph.hpp>
#include <attune/measure/cuda/loaded_variant.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// State that the timings of one bench share.
struct device_history {
    double highest_mhz = 0; ///< highest clock seen; 0: none
    bool is_warm = false;   ///< true: some variant was warmed up
};

/// Options for timing runs on a device.
struct device_run_options {
    double limit_s = 10;   ///< wall seconds for one run
    bool as_graph = false; ///< true: launches are replayed from a graph
    /// True: runs may follow one another with warm caches. One untimed run is then enqueued between
    /// the preparation of a sample and its first event.
    bool follows_itself = false;
    /// Enqueues some tens of microseconds of work that does not change the caches (queue_filler);
    /// meanwhile the host enqueues the first event, the launch and the last event. Without it the
    /// device may reach the first event before the launch is enqueued, and the sample of a single
    /// run then includes the host's latency.
    std::function<void()> fill{};
    std::function<cuda::clock_reading()> reading{}; ///< 0 MHz, empty: unknown
    std::shared_ptr<device_history> history = std::make_shared<device_history>();
};

/// A sample is disturbed when the device's clock is below this share of the highest clock seen,
/// unless the usual power limit is the reason.
inline constexpr double throttled_below = 0.9;

/// True while heat, the supply or a fault slows the device down: such samples are disturbed. The
/// usual power limit does not count, because it applies in every call.
[[nodiscard]] constexpr bool is_held_back(cuda::clock_reading const& now) noexcept
{
    using r = cuda::clock_reading;
    return (now.reasons & (r::slowdown | r::software_heat | r::hardware_heat | r::power_brake)) !=
           0;
}

/// Resolution of events, and minimum cost of two events.
inline constexpr double event_resolution_s = 0.5e-6;

/// Models sample_taker. Preparation is enqueued before the first event and not timed. All functions
/// need the session's context to be current, and throw `stopped`.
class device_runs {
public:
    /// @param prepare    enqueues, on the clock's stream, the preparation of a sample
    /// @param arguments  of all contestants  @pre all parameters outlive this object
    device_runs(std::shared_ptr<device_session> where, device_clock& clock,
                std::function<void()> prepare,
                std::vector<std::shared_ptr<loaded_variant>> contestants,
                packed_arguments& arguments, device_run_options options);

    [[nodiscard]] double wall_s() const noexcept { return host_.wall_s(); }
    /// Prepared runs back to back, for 20 ms by events the first time in a bench and 2 ms later,
    /// because an idle device takes that long to raise its clock. If the clock can be read,
    /// continues until the clock is 90 % of the highest seen, at most for 100 ms.
    void warm_up(std::size_t i);
    [[nodiscard]] double warm_up_s(std::size_t i) const noexcept { return warm_up_s_[i]; }
    void calibrate();
    [[nodiscard]] time_sample take(std::size_t i, std::uint32_t runs);
    [[nodiscard]] std::uint32_t runs_for(double run_s) const noexcept;
    void describe(timing_record& record) const { record.clock = "events"; }
    [[nodiscard]] double far_rate() const noexcept { return far_rate_of_cpu_time; }

    /// Index of the contestant that ran last.
    [[nodiscard]] std::size_t latest() const noexcept { return latest_; }

private:
    struct recording {
        std::unique_ptr<launch_graph> graph{};
        std::uint32_t runs = 0; ///< number of runs in the graph
    };

    void launch(std::size_t i, std::uint32_t runs);
    [[nodiscard]] double limit_s(std::size_t i, std::uint32_t runs) const noexcept;
    [[nodiscard]] bool is_slow_now();
    void record(std::size_t i, std::uint32_t runs);

    std::shared_ptr<device_session> where_;
    device_clock* clock_;
    std::function<void()> prepare_;
    std::vector<std::shared_ptr<loaded_variant>> contestants_;
    packed_arguments* arguments_;
    device_run_options options_;
    system_clocks host_{};
    std::vector<double> warm_up_s_;
    std::vector<recording> recordings_;
    double event_cost_s_ = event_resolution_s;
    std::size_t latest_ = 0;
};

static_assert(sample_taker<device_runs>);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_runs.ipp>
#endif
