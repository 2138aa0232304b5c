// tests/support/powercap.hpp - a folder like /sys/class/powercap.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "scratch_directory.hpp"

namespace attune_test {

/// One zone of the powercap interface, of which the kernel ends each file with a new line.
inline void add_zone(support::scratch_directory const& folder, std::string const& zone,
                     std::string const& name, std::uint64_t energy_uj, std::uint64_t range_uj)
{
    std::filesystem::create_directory(folder.file(zone));
    support::write_file(folder.file(zone + "/name"), name + "\n");
    support::write_file(folder.file(zone + "/energy_uj"), std::to_string(energy_uj) + "\n");
    support::write_file(folder.file(zone + "/max_energy_range_uj"),
                        std::to_string(range_uj) + "\n");
}

} // namespace attune_test
