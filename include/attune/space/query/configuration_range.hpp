// attune/space/query/configuration_range.hpp - configurations by their numbers, and equal parts of a range.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/tree/leaf_count.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// The configurations with the numbers `first` to `last - 1`, as chain_of_trees::at() counts.
struct configuration_range {
    leaf_count first = 0;
    leaf_count last = 0;

    [[nodiscard]] constexpr bool is_empty() const noexcept { return first >= last; }
    [[nodiscard]] constexpr leaf_count size() const noexcept
    {
        return is_empty() ? 0 : last - first;
    }
    [[nodiscard]] friend bool operator==(configuration_range const&,
                                         configuration_range const&) = default;
};

/// The numbers of all configurations. Two processes number alike if both build() the space, from
/// the same declaration, inputs and options.
/// Errors  attune::error unless space.is_exact(), and when there are 2^128 or more
[[nodiscard]] inline configuration_range whole_range(chain_of_trees const& space)
{
    space.require_exact("numbering");
    std::optional<leaf_count> const size = space.size();
    if (!size)
        throw error("a space has 2^128 configurations or more, which are not numbered", "its size",
                    "give its parameters fewer values, or draw configurations by sample()");
    return {0, *size};
}

/// Part `part` of `parts` of a range: the parts follow each other without a gap, and their sizes
/// differ by 1 at most. Parts are empty where there are more of them than numbers.
/// @param part  1 to `parts`
/// Errors  attune::error: another number of a part; there would be rows twice, or missing
[[nodiscard]] constexpr configuration_range part_of(configuration_range const& whole,
                                                    std::uint64_t part, std::uint64_t parts)
{
    if (part < 1 || part > parts)
        throw error("a range has no part " + std::to_string(part) + " of " + std::to_string(parts),
                    "part_of", "number the parts from 1 to their number");
    leaf_count const each = whole.size() / parts;
    leaf_count const longer = whole.size() % parts; // so many parts have one number more
    auto const begin = [&](leaf_count before) {
        return whole.first + each * before + std::min(before, longer);
    };
    return {begin(part - 1), begin(part)};
}

/// The leaves of configuration `number`, which counts through the leaves of the last tree fastest.
/// Errors  attune::error unless space.is_exact() and number < space.size()
[[nodiscard]] inline space_index index_of_number(chain_of_trees const& space, leaf_count number)
{
    space.require_exact("numbering");
    space_index out;
    out.leaf.resize(space.tree_count());
    for (std::size_t t = space.tree_count(); t-- > 0;) {
        leaf_count const leaves = space.tree_at(t).leaves();
        out.leaf[t] = number % leaves;
        number /= leaves;
    }
    if (number != 0)
        throw error("a space has no configuration of that number", "a configuration_range",
                    "take ranges of whole_range() of the same space, with the same inputs");
    return out;
}

} // namespace attune::inline ATTUNE_ABI
