// attune/measure/energy/joules_per_call.hpp - the joules of a call, by the counters of a machine.
// SPDX-License-Identifier: MIT
// Source   Intel SDM vol. 3, Sec. 15.10.3: energy counters are updated about every millisecond
//
// Counters are coarse in time. Calls run in a row between two readings, until the coarseness is a
// small share. A reading follows an update of the counters if there is one, which halves the error.
// Source   Linux: Documentation/power/powercap/powercap.rst and
//          Documentation/ABI/testing/sysfs-class-powercap; Intel SDM vol. 3, Sec. 15.10 (RAPL)
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/call_energy.hpp>
#include <attune/measure/clock/sampler.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// An energy counter of the powercap interface.
struct energy_counter {
    std::string name;           ///< "package-0", "dram"
    std::string file;           ///< contains the microjoules so far
    std::uint64_t range_uj = 0; ///< the counter returns to 0 after this value; 0: unknown
};

/// The folder of Linux with the counters of Intel's and AMD's processors.
inline constexpr char const* powercap_folder = "/sys/class/powercap";

/// The energy counters of all processor packages of this machine, and of their memory if it has
/// separate counters (dram). The counters cover the whole package, for all programs. Parts of a
/// package (core, uncore), the whole board (psys) and second views of a package (intel-rapl-mmio)
/// are left out, so nothing counts twice.
class energy_counters {
public:
    energy_counters() = default;
    /// @param folder  folder of the powercap interface; containers may have it elsewhere
    [[nodiscard]] static energy_counters in(std::string const& folder = powercap_folder);

    /// The reason why there are none, and a remedy: "this machine reports no energy (...)". Empty
    /// if there are readable counters.
    [[nodiscard]] std::string const& why_none() const noexcept { return why_none_; }
    [[nodiscard]] std::vector<energy_counter> const& counters() const noexcept { return counters_; }
    /// "package-0, dram"
    [[nodiscard]] std::string text() const;

    /// Microjoules of each counter; empty if a counter has become unreadable.
    /// Cost     20 us for each counter
    [[nodiscard]] std::vector<std::uint64_t> read() const;
    /// Joules of all counters between two readings. Each counter may have returned to 0 at most
    /// once between them, which takes some minutes at full power.
    /// @return  NaN: a reading is empty, or a counter fell and its range is unknown
    [[nodiscard]] double joules_between(std::span<std::uint64_t const> before,
                                        std::span<std::uint64_t const> after) const noexcept;

private:
    std::vector<energy_counter> counters_{};
    std::string why_none_ = "no energy counters were looked for";
};

struct energy_options {
    double run_s = 0.1;      ///< shortest run between two readings
    double precision = 0.03; ///< half_width that ends the measurement
    double limit_s = 3;      ///< also ends the measurement, after a complete run
};

namespace detail {

/// Reads joules and seconds so far, from a machine or a test.
template <class M>
concept energy_meter = requires(M m) {
    { m.joules() } -> std::convertible_to<double>;
    { m.seconds() } -> std::convertible_to<double>;
};

/// Joules of this machine's counters since the construction; NaN after a counter became unreadable.
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

/// Time between two updates of the counters.
inline constexpr double energy_update_s = 1e-3;

/// Readings of the counters over calls in a row.
struct energy_run {
    double joules = 0;
    double seconds = 0;
    double open_s = 0; ///< seconds whose energy may be missing, or from other work
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

/// @param calls   makes the given number of calls
/// @param beside  does the other work for that number of calls, such as restoring their arguments;
///                its energy is subtracted; may be empty
/// @param between  called before each pair of runs; its time and energy do not count; may be empty
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
        if (own.seconds < how.run_s && !is_over()) { // too short, by the clock: more calls in a row
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
        count *= 2; // the counters' error is too large a share
        seen.clear();
        open_joules = 0;
    }
}

} // namespace detail

/// The joules of a call on this machine's processors and their memory, on average over calls in a
/// row. The number of calls grows until the result is known to a few per cent. The counters are for
/// whole packages, with other programs, other threads of this program, and the idle power.
///
/// @return  half_width is the relative error; it may exceed options.precision if the limit came
///          first
/// Errors   attune::error: no counters, see energy_counters::why_none(); a counter disappeared;
///          exceptions of `call`
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

namespace attune::inline ATTUNE_ABI::detail {

class counted_energy final : public energy_source {
public:
    explicit counted_energy(energy_counters counters)
        : counters_(std::move(counters))
    {
    }
    [[nodiscard]] std::string why_none() const override { return counters_.why_none(); }
    [[nodiscard]] std::string text() const override { return counters_.text(); }
    [[nodiscard]] call_energy measure(std::function<void(std::uint64_t)> const& calls,
                                      std::function<void(std::uint64_t)> const& beside,
                                      double limit_s,
                                      std::function<void()> const& between) const override
    {
        energy_options how;
        how.limit_s = std::min(how.limit_s, limit_s);
        machine_energy meter{counters_};
        return energy_by(meter, calls, beside, how, between);
    }

private:
    energy_counters counters_;
};

/// From now on, attune refuses variants that break an energy bound of this program's kernels.
void measure_energy() noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/energy/joules_per_call.ipp>
#endif
