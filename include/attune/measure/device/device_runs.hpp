// attune/measure/device/device_runs.hpp - loads variants on a device and times their runs, by events.
// SPDX-License-Identifier: MIT
// Source   CUDA driver API reference, graph management
// Source   CUDA driver API reference, module and execution control
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/device.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/clock/clocks.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/measure/device/device_call.hpp>
#include <attune/measure/device/device_session.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Arguments in the form of a launch: one address each.
class packed_arguments {
public:
    /// Packs arrays by address and other arguments by value; copies its parameters.
    packed_arguments(std::span<device_argument const> arguments,
                     std::vector<cuda::device_pointer> addresses);
    packed_arguments(packed_arguments const&) = delete;
    packed_arguments& operator=(packed_arguments const&) = delete;

    [[nodiscard]] void** all() noexcept { return all_.data(); }
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }

private:
    std::vector<device_argument> arguments_;
    std::vector<cuda::device_pointer> addresses_;
    std::vector<void*> all_;
};

/// A loaded kernel. All functions need the session's context to be current.
class loaded_variant {
public:
    /// Errors   `stopped` at stage load or launch; at stage crash if an earlier kernel failed
    loaded_variant(std::shared_ptr<device_session> where, device_variant const& what);
    ~loaded_variant();
    loaded_variant(loaded_variant const&) = delete;
    loaded_variant& operator=(loaded_variant const&) = delete;

    /// Enqueues one launch.
    /// Errors   `stopped` at stage launch; at stage crash if an earlier kernel failed
    void launch(cuda::stream on, void** arguments);

    [[nodiscard]] cuda::function handle() const noexcept { return code_->handle(); }

private:
    std::shared_ptr<device_session> where_;
    std::optional<cuda::loaded_code> code_{};
};

/// Evicts the data of a call from a device's L2 cache: writes twice the size of the cache.
class l2_flush {
public:
    /// If the driver does not report the size of the cache, 64 MiB are assumed.
    /// @pre the session's context is current
    /// Errors   attune::error: out of memory
    explicit l2_flush(std::shared_ptr<device_session> where)
        : where_(std::move(where))
        , sweep_(where_, 2 * cache_bytes(*where_), "room to flush the L2 cache")
    {
    }

    /// Enqueues the flush on the clock's stream.
    /// Errors   `stopped`
    void enqueue(device_clock& clock)
    {
        where_->check(
            where_->driver().set_bytes_async(sweep_.address(), 0, sweep_.bytes(), clock.stream()),
            failure_stage::crash, "filling memory");
    }

private:
    [[nodiscard]] static std::size_t cache_bytes(device_session const& where) noexcept
    {
        int const known = where.attribute(cuda::of_device::l2_bytes);
        return known > 0 ? static_cast<std::size_t>(known) : std::size_t{64} << 20;
    }

    std::shared_ptr<device_session> where_;
    device_memory sweep_;
};

/// A graph of launches. All functions need the session's context to be current.
class launch_graph {
public:
    /// Captures the work of `enqueue`, without running it.
    /// Errors   `stopped` at stage launch; exceptions of `enqueue`
    launch_graph(std::shared_ptr<device_session> where, cuda::stream on,
                 std::function<void()> const& enqueue);
    ~launch_graph();
    launch_graph(launch_graph const&) = delete;
    launch_graph& operator=(launch_graph const&) = delete;

    /// Enqueues the graph.
    /// Errors   `stopped` at stage launch
    void replay(cuda::stream on);

private:
    std::shared_ptr<device_session> where_;
    cuda::executable_graph graph_ = nullptr;
};

/// State that the timings of one bench share.
struct device_history {
    double highest_mhz = 0; ///< highest clock so far; 0: none
    bool is_warm = false;   ///< true: some variant was warmed up
};

struct device_run_options {
    double limit_s = 10;   ///< wall seconds for one run
    bool as_graph = false; ///< true: launches are replayed from a graph
    /// True: runs may follow one another with warm caches. An untimed run then comes between the
    /// preparation of a sample and its first event.
    bool follows_itself = false;
    /// Enqueues some tens of microseconds of work that does not change the caches (queue_filler).
    /// Meanwhile the host enqueues the first event, the launch and the last event. Without it the
    /// device may reach the first event before the launch is enqueued. The sample of a single run
    /// then includes the host's latency.
    std::function<void()> fill{};
    std::function<cuda::clock_reading()> reading{}; ///< 0 MHz, empty: unknown
    std::shared_ptr<device_history> history = std::make_shared<device_history>();
};

/// A sample is disturbed if the device's clock is below this share of the highest clock so far,
/// except by the usual power limit.
inline constexpr double throttled_below = 0.9;

/// Returns true while heat, the supply or a fault slows the device down, which disturbs samples.
/// The usual power limit does not count, because it applies in every call.
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
    /// Makes prepared runs back to back, because an idle device needs time to raise its clock. Runs
    /// take 20 ms by events the first time in a bench and 2 ms later. If the clock is readable,
    /// continues until it is 90 % of the highest, at most for 100 ms.
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

/// Keeps a device busy while more work is enqueued: a graph of 24 small fills in sequence. Each
/// fill takes the 1 to 2 us that a device needs to start any work. They use 64 KiB, so the caches
/// keep their contents.
class queue_filler {
public:
    static constexpr std::size_t bytes = std::size_t{64} << 10;
    static constexpr int fills = 24;

    /// Without room for its 64 KiB, enqueue() does nothing.
    /// @pre the session's context is current
    /// Errors   attune::error: the driver's own
    queue_filler(std::shared_ptr<device_session> const& where, device_clock& clock)
        : room_(device_memory::if_it_fits(where, bytes))
    {
        if (!room_) return;
        try {
            graph_.emplace(where, clock.stream(), [&] {
                for (int done = 0; done < fills; ++done)
                    where->require(where->driver().set_bytes_async(room_->address(), 1,
                                                                   room_->bytes(), clock.stream()),
                                   "filling a stream");
            });
        } catch (stopped const& s) {
            throw error("no graph can be made to fill a stream: " + s.why.reason, where->name(),
                        "see whether other CUDA programs still work on this device; if they do, "
                        "install a newer driver");
        }
    }

    /// Errors   `stopped`
    void enqueue(device_clock& clock)
    {
        if (graph_) graph_->replay(clock.stream());
    }

private:
    std::optional<device_memory> room_;
    std::optional<launch_graph> graph_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/device/device_runs.ipp>
#endif
