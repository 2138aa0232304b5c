// attune/space/diagram/effort.hpp - the remaining budget for building one tree.
// SPDX-License-Identifier: MIT
//
// Visits instead of seconds, so that a space is the same on every machine
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

/// The work that may still be done before a tree counts as wide.
struct effort {
    static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

    std::uint64_t visits = unlimited;
    std::uint64_t bytes = unlimited;
    bool is_spent = false;

    /// Takes `count` from the rest. @return false if the rest is smaller
    bool spend_visits(std::uint64_t count) noexcept
    {
        is_spent = is_spent || count > visits;
        if (!is_spent) visits -= count;
        return !is_spent;
    }
    /// The same for memory that is held until the tree is complete.
    bool spend_bytes(std::uint64_t count) noexcept
    {
        is_spent = is_spent || count > bytes;
        if (!is_spent) bytes -= count;
        return !is_spent;
    }
};

} // namespace attune::inline ATTUNE_ABI::detail
