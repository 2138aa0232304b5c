// attune/measure/call_energy.hpp - the energy of a call, and who measures it.
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

/// The energy of one call.
struct call_energy {
    double joules = std::numeric_limits<double>::quiet_NaN(); ///< NaN: the counters disappeared
    /// Relative: what the resolution of the counters and the spread of repetitions leave open.
    double half_width = std::numeric_limits<double>::infinity();
    std::uint64_t calls = 0; ///< on which it is based
};

namespace detail {

/// Measures the energy of calls. attune::energy implements it by the counters of the machine.
class energy_source {
public:
    energy_source() = default;
    virtual ~energy_source() = default;
    energy_source(energy_source const&) = delete;
    energy_source& operator=(energy_source const&) = delete;

    /// Why it measures none, and what to do; empty: it measures.
    [[nodiscard]] virtual std::string why_none() const = 0;
    [[nodiscard]] virtual std::string text() const = 0; ///< "package-0, dram"
    /// @param calls    makes so many calls
    /// @param beside   makes what comes with so many calls and is no part of them; may be empty
    /// @param limit_s  wall seconds, once a run is complete
    /// @param between  called before each run; neither its time nor its energy counts
    [[nodiscard]] virtual call_energy measure(std::function<void(std::uint64_t)> const& calls,
                                              std::function<void(std::uint64_t)> const& beside,
                                              double limit_s,
                                              std::function<void()> const& between) const = 0;
};

/// The maker of energy sources. The part attune::energy offers it to the program (offer.hpp).
struct energy_maker {
    /// @param folder  of the machine's energy counters; empty: where Linux has them
    std::shared_ptr<energy_source const> (*make)(std::string const& folder) = nullptr;
};

/// Why `source` measures no energy; empty: it does.
[[nodiscard]] std::string why_no_energy(std::shared_ptr<energy_source const> const& source);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/call_energy.ipp>
#endif
