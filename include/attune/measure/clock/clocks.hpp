// attune/measure/clock/clocks.hpp - clocks, the choice between them, and a stopwatch.
// SPDX-License-Identifier: MIT
// Source   own measurements: on a loaded machine the wall time of a run longer than a scheduler
//          slice (3 ms) is biased even in its minimum (the same code: 3.6 and 6.6 ms). The thread
//          CPU time is within 5 %. A reading of the CPU clock costs 0.7 us, of the steady clock 20
//          ns. The CPU clock does not count other threads or a device
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>

namespace attune::inline ATTUNE_ABI {

enum class clock_choice : std::uint8_t {
    automatic,  ///< chosen after a warm-up run; see suitable_clock()
    wall,       ///< steady wall time: for several threads, a device, very short runs
    thread_cpu, ///< CPU time of the calling thread: independent of other programs
};

namespace detail {

/// "thread_cpu", or "wall" for `wall` and `automatic`.
[[nodiscard]] constexpr char const* name_of(clock_choice clock) noexcept
{
    return clock == clock_choice::thread_cpu ? "thread_cpu" : "wall";
}

} // namespace detail

/// A source of times: `system_clocks`, or a script in tests.
template <class S>
concept time_source = requires(S& s) {
    { s.wall_s() } -> std::same_as<double>;        // seconds, never runs backwards
    { s.thread_cpu_s() } -> std::same_as<double>;  // CPU seconds of the calling thread
    { s.process_cpu_s() } -> std::same_as<double>; // CPU seconds of all threads of the process
    {
        s.waits()
    } -> std::same_as<std::uint64_t>; // waits of the thread for anything other than a processor
    {
        s.preemptions()
    } -> std::same_as<std::uint64_t>; // times that the system took the processor away
};

struct system_clocks {
    /// CPU seconds that threads of this process have spent on work outside of runs, such as
    /// compiling the next variant. Must not throw. Empty: there are no such threads.
    std::function<double()> background_cpu_s{};

    [[nodiscard]] double wall_s() const noexcept;
    [[nodiscard]] double thread_cpu_s() const noexcept;
    [[nodiscard]] double process_cpu_s() const noexcept; ///< without background_cpu_s()
    [[nodiscard]] std::uint64_t waits() const noexcept;
    [[nodiscard]] std::uint64_t preemptions() const noexcept;
};

namespace detail {

[[nodiscard]] double read_clock_s(clockid_t clock) noexcept;

/// Seconds in which the calling thread was ready but had no processor, since its start. 0 if the
/// system does not report it.
[[nodiscard]] double waited_for_processor_s();

/// A run, timed by every clock; seconds.
struct run_profile {
    double wall_s = 0;
    double thread_cpu_s = 0;
    double process_cpu_s = 0;
    std::uint64_t waits = 0;

    /// The time by one clock; `automatic` means wall.
    [[nodiscard]] constexpr double by(clock_choice clock) const noexcept
    {
        return clock == clock_choice::thread_cpu ? thread_cpu_s : wall_s;
    }
};

/// Lower bound of times: one tick of the clock, so that their logarithm exists.
inline constexpr double shortest_time_s = 1e-9;

/// Runs once and reads every clock. Only for choosing a clock: not precise below 10 us.
template <time_source Source>
[[nodiscard]] run_profile profile(Source& source, std::function<void()> const& run)
{
    std::uint64_t const waits = source.waits();
    double const process = source.process_cpu_s();
    double const thread = source.thread_cpu_s();
    double const wall = source.wall_s();
    run();
    double const wall_end = source.wall_s();
    double const thread_end = source.thread_cpu_s();
    double const process_end = source.process_cpu_s();
    return {std::max(wall_end - wall, shortest_time_s),
            std::max(thread_end - thread, shortest_time_s),
            std::max(process_end - process, shortest_time_s), source.waits() - waits};
}

/// Returns true if other threads used more CPU time than the error of the readings: 5 % of the run
/// and 20 us.
[[nodiscard]] constexpr bool has_helpers(run_profile const& seen) noexcept
{
    return seen.process_cpu_s - seen.thread_cpu_s > 0.05 * seen.thread_cpu_s + 20e-6;
}

/// The clock for runs like this one. Wall if this thread worked less than 50 us (a reading of the
/// CPU clock costs 0.7 us). Wall too if other threads worked, or if the thread waited for half of
/// the time. Thread CPU otherwise.
[[nodiscard]] constexpr clock_choice suitable_clock(run_profile const& seen) noexcept
{
    if (seen.thread_cpu_s < 50e-6) return clock_choice::wall;
    if (has_helpers(seen)) return clock_choice::wall;
    if (seen.waits > 0 && seen.thread_cpu_s < 0.5 * seen.wall_s) return clock_choice::wall;
    return clock_choice::thread_cpu;
}

/// Number of threads that the run kept busy, at most `most`. The result is the CPU time of all
/// threads over the caller's CPU time, or over wall time if the caller only waited. 1 without other
/// threads.
[[nodiscard]] constexpr std::uint32_t threads_of(run_profile const& seen,
                                                 std::uint32_t most = 1024) noexcept
{
    if (!has_helpers(seen)) return 1;
    bool const waited = seen.waits > 0 && seen.thread_cpu_s < 0.5 * seen.wall_s;
    double const busy = seen.process_cpu_s / (waited ? seen.wall_s : seen.thread_cpu_s);
    if (busy >= most) return most;
    auto const rounded = static_cast<std::uint32_t>(busy + 0.5);
    return rounded > 1 ? rounded : 1;
}

/// Times runs with one clock. The constructor calibrates: the median time of an empty run is
/// subtracted from every time. Allocates nothing.
template <time_source Source>
class stopwatch {
public:
    /// @param source  must outlive the stopwatch
    /// @param clock   `automatic` means wall
    /// @param idle    an empty run, wrapped like the runs, whose time is subtracted from wall
    ///                times. Thread CPU times are a thousand times as long. Empty: runs are not
    ///                wrapped.
    /// Errors   exceptions of `idle`
    stopwatch(Source& source, clock_choice clock, std::function<void()> const& idle = {})
        : source_(&source)
        , clock_(clock)
    {
        std::function<void()> const nothing = [] {};
        cost_s_ = single_s_ = median_s(nothing);
        if (!idle || clock == clock_choice::thread_cpu) return;
        single_s_ = median_s(idle);
        constexpr int in_a_row = 64;
        std::function<void()> const several = [&idle] {
            for (int i = 0; i < in_a_row; ++i)
                idle();
        };
        each_s_ = std::max(0.0, (median_s(several) - cost_s_) / in_a_row);
    }

