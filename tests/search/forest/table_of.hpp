// tests/search/forest/table_of.hpp - codes written by hand, and trees read node by node.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/forest/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace attune_tests {

inline attune::detail::forest::code_table
table_of(std::vector<attune::detail::forest::column> about,
         std::vector<std::vector<std::uint8_t>> columns)
{
    attune::detail::forest::code_table out;
    out.about = std::move(about);
    out.points = columns.empty() ? 0 : columns.front().size();
    out.code = std::move(columns);
    return out;
}

/// side^2 points, `x` fastest, with codes below `side`; both columns ordered.
inline attune::detail::forest::code_table grid(std::uint32_t side)
{
    std::vector<std::vector<std::uint8_t>> columns(2);
    for (std::uint32_t y = 0; y < side; ++y)
        for (std::uint32_t x = 0; x < side; ++x) {
            columns[0].push_back(static_cast<std::uint8_t>(x));
            columns[1].push_back(static_cast<std::uint8_t>(y));
        }
    return table_of({{side, false}, {side, false}}, std::move(columns));
}

inline std::vector<std::uint32_t> all_of(attune::detail::forest::code_table const& x)
{
    std::vector<std::uint32_t> out(x.points);
    std::iota(out.begin(), out.end(), 0U);
    return out;
}

/// The leaf of point `p`, found from the root down.
inline attune::detail::forest::tree_node const&
walk(std::span<attune::detail::forest::tree_node const> tree,
     attune::detail::forest::code_table const& x, std::size_t p)
{
    std::uint32_t at = 0;
    while (tree[at].column != attune::detail::forest::tree_node::no_column)
        at = tree[at].goes_left.has(x.code[tree[at].column][p]) ? tree[at].left : tree[at].right;
    return tree[at];
}

} // namespace attune_tests
