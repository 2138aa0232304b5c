// attune/measure/call_energy.hpp - the energy of a call, and the interface that measures it.
// SPDX-License-Identifier: MIT
// tested by measure/cpu/cpu_bench.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

namespace attune::inline ATTUNE_ABI {

struct call_energy {
    double joules =
        std::numeric_limits<double>::quiet_NaN(); ///< NaN: a counter has become unreadable
    /// Relative error, from the resolution of the counters and the spread of repetitions.
    double half_width = std::numeric_limits<double>::infinity();
    std::uint64_t calls = 0; ///< number of calls in the measurement
};

namespace detail {

/// Joules with at least this relative half-width count as unknown.
inline constexpr double most_open_energy = 0.5;

[[nodiscard]] inline bool is_known(call_energy const& e)
{
    return e.joules > 0 && e.half_width < most_open_energy;
}

/// Measures the energy of calls. attune::energy implements it with the counters of the machine.
class energy_source {
public:
    energy_source() = default;
    virtual ~energy_source() = default;
    energy_source(energy_source const&) = delete;
    energy_source& operator=(energy_source const&) = delete;

    /// The reason why it measures no energy, and a remedy; empty if it measures.
    [[nodiscard]] virtual std::string why_none() const = 0;
    [[nodiscard]] virtual std::string text() const = 0; ///< "package-0, dram"
    /// @param calls    makes the given number of calls
    /// @param beside   does the other work for that number of calls; may be empty
    /// @param limit_s  wall seconds; the measurement ends after a complete run
    /// @param between  called before each run; its time and energy do not count
    [[nodiscard]] virtual call_energy measure(std::function<void(std::uint64_t)> const& calls,
                                              std::function<void(std::uint64_t)> const& beside,
                                              double limit_s,
                                              std::function<void()> const& between) const = 0;
};

/// Makes energy sources. The library attune::energy offers an energy_maker to the program
/// (offer.hpp).
struct energy_maker {
    /// @param folder  folder of the machine's energy counters; empty: that of Linux
    std::shared_ptr<energy_source const> (*make)(std::string const& folder) = nullptr;
};

/// The reason why `source` measures no energy; empty if it does.
[[nodiscard]] inline std::string why_no_energy(std::shared_ptr<energy_source const> const& source)
{
    if (source) return source->why_none();
    return "this program measures no energy: include <attune/measure/energy.hpp> and link "
           "attune::energy";
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