    /// Seconds of one run, at least `shortest_time_s`.  Errors: exceptions of `run`.
    [[nodiscard]] double time(std::function<void()> const& run)
    {
        return std::max(elapsed_s(run) - single_s_, shortest_time_s);
    }
    /// Seconds per run of `count` runs in a row, timed together.  @pre count > 0
    [[nodiscard]] double time(std::function<void()> const& run, std::uint32_t count)
    {
        if (count == 1) return time(run);
        std::function<void()> const all = [&run, count] {
            for (std::uint32_t i = 0; i < count; ++i)
                run();
        };
        return std::max((elapsed_s(all) - cost_s_) / count - each_s_, shortest_time_s);
    }

    /// Seconds per reading of the clock; already subtracted from every time.
    [[nodiscard]] double cost_s() const noexcept { return cost_s_; }

private:
    [[nodiscard]] double median_s(std::function<void()> const& run)
    {
        std::array<double, 33> costs{};
        for (double& cost : costs)
            cost = elapsed_s(run);
        std::nth_element(costs.begin(), costs.begin() + costs.size() / 2, costs.end());
        return costs[costs.size() / 2];
    }
    [[nodiscard]] double elapsed_s(std::function<void()> const& run)
    {
        if (clock_ == clock_choice::thread_cpu) {
            double const begin = source_->thread_cpu_s();
            run();
            return source_->thread_cpu_s() - begin;
        }
        double const begin = source_->wall_s();
        run();
        return source_->wall_s() - begin;
    }

    Source* source_;
    clock_choice clock_;
    double cost_s_ = 0;   ///< of the clock
    double single_s_ = 0; ///< of an empty run, clock included
    double each_s_ = 0;   ///< of each of several empty runs in a row, clock excluded
};

/// The rule for long runs: another round begins only if a round as long as the last one would end
/// within `max_s`. A run longer than `max_s` is therefore made once.
template <class Source>
    requires requires(Source& s) { s.wall_s(); }
class time_budget {
public:
    /// The wall time counts from now.
    time_budget(Source& source, double max_s)
        : source_(&source)
        , max_s_(max_s)
        , begun_s_(source.wall_s())
        , round_begun_s_(begun_s_)
    {
    }

    /// Returns true if no further round may begin. Call it once at the end of every round.
    [[nodiscard]] bool is_up()
    {
        double const now_s = source_->wall_s();
        double const round_s = now_s - round_begun_s_;
        round_begun_s_ = now_s;
        return now_s - begun_s_ + round_s > max_s_;
    }
    /// Wall seconds that are left; negative after the limit.
    [[nodiscard]] double left_s() { return max_s_ - (source_->wall_s() - begun_s_); }

private:
    Source* source_;
    double max_s_;
    double begun_s_;
    double round_begun_s_;
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/clock/clocks.ipp>
#endif
