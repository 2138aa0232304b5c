// attune/measure/energy/energy_counters.hpp - the energy counters of this machine's processors.
// SPDX-License-Identifier: MIT
// Source   Linux: Documentation/power/powercap/powercap.rst and
//          Documentation/ABI/testing/sysfs-class-powercap; Intel SDM vol. 3, Sec. 15.10 (RAPL)
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// One energy counter of the powercap interface.
struct energy_counter {
    std::string name;           ///< "package-0", "dram"
    std::string file;           ///< has the microjoules so far
    std::uint64_t range_uj = 0; ///< where it begins at 0 again; 0: unknown
};

/// Where Linux has the counters of Intel's and AMD's processors.
inline constexpr char const* powercap_folder = "/sys/class/powercap";

/// The energy counters of all processor packages of this machine, and of their memory where it has
/// counters of its own (dram). They count what the whole package takes, whoever uses it. Parts of a
/// package (core, uncore), the whole board (psys) and second views of a package (intel-rapl-mmio)
/// are left out, so that nothing counts twice.
class energy_counters {
public:
    /// None.
    energy_counters() = default;
    /// @param folder  of the powercap interface; another one where a container has it elsewhere
    [[nodiscard]] static energy_counters in(std::string const& folder = powercap_folder);

    /// Why there are none, and what to do, as "this machine reports no energy (...)"; empty: there
    /// are some, and they could be read.
    [[nodiscard]] std::string const& why_none() const noexcept { return why_none_; }
    [[nodiscard]] std::vector<energy_counter> const& counters() const noexcept { return counters_; }
    /// "package-0, dram"
    [[nodiscard]] std::string text() const;

    /// Microjoules of each counter; empty: one of them cannot be read any more.
    /// Cost     20 us for each counter
    [[nodiscard]] std::vector<std::uint64_t> read() const;
    /// Joules of all counters between two readings, between which each began at 0 again at most
    /// once: some minutes at full power.
    /// @return  NaN: a reading is empty, or a counter fell and its range is unknown
    [[nodiscard]] double joules_between(std::span<std::uint64_t const> before,
                                        std::span<std::uint64_t const> after) const noexcept;

private:
    std::vector<energy_counter> counters_{};
    std::string why_none_ = "no energy counters were looked for";
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/energy/energy_counters.ipp>
#endif
