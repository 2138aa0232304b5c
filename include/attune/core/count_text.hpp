// attune/core/count_text.hpp - a count with its noun.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// "1 call", "2 calls". @param noun  one whose plural ends in s
[[nodiscard]] inline std::string count_text(std::uint64_t count, std::string const& noun)
{
    return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

} // namespace attune::inline ATTUNE_ABI::detail
