// attune/measure/cuda/device_runs.hpp - variants as something whose runs can be timed, by events.
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

namespace attune::inline ATTUNE_ABI {

/// What the timings of a bench learn of its device, each from those before.
struct device_history {
    double highest_mhz = 0; ///< of the multiprocessors; 0: never seen
    bool is_warm = false;   ///< some variant was warmed up
};

/// How a device is watched while it is timed.
struct device_run_options {
    double limit_s = 10;   ///< wall seconds for one run
    bool as_graph = false; ///< launches are replayed
    /// Runs may follow one another, and are to find the caches as the run before has left them: one
    /// run, untimed, stands between what prepares a sample and its first event.
    bool follows_itself = false;
    /// Puts some tens of microseconds of work on the stream that disturb no cache (queue_filler):
    /// while it runs, the host enqueues the first event, the launch and the last event. Without it
    /// the device may reach the first event before the host has launched anything, and the sample
    /// of a single run then contains the host's latency.
    std::function<void()> fill{};
    std::function<cuda::clock_reading()> reading{}; ///< 0 MHz, empty: unknown
    std::shared_ptr<device_history> history = std::make_shared<device_history>();
};

/// A sample during which the device's clock was lower than this share of the highest one seen is
/// disturbed, unless its usual limit of power is the reason.
inline constexpr double throttled_below = 0.9;

/// So is one while heat, the supply or a fault slows the device down. Its usual limit of power is
/// none of these: who runs into that does so in every call.
[[nodiscard]] constexpr bool is_held_back(cuda::clock_reading const& now) noexcept
{
    using r = cuda::clock_reading;
    return (now.reasons & (r::slowdown | r::software_heat | r::hardware_heat | r::power_brake)) !=
           0;
}

/// Events resolve so much; two of them cost no less, whatever was measured.
inline constexpr double event_resolution_s = 0.5e-6;

/// Models sample_taker. What is prepared goes to the same stream before the first event, and so is
/// not timed. All functions need the session's context to be current, and throw `stopped`.
class device_runs {
public:
    /// @param prepare    puts on the clock's stream what has to come before a sample
    /// @param arguments  of all contestants  @pre all that is given outlives this object
    device_runs(std::shared_ptr<device_session> where,
                device_clock& clock,
                std::function<void()> prepare,
                std::vector<std::shared_ptr<loaded_variant>> contestants,
                packed_arguments& arguments,
                device_run_options options);

    [[nodiscard]] double wall_s() const noexcept { return host_.wall_s(); }
    /// Runs back to back, each prepared, for 20 ms by events the first time in a bench, 2 ms later:
    /// a device that was idle takes that to raise its clock. Where the clock can be read, goes on
    /// until it is 90 % of the highest seen, for 100 ms at most.
    void warm_up(std::size_t i);
    [[nodiscard]] double warm_up_s(std::size_t i) const noexcept { return warm_up_s_[i]; }
    void calibrate();
    [[nodiscard]] time_sample take(std::size_t i, std::uint32_t runs);
    [[nodiscard]] std::uint32_t runs_for(double run_s) const noexcept;
    void describe(timing_record& record) const { record.clock = "events"; }
    [[nodiscard]] double far_rate() const noexcept { return far_rate_of_cpu_time; }

    /// Which contestant ran last.
    [[nodiscard]] std::size_t latest() const noexcept { return latest_; }

private:
    struct recording {
        std::unique_ptr<launch_graph> graph{};
        std::uint32_t runs = 0; ///< in the graph
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

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_runs.ipp>
#endif
