// attune/measure/device/device_runs.ipp - loads variants, and takes samples by events.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/launch.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/device/device_runs.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline bool fits_unsigned(std::array<std::int64_t, 3> const& extents)
{
    for (std::int64_t const e : extents)
        if (e < 1 || e > std::int64_t{std::numeric_limits<unsigned>::max()}) return false;
    return true;
}

ATTUNE_INLINE packed_arguments::packed_arguments(std::span<device_argument const> arguments,
                                                 std::vector<cuda::device_pointer> addresses)
    : arguments_(arguments.begin(), arguments.end())
    , addresses_(std::move(addresses))
{
    for (device_argument& a : arguments_) {
        if (a.buffer == device_argument::by_value) {
            all_.push_back(a.value.data());
        } else {
            ATTUNE_ASSERT(a.buffer < addresses_.size(), "an argument is one of the call's arrays");
            all_.push_back(&addresses_[a.buffer]);
        }
    }
}

ATTUNE_INLINE loaded_variant::loaded_variant(std::shared_ptr<device_session> where,
                                             device_variant const& what)
    : where_(std::move(where))
{
    launch_geometry const& how = what.launch;
    if (!fits_unsigned(how.grid) || !fits_unsigned(how.block) || !fits_unsigned(how.cluster) ||
        how.shared_bytes < 0 || how.shared_bytes > std::numeric_limits<int>::max())
        throw stopped{{failure_stage::launch, "no launch has this geometry: " + text_of(how)}};
    cuda::result said = cuda::success;
    auto got = cuda::loaded_code::load(where_->context().of(), what, &said);
    if (auto const* failed = std::get_if<failure>(&got)) {
        // An error that destroyed the context belongs to an earlier kernel.
        if (cuda::is_sticky(said)) where_->check(said, failed->stage, {});
        throw stopped{*failed};
    }
    code_.emplace(std::move(std::get<cuda::loaded_code>(got)));
}

ATTUNE_INLINE loaded_variant::~loaded_variant()
{
    if (where_->is_blocked())
        // Unloading would wait for a kernel that does not end.
        keep_forever(std::make_shared<cuda::loaded_code>(std::move(*code_)));
    else
        where_->clean_up([this](cuda::driver const&) { code_.reset(); });
}

ATTUNE_INLINE void loaded_variant::launch(cuda::stream on, void** arguments)
{
    where_->check(code_->launch(arguments, on), failure_stage::launch, text_of(code_->geometry()));
}

ATTUNE_INLINE launch_graph::launch_graph(std::shared_ptr<device_session> where, cuda::stream on,
                                         std::function<void()> const& enqueue)
    : where_(std::move(where))
{
    cuda::driver const& d = where_->driver();
    cuda::graph captured = nullptr;
    where_->check(d.stream_begin_capture(on, cuda::flag::capture_this_thread),
                  failure_stage::launch, "beginning a graph");
    try {
        enqueue();
    } catch (...) {
        if (d.stream_end_capture(on, &captured) == cuda::success && captured != nullptr)
            d.graph_destroy(captured);
        throw;
    }
    where_->check(d.stream_end_capture(on, &captured), failure_stage::launch, "ending a graph");
    cuda::result const made = d.graph_instantiate(&graph_, captured, 0);
    d.graph_destroy(captured);
    where_->check(made, failure_stage::launch, "making a graph");
}

ATTUNE_INLINE launch_graph::~launch_graph()
{
    where_->clean_up([this](cuda::driver const& d) { d.executable_graph_destroy(graph_); });
}

ATTUNE_INLINE void launch_graph::replay(cuda::stream on)
{
    where_->check(where_->driver().graph_launch(graph_, on), failure_stage::launch,
                  "launching a graph");
}

/// An idle device has a lower clock, which rises within milliseconds of work.
inline constexpr double first_warm_up_s = 20e-3;
inline constexpr double warm_up_span_s = 2e-3;
inline constexpr double longest_warm_up_s = 100e-3;
/// Seconds of the runs that are enqueued together, and their largest number.
inline constexpr double warm_up_batch_s = 1e-3;
inline constexpr double most_in_warm_up_batch = 50;
/// Minimum seconds per run: the host's time to enqueue it.
inline constexpr double least_warm_up_round_s = 5e-6;

ATTUNE_INLINE device_runs::device_runs(std::shared_ptr<device_session> where, device_clock& clock,
                                       std::function<void()> prepare,
                                       std::vector<std::shared_ptr<loaded_variant>> contestants,
                                       packed_arguments& arguments, device_run_options options)
    : where_(std::move(where))
    , clock_(&clock)
    , prepare_(std::move(prepare))
    , contestants_(std::move(contestants))
    , arguments_(&arguments)
    , options_(std::move(options))
    , warm_up_s_(contestants_.size(), shortest_time_s)
    , recordings_(contestants_.size())
{
}

