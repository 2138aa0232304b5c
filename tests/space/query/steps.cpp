// tests/space/query/steps.cpp : mirrors include/attune/space/query/steps.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/steps.hpp>

#include <doctest/doctest.h>
#include <set>
#include <vector>

#include "../space_writer.hpp"

using attune::coordinate;
using attune_tests::space_writer;

namespace {

std::multiset<std::uint32_t> steps(attune::parameter_description const& parameter, std::uint32_t at)
{
    std::multiset<std::uint32_t> out;
    attune::detail::for_each_step(parameter, {at, 0}, [&](coordinate c) {
        out.insert(c.index);
        return true;
    });
    return out;
}

} // namespace

TEST_CASE("ordered parameters step to the next value that is taken, in both directions")
{
    space_writer w;
    w.range("a", 0, 9);
    CHECK(steps(w.out.parameters[0], 4) == std::multiset<std::uint32_t>{3, 5});
    CHECK(steps(w.out.parameters[0], 0) == std::multiset<std::uint32_t>{1});
    CHECK(steps(w.out.parameters[0], 9) == std::multiset<std::uint32_t>{8});
    std::vector<std::uint32_t> taken;
    attune::detail::for_each_step(w.out.parameters[0], {4, 0}, [&](coordinate c) {
        bool const take = c.index % 4 == 0;
        if (take) taken.push_back(c.index);
        return take;
    });
    CHECK(taken == std::vector<std::uint32_t>{0, 8});
}

TEST_CASE("unordered parameters step to every other value")
{
    space_writer w;
    w.labels("a", {"x", "y", "z"});
    w.boolean("b");
    CHECK(steps(w.out.parameters[0], 1) == std::multiset<std::uint32_t>{0, 2});
    CHECK(steps(w.out.parameters[1], 0) == std::multiset<std::uint32_t>{1});
}

TEST_CASE("a permutation of n items has n (n - 1) / 2 different swaps")
{
    space_writer w;
    w.permutation("p", 4);
    for (std::uint32_t at = 0; at < 24; ++at) {
        auto const near = steps(w.out.parameters[0], at);
        CHECK(near.size() == 6);
        CHECK(std::set<std::uint32_t>(near.begin(), near.end()).size() == 6);
        CHECK(near.count(at) == 0);
    }
}

TEST_CASE("a tile moves one prime factor to another place")
{
    space_writer w;
    w.tile("t", 12, 2); // rows: 1x12 2x6 3x4 4x3 6x2 12x1
    auto const& t = w.out.parameters[0];
    CHECK(steps(t, 0) == std::multiset<std::uint32_t>{1, 2});
    CHECK(steps(t, 1) == std::multiset<std::uint32_t>{0, 3, 4});
    CHECK(steps(t, 5) == std::multiset<std::uint32_t>{4, 3});
}

TEST_CASE("a real parameter moves 5 % of its scale and stops at its ends")
{
    space_writer w;
    w.real("x", 0, 20);
    w.real("y", 1, 1e20, attune::scale::log);
    auto const moves = [](attune::parameter_description const& p, double at) {
        std::vector<double> out;
        attune::detail::for_each_step(p, {0, at}, [&](coordinate c) {
            out.push_back(c.real);
            return true;
        });
        return out;
    };
    auto const middle = moves(w.out.parameters[0], 10);
    REQUIRE(middle.size() == 2);
    CHECK(middle[0] == doctest::Approx(9));
    CHECK(middle[1] == doctest::Approx(11));
    CHECK(moves(w.out.parameters[0], 20).size() == 1);
    auto const near_end = moves(w.out.parameters[0], 19.5);
    REQUIRE(near_end.size() == 2);
    CHECK(near_end[1] == 20);
    auto const decade = moves(w.out.parameters[1], 1e10);
    REQUIRE(decade.size() == 2);
    CHECK(decade[0] == doctest::Approx(1e9));
    CHECK(decade[1] == doctest::Approx(1e11));
}

TEST_CASE("scale_value inverts scale_position")
{
    space_writer w;
    w.real("x", -3, 5);
    w.real("y", 0.25, 64, attune::scale::log);
    w.real("z", 2, 2);
    for (double const u : {0.0, 0.125, 0.5, 1.0})
        for (std::size_t i = 0; i < 2; ++i) {
            double const v = attune::detail::scale_value(w.out.parameters[i], u);
            CHECK(attune::detail::scale_position(w.out.parameters[i], v) == doctest::Approx(u));
        }
    CHECK(attune::detail::scale_value(w.out.parameters[0], 0.5) == 1);
    CHECK(attune::detail::scale_value(w.out.parameters[1], 0.5) == doctest::Approx(4));
    CHECK(attune::detail::scale_position(w.out.parameters[2], 2) == 0);
    CHECK(attune::detail::scale_value(w.out.parameters[2], 0.7) == 2);
}
