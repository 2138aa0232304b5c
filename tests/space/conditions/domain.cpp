// tests/space/conditions/domain.cpp : mirrors attune/space/conditions/domain.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/conditions/domain.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../space_writer.hpp"

TEST_CASE("values kept are numbered anew, in ascending order")
{
    attune::detail::domain left(6);
    left.filter({true, false, true, true, false, true});
    CHECK(left.size() == 4);
    CHECK(left.value(1) == 2);
    CHECK(left.value(3) == 5);
    left.filter({false, true, false, true});
    CHECK(left.size() == 2);
    CHECK(left.value(0) == 2);
}

TEST_CASE("the first values are those left, and what has one value is no choice")
{
    attune_tests::space_writer w;
    auto const a = w.range("a", 0, 3);
    auto const b = w.range("b", 0, 3);
    auto const x = w.real("x", 0.5, 2);
    std::vector<attune::detail::domain> domains{
        attune::detail::domain(4), attune::detail::domain(4), attune::detail::domain(0)};
    domains[b].filter({false, false, true, false});
    attune::point const first = attune::detail::first_values(w.out, domains);
    CHECK(first[a].index == 0);
    CHECK(first[b].index == 2);
    CHECK(first[x].real == 0.5);
    attune::detail::condition c;
    c.scope = {a, b};
    CHECK(attune::detail::open_scope(c, domains) == std::vector<std::uint32_t>{a});
}
