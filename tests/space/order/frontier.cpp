// tests/space/order/frontier.cpp : mirrors attune/space/order/frontier.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/order/frontier.hpp>

#include <attune/core/random.hpp>

#include <doctest/doctest.h>
#include <set>
#include <vector>

#include "../space_writer.hpp"

using attune::op;
using attune_tests::space_writer;
using set = attune::detail::parameter_set<1>;
using values = std::vector<attune::detail::frontier_value<1>>;

namespace {

set of(std::vector<std::size_t> const& members)
{
    set out;
    for (std::size_t const m : members)
        out.add(m);
    return out;
}

values frontier(space_writer const& w, std::vector<std::size_t> const& known)
{
    auto const conditions = attune::detail::conditions_of(w.out);
    std::vector<std::uint32_t> place_of;
    for (std::uint32_t p = 0; p < w.out.parameters.size(); ++p)
        place_of.push_back(p);
    values out;
    attune::detail::condition_shape<1>(w.out, conditions.front(), place_of)
        .append_frontier(of(known), out);
    return out;
}

/// a * b + c * d <= 10 over four parameters.
space_writer bilinear()
{
    space_writer w;
    for (char const* name : {"a", "b", "c", "d"})
        w.range(name, 1, 9);
    auto const left = w.join(op::multiply, w.read(0), w.read(1));
    auto const right = w.join(op::multiply, w.read(2), w.read(3));
    w.require(w.join(op::less_equal, w.join(op::add, left, right), w.literal(std::int64_t{10})),
              "a * b + c * d <= 10");
    return w;
}

} // namespace

TEST_CASE("a product that is known is one value, a factor without its partner another one")
{
    values const open = frontier(bilinear(), {0, 1, 2});
    REQUIRE(open.size() == 2);
    CHECK(open[0].reads == of({2}));
    CHECK(open[1].reads == of({0, 1}));
    CHECK(open[1].is_joint);
    CHECK(open[1].is_ordered);
    CHECK_FALSE(open[1].is_matched);
    CHECK(frontier(bilinear(), {}).empty());
}

TEST_CASE("terms of a sum that are known are one value")
{
    values const open = frontier(bilinear(), {0, 1, 2, 3});
    REQUIRE(open.size() == 1);
    CHECK(open[0].reads == of({0, 1, 2, 3}));
    CHECK(open[0].is_truth);
}

TEST_CASE("a remainder is not ordered, an equation only compares")
{
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.range(name, 1, 9);
    auto const rest = w.join(op::modulo, w.read(0), w.read(1));
    w.require(w.join(op::equal, rest, w.read(2)), "a % b == c");
    values const one = frontier(w, {0});
    REQUIRE(one.size() == 1);
    CHECK_FALSE(one[0].is_ordered);
    CHECK_FALSE(one[0].is_matched);
    values const two = frontier(w, {0, 1});
    REQUIRE(two.size() == 1);
    CHECK(two[0].is_matched);
}

TEST_CASE("a predicate needs every value as it is")
{
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.range(name, 1, 9);
    w.require_opaque({2, 0, 1}, [](auto const&, auto) { return true; }, "called");
    CHECK(frontier(w, {0, 2}).size() == 2);
}

TEST_CASE_TEMPLATE("a set has the members of std::set", set, attune::detail::parameter_set<1>,
                   attune::detail::parameter_set<3>)
{
    attune::random_engine engine(3);
    for (int i = 0; i < 100; ++i) {
        set a;
        set b;
        std::set<std::size_t> x;
        std::set<std::size_t> y;
        for (int k = 0; k < 20; ++k) {
            std::size_t const m = attune::uniform_below(engine, set::capacity);
            (k % 2 == 0 ? a : b).add(m);
            (k % 2 == 0 ? x : y).insert(m);
        }
        std::vector<std::size_t> members;
        (a | b).for_each([&](std::size_t k) { members.push_back(k); });
        std::set<std::size_t> both = x;
        both.insert(y.begin(), y.end());
        CHECK(members == std::vector<std::size_t>(both.begin(), both.end()));
        for (std::size_t k = 0; k < set::capacity; ++k) {
            CHECK((a & b).has(k) == (x.count(k) > 0 && y.count(k) > 0));
            CHECK((a - b).has(k) == (x.count(k) > 0 && y.count(k) == 0));
        }
        CHECK(a.is_inside(a | b));
        CHECK((a - b).is_inside(b) == (a - b).is_empty());
        CHECK((a - a).is_empty());
        CHECK((a | b) == (b | a));
    }
}
