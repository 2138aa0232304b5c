// attune/measure/energy/joules_per_call.hpp - how many joules a call takes.
// SPDX-License-Identifier: MIT
// Source   Intel SDM vol. 3, Sec. 15.10.3: energy counters are updated about every millisecond
//
// Counters are coarse in time, so calls run in a row between two readings until that is a small
// share of them. A reading follows an update where there is one, which halves what is left open
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/call_energy.hpp>
#include <attune/measure/clock/estimate.hpp>
#include <attune/measure/energy/energy_counters.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

struct energy_options {
    double run_s = 0.1;      ///< shortest run between two readings
    double precision = 0.03; ///< half_width that ends the measurement
    double limit_s = 3;      ///< ends it too, once a run is complete
};

namespace detail {

/// Joules so far and seconds so far, by a machine or a test.
template <class M>
concept energy_meter = requires(M m) {
    { m.joules() } -> std::convertible_to<double>;
    { m.seconds() } -> std::convertible_to<double>;
};

/// Joules of this machine's counters since the construction; NaN once one cannot be read.
class machine_energy {
public:
    /// @param of  must outlive this object
    explicit machine_energy(energy_counters const& of)
        : of_(of)
        , latest_(of.read())
    {
    }
    /// @pre  called at least once a minute, see joules_between()
    [[nodiscard]] double joules()
    {
        std::vector<std::uint64_t> now = of_.read();
        sum_ += of_.joules_between(latest_, now);
        latest_ = std::move(now);
        return sum_;
    }
    [[nodiscard]] static double seconds() { return steady_seconds(); }

private:
    energy_counters const& of_;
    std::vector<std::uint64_t> latest_;
    double sum_ = 0;
};

/// Between two updates of the counters.
inline constexpr double energy_update_s = 1e-3;

/// What the counters say of calls in a row.
struct energy_run {
    double joules = 0;
    double seconds = 0;
    double open_s = 0; ///< time whose energy may be missing, or belong to something else
};

template <energy_meter M>
[[nodiscard]] energy_run
run_between_readings(M& meter, std::function<void(std::uint64_t)> const& run, std::uint64_t calls)
{
    constexpr double longest_wait_s = 5 * energy_update_s;
    double const asked_s = meter.seconds();
    double const old = meter.joules();
    double before = old;
    while (before == old && meter.seconds() - asked_s < longest_wait_s)
        before = meter.joules();
    bool const is_just_updated = before != old;
    double const begun_s = meter.seconds();
    run(calls);
    double const seconds = meter.seconds() - begun_s;
    return {meter.joules() - before, seconds, (is_just_updated ? 1 : 2) * energy_update_s};
}

/// @param calls   makes so many calls
/// @param beside  makes what comes with so many calls and is no part of them, such as to restore
///                their arguments: its energy is taken off; may be empty
/// @param between  called before each run and what comes beside it: neither its time nor its
///                 energy counts; may be empty
template <energy_meter M>
[[nodiscard]] call_energy energy_by(M& meter, std::function<void(std::uint64_t)> const& calls,
                                    std::function<void(std::uint64_t)> const& beside,
                                    energy_options const& how,
                                    std::function<void()> const& between = {})
{
    constexpr std::size_t fewest_runs = 3;
    constexpr double most_growth = 1000;
    double begun_s = meter.seconds();
    auto const spent_s = [&] { return meter.seconds() - begun_s; };
    auto const is_over = [&] { return spent_s() >= how.limit_s; };
    call_energy out;
    std::vector<double> seen;
    double open_joules = 0; // of a call
    for (std::uint64_t count = 1;;) {
        if (between) {
            double const since_s = meter.seconds();
            between();
            begun_s += meter.seconds() - since_s;
        }
        double const pair_begun_s = spent_s();
        energy_run const own = run_between_readings(meter, calls, count);
        out.calls += count;
        if (own.seconds < how.run_s && !is_over()) { // the clock alone is sure: more in a row
            double const wanted = 1.1 * how.run_s / std::max(own.seconds, 1e-9);
            count = static_cast<std::uint64_t>(
                std::ceil(static_cast<double>(count) * std::clamp(wanted, 1.1, most_growth)));
            continue;
        }
        energy_run const other = beside ? run_between_readings(meter, beside, count) : energy_run{};
        double const joules = (own.joules - other.joules) / static_cast<double>(count);
        if (std::isnan(joules)) return {};
        double const watts = own.joules / own.seconds;
        open_joules =
            std::max(open_joules, (own.open_s + other.open_s) * watts / static_cast<double>(count));
        seen.insert(std::upper_bound(seen.begin(), seen.end(), joules), joules);
        measurement const m = median_of_sorted(seen);
        out.joules = std::max(m.value, 0.0);
        out.half_width = m.value > 0 ? ((m.high - m.low) / 2 + open_joules) / m.value
                                     : std::numeric_limits<double>::infinity();
        bool const is_resolved = seen.size() >= fewest_runs && out.half_width <= how.precision;
        if (is_resolved || is_over()) return out;
        if (open_joules <= how.precision / 2 * out.joules) continue;
        double const pair_s = spent_s() - pair_begun_s;
        if (spent_s() + 2 * pair_s > how.limit_s) continue;
        count *= 2; // what the counters leave open is too large a share
        seen.clear();
        open_joules = 0;
    }
}

} // namespace detail

/// The joules that one call takes of this machine's processors and their memory, on average over
/// calls in a row, as many as it takes to know them by a few per cent. The counters are those of
/// whole packages: what other programs and other threads of this one do in that time counts, and
/// so does what the packages take when idle.
///
/// @return  half_width tells how well they are known: it may be above options.precision where the
///          limit came first
/// Errors   attune::error: no counters, see energy_counters::why_none(); a counter disappeared;
///          what `call` throws
/// Example  attune::energy_counters const counters = attune::energy_counters::in();
///          return attune::evaluation{seconds, {{"joules", attune::joules_per_call(
///              counters, [&] { run(config); }).joules}}};
[[nodiscard]] inline call_energy joules_per_call(energy_counters const& of,
                                                 std::function<void()> const& call,
                                                 energy_options const& options = {})
{
    if (!of.why_none().empty())
        throw error(of.why_none(), "joules_per_call()", "tune without energy here");
    detail::machine_energy meter{of};
    call_energy const out = detail::energy_by(
        meter,
        [&](std::uint64_t count) {
            for (; count > 0; --count)
                call();
        },
        {}, options);
    if (std::isnan(out.joules))
        throw error("an energy counter of this machine cannot be read any more", of.text(),
                    "measure again, or tune without energy here");
    return out;
}

} // namespace attune::inline ATTUNE_ABI