ATTUNE_INLINE void device_runs::launch(std::size_t i, std::uint32_t runs)
{
    for (std::uint32_t done = 0; done < runs; ++done)
        contestants_[i]->launch(clock_->stream(), arguments_->all());
}

ATTUNE_INLINE void device_runs::record(std::size_t i, std::uint32_t runs)
{
    recording& known = recordings_[i];
    if (known.graph && known.runs == runs) return;
    known.graph =
        std::make_unique<launch_graph>(where_, clock_->stream(), [&] { launch(i, runs); });
    known.runs = runs;
    // The first replay also uploads the graph, so it is not timed.
    prepare_();
    clock_->time([&] { known.graph->replay(clock_->stream()); }, limit_s(i, runs));
}

/// The limit of `runs` runs together, less than `runs` times the limit of one run.
ATTUNE_INLINE double device_runs::limit_s(std::size_t i, std::uint32_t runs) const noexcept
{
    return options_.limit_s + 2 * runs * warm_up_s_[i];
}

/// Reads the clock and updates the highest one.
ATTUNE_INLINE bool device_runs::is_slow_now()
{
    if (!options_.reading) return false;
    cuda::clock_reading const now = options_.reading();
    auto const now_mhz = static_cast<double>(now.mhz);
    double& highest_mhz = options_.history->highest_mhz;
    highest_mhz = std::max(highest_mhz, now_mhz);
    bool const is_at_power_limit = (now.reasons & cuda::clock_reading::power_cap) != 0;
    return is_held_back(now) ||
           (!is_at_power_limit && now_mhz > 0 && now_mhz < throttled_below * highest_mhz);
}

ATTUNE_INLINE void device_runs::warm_up(std::size_t i)
{
    warm_up_s_[i] = std::max(take(i, 1).seconds, shortest_time_s);
    double const span_s = options_.history->is_warm ? warm_up_span_s : first_warm_up_s;
    double busy_s = warm_up_s_[i];
    while (busy_s < span_s || (busy_s < longest_warm_up_s && is_slow_now())) {
        double const wanted =
            std::min((span_s - busy_s) / warm_up_s_[i], warm_up_batch_s / warm_up_s_[i]);
        auto const rounds =
            static_cast<std::uint32_t>(std::ceil(std::clamp(wanted, 1.0, most_in_warm_up_batch)));
        double const took_s = clock_->time(
            [&] {
                for (std::uint32_t done = 0; done < rounds; ++done) {
                    prepare_();
                    launch(i, 1);
                }
            },
            limit_s(i, rounds));
        busy_s += std::max(took_s, rounds * least_warm_up_round_s);
    }
    options_.history->is_warm = true;
    warm_up_s_[i] = std::max(take(i, 1).seconds, shortest_time_s);
}

ATTUNE_INLINE void device_runs::calibrate()
{
    std::array<double, 33> costs{};
    for (double& cost : costs)
        cost = clock_->time([] {}, options_.limit_s);
    std::nth_element(costs.begin(), costs.begin() + costs.size() / 2, costs.end());
    event_cost_s_ = std::max(costs[costs.size() / 2], event_resolution_s);
}

ATTUNE_INLINE time_sample device_runs::take(std::size_t i, std::uint32_t runs)
{
    latest_ = i;
    if (options_.as_graph) record(i, runs);
    prepare_();
    if (options_.fill) options_.fill();
    if (options_.follows_itself) launch(i, 1);
    // If this thread loses its processor between two launches, the device is idle meanwhile.
    bool is_disturbed = false;
    double const all_s = clock_->time(
        [&] {
            std::uint64_t const before = host_.preemptions();
            if (options_.as_graph)
                recordings_[i].graph->replay(clock_->stream());
            else
                launch(i, runs);
            is_disturbed = host_.preemptions() != before;
        },
        limit_s(i, runs + 1));
    if (is_slow_now()) is_disturbed = true;
    return {std::max(all_s / runs, shortest_time_s), is_disturbed};
}

ATTUNE_INLINE std::uint32_t device_runs::runs_for(double run_s) const noexcept
{
    double const wanted = clock_readings_per_sample * event_cost_s_ / run_s;
    if (!(wanted > 1)) return 1;
    return static_cast<std::uint32_t>(std::ceil(std::min(wanted, double{most_runs_per_sample})));
}

} // namespace attune::inline ATTUNE_ABI::detail
