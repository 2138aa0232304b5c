// tests/core/enum_table.cpp - a row is found by its enumerator.
// SPDX-License-Identifier: MIT
#include <attune/core/enum_table.hpp>

#include <doctest/doctest.h>

namespace {

enum class fruit { apple, pear, plum };

struct weight {
    fruit of{};
    int grams = 0;
};

constexpr attune::detail::enum_table<weight, fruit::plum> weights{{
    {fruit::apple, 150},
    {fruit::pear, 170},
    {fruit::plum, 30},
}};

} // namespace

TEST_CASE("a table gives each enumerator its row, in a constant expression too")
{
    static_assert(weights[fruit::pear].grams == 170);
    int total = 0;
    for (weight const& row : weights)
        total += weights[row.of].grams;
    CHECK(total == 350);
}

TEST_CASE("a plain enumerator has the defaults of all members but its own")
{
    static constexpr attune::detail::enum_table<weight, fruit::plum, fruit::apple, fruit::plum> one{
        {{fruit::pear, 170}}};
    static_assert(one[fruit::pear].grams == 170);
    static_assert(one[fruit::plum].of == fruit::plum);
    static_assert(one[fruit::plum].grams == 0);
}
