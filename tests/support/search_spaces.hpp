// tests/support/search_spaces.hpp : spaces that the tests of search share, written by hand
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/description.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace search_spaces {

inline attune::parameter_description ordinal(std::string name, std::vector<std::int64_t> values)
{
    attune::parameter_description p;
    p.name = std::move(name);
    p.kind = attune::parameter_kind::ordinal;
    p.type = attune::value_kind::integer;
    p.integers = std::move(values);
    return p;
}

inline attune::parameter_description categorical(std::string name, std::vector<std::string> labels)
{
    attune::parameter_description p;
    p.name = std::move(name);
    p.kind = attune::parameter_kind::categorical;
    p.type = attune::value_kind::text;
    p.labels = std::move(labels);
    return p;
}

inline attune::parameter_description real(std::string name, double low, double high)
{
    attune::parameter_description p;
    p.name = std::move(name);
    p.kind = attune::parameter_kind::real;
    p.type = attune::value_kind::real;
    p.low = low;
    p.high = high;
    return p;
}

inline attune::parameter_description boolean(std::string name)
{
    attune::parameter_description p;
    p.name = std::move(name);
    p.kind = attune::parameter_kind::boolean;
    p.type = attune::value_kind::boolean;
    return p;
}

inline attune::parameter_description permutation(std::string name, std::uint32_t items)
{
    attune::parameter_description p;
    p.name = std::move(name);
    p.kind = attune::parameter_kind::permutation;
    p.type = attune::value_kind::list;
    p.parts = items;
    return p;
}

inline attune::parameter_description tile(std::string name, std::int64_t extent,
                                          std::uint32_t parts)
{
    attune::parameter_description p = permutation(std::move(name), parts);
    p.kind = attune::parameter_kind::tile;
    p.integers = attune::detail::factor_table(extent, parts);
    return p;
}

inline attune::constraint_description required(std::vector<std::uint32_t> scope, std::string text,
                                               attune::opaque_predicate test)
{
    attune::constraint_description c;
    c.scope = std::move(scope);
    c.text = std::move(text);
    c.test = std::move(test);
    return c;
}

inline attune::chain_of_trees space_of(std::vector<attune::parameter_description> parameters,
                                       std::vector<attune::constraint_description> constraints = {})
{
    attune::description d;
    d.parameters = std::move(parameters);
    d.constraints = std::move(constraints);
    return attune::chain_of_trees(std::move(d));
}

/// `name` counts 0, 1, ..., count - 1.
inline attune::parameter_description counting(std::string name, std::int64_t count)
{
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < count; ++i)
        values.push_back(i);
    return ordinal(std::move(name), std::move(values));
}

/// 3 * 5 * 3 - 9 = 36 of 45 points: the indices of the first two sum to at most 4.
inline attune::chain_of_trees constrained()
{
    return space_of({counting("a", 3), counting("b", 5), categorical("c", {"x", "y", "z"})},
                    {required({0, 1}, "a + b <= 4", [](auto const&, auto at) {
                        return at[0].index + at[1].index <= 4;
                    })});
}

/// 5 * (1 + 1 + 2 * 4) = 50 of 180 combinations: `width` counts where `design` is packed, and
/// `order` only where `width` does and is above 0.
inline attune::chain_of_trees conditional()
{
    using attune::op;
    attune::description d;
    d.parameters = {categorical("design", {"plain", "packed"}), counting("b", 5),
                    counting("width", 3), counting("order", 6)};
    d.parameters[2].default_text = "1";
    d.parameters[3].default_text = "2";
    d.texts = {"packed"};
    d.nodes = {{.code = op::parameter, .subject = 0},
               {.code = op::text, .text = 0},
               {.code = op::equal, .first = 0, .second = 1},
               {.code = op::parameter, .subject = 2},
               {.code = op::integer, .integer = 0},
               {.code = op::greater, .first = 3, .second = 4},
               {.code = op::parameter, .subject = 3},
               {.code = op::integer, .integer = 4},
               {.code = op::less, .first = 6, .second = 7}};
    d.parameters[2].active = {.root = 2, .text = "design == packed"};
    d.parameters[3].active = {.root = 5, .text = "width > 0"};
    attune::constraint_description small;
    small.root = 8;
    small.scope = {3};
    small.text = "order < 4";
    d.constraints.push_back(small);
    return attune::chain_of_trees(d);
}

/// side^2 points without constraints.
inline attune::chain_of_trees grid(std::int64_t side)
{
    return space_of({counting("x", side), counting("y", side)});
}

/// An array xs of `count` numbers 0, 1 and 2.
inline attune::chain_of_trees vector_of(std::size_t count)
{
    attune::description d;
    for (std::size_t i = 0; i < count; ++i)
        d.parameters.push_back(counting("xs[" + std::to_string(i) + "]", 3));
    d.groups.push_back({"xs", attune::group_kind::array, 0, static_cast<std::uint32_t>(count)});
    return attune::chain_of_trees(d);
}

/// One order of so many items, more than 12.
inline attune::description long_order(std::uint32_t items)
{
    attune::description d;
    d.groups.push_back({"order", attune::group_kind::permutation, 0, items - 1});
    for (std::uint32_t k = 0; k + 1 < items; ++k)
        d.parameters.push_back(counting("order[" + std::to_string(k) + "]", items - k));
    return d;
}

/// One point.
inline attune::chain_of_trees single() { return space_of({ordinal("only", {7})}); }

/// Two intervals and a category.
inline attune::chain_of_trees mixed()
{
    return space_of({real("u", -1, 1), real("v", 0, 2), categorical("c", {"x", "y"})});
}

} // namespace search_spaces
