// tests/support/search_spaces.hpp : spaces that the tests of search share, written by hand
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/description.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
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
    attune::description d;
    d.parameters = {counting("a", 3), counting("b", 5), categorical("c", {"x", "y", "z"})};
    attune::constraint_description sum;
    sum.scope = {0, 1};
    sum.text = "a + b <= 4";
    sum.test = [](attune::description const&, std::span<attune::coordinate const> at) {
        return at[0].index + at[1].index <= 4;
    };
    d.constraints.push_back(sum);
    return attune::chain_of_trees(d);
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
    attune::description d;
    d.parameters = {counting("x", side), counting("y", side)};
    return attune::chain_of_trees(d);
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

/// One point.
inline attune::chain_of_trees single()
{
    attune::description d;
    d.parameters = {ordinal("only", {7})};
    return attune::chain_of_trees(d);
}

/// Two intervals and a category.
inline attune::chain_of_trees mixed()
{
    attune::description d;
    d.parameters = {real("u", -1, 1), real("v", 0, 2), categorical("c", {"x", "y"})};
    return attune::chain_of_trees(d);
}

} // namespace search_spaces
