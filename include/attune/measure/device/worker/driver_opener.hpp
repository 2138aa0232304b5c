// attune/measure/device/worker/driver_opener.hpp - opens a driver by its path, of any kind of device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail::worker {

using driver_opener = std::shared_ptr<cuda::driver const> (*)(std::string const& path);

/// The kinds of drivers beside CUDA's in this program, by the beginning of their paths.
struct opener_list {
    struct entry {
        char const* prefix = nullptr;
        driver_opener open = nullptr;
    };
    std::array<entry, 8> of{};
};
inline constinit opener_list openers_of_this_program{}; ///< filled before main()

/// Adds a kind of driver. Call it in a function with [[gnu::constructor(101)]], which is no
/// template: it then precedes that of worker_door, and a worker serves before static objects exist.
inline void add_driver_opener(char const* prefix, driver_opener open) noexcept
{
    for (opener_list::entry& one : openers_of_this_program.of)
        if (one.prefix == nullptr || std::string_view(one.prefix) == prefix) {
            one = {prefix, open};
            return;
        }
}

/// Opens a driver by driver::path of another process of this program.
/// Errors   attune::error: errors of the kind's own function
[[nodiscard]] inline std::shared_ptr<cuda::driver const> open_driver_at(std::string const& path)
{
    for (opener_list::entry const& one : openers_of_this_program.of)
        if (one.prefix != nullptr && path.starts_with(one.prefix)) return one.open(path);
    return cuda::open_driver(path);
}

} // namespace attune::inline ATTUNE_ABI::detail::worker
