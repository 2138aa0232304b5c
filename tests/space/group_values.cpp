// tests/space/group_values.cpp - spaces with arrays and long permutations, counted and drawn exactly.
// SPDX-License-Identifier: MIT
#include <attune/space/chain_of_trees.hpp>
// and what the tests need besides
#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/lower.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/exact_size.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <vector>

using attune::chain_of_trees;
using attune::description;
using attune::exact_integer;
using attune::point;
using attune::random_engine;
using order = std::vector<std::uint16_t>;

namespace {

template <class Pack>
chain_of_trees built(Pack const& typed)
{
    return chain_of_trees{attune::bind_inputs(attune::lower(typed))};
}

exact_integer factorial(unsigned n)
{
    exact_integer out = 1;
    for (unsigned i = 2; i <= n; ++i)
        out *= i;
    return out;
}

constexpr auto order13 = attune::permutation<"P", 13>();
constexpr auto order1024 = attune::permutation<"P", 1024>();
constexpr auto cut = attune::array_of<4>(attune::integer<"CUT">(0, 5));
constexpr auto on = attune::boolean<"ON">();

/// All settings of four whole numbers from 0 to 5.
template <class Visit>
void for_all_cuts(Visit const& visit)
{
    for (std::uint32_t i = 0; i < 6 * 6 * 6 * 6; ++i)
        visit(std::array{i / 216, i / 36 % 6, i / 6 % 6, i % 6});
}

} // namespace

TEST_CASE("a permutation of n items has n! configurations, each with a number")
{
    CHECK(built(attune::space(order13)).size() == 6'227'020'800U);
    chain_of_trees const many = built(attune::space(order1024));
    CHECK(attune::exact_size(many) == factorial(1024));
    random_engine engine(1);
    for (int draw = 0; draw < 5; ++draw) {
        point const p = many.sample(engine);
        CHECK(many.contains(p));
        auto const index = many.index_of(p);
        REQUIRE(index);
        exact_integer const number = attune::to_integer(many, *index);
        CHECK(number < factorial(1024));
        CHECK(many.at(attune::from_integer(many, number)) == p);
    }
}

TEST_CASE("the numbers of orders ascend as the orders do")
{
    chain_of_trees const space = built(attune::space(order13));
    random_engine engine(2);
    for (int draw = 0; draw < 200; ++draw) {
        std::uint64_t const number = attune::uniform_below(engine, 6'227'020'799U);
        order const a = attune::detail::order_of(space.describe(), 0, space.at(number));
        order b = a;
        CHECK(std::next_permutation(b.begin(), b.end()));
        CHECK(attune::detail::order_of(space.describe(), 0, space.at(number + 1)) == b);
    }
}

TEST_CASE("samples have each item at each place equally often")
{
    // 13 x 13 counts with fixed sums of rows and columns: the chi-square over n / 13 times 12 / 13
    // has (13 - 1)^2 = 144 degrees of freedom, and is above 200 for one seed in a thousand.
    chain_of_trees const space = built(attune::space(order13));
    random_engine engine(3);
    constexpr int draws = 26'000;
    std::array<std::array<int, 13>, 13> seen{};
    for (int draw = 0; draw < draws; ++draw) {
        order const items = attune::detail::order_of(space.describe(), 0, space.sample(engine));
        for (std::size_t place = 0; place < 13; ++place)
            ++seen[place][items[place]];
    }
    double chi_square = 0;
    for (auto const& row : seen)
        for (int const times : row)
            chi_square += (times - draws / 13.0) * (times - draws / 13.0) / (draws / 13.0);
    CHECK(chi_square * 12 / 13 < 200);
    CHECK(chi_square * 12 / 13 > 96); // nor evener than chance: 1 in 1000 is below
}

TEST_CASE("neighbours of an order are other orders by one swap")
{
    chain_of_trees const space = built(attune::space(on, order13));
    random_engine engine(4);
    point const p = space.sample(engine);
    order const here = attune::detail::order_of(space.describe(), 1, p);
    std::set<order> others;
    for (point const& q : space.neighbours(p)) {
        CHECK(space.contains(q));
        order const there = attune::detail::order_of(space.describe(), 1, q);
        if (there == here) {
            CHECK(q[0].index != p[0].index);
            continue;
        }
        int moved = 0;
        for (std::size_t i = 0; i < there.size(); ++i)
            moved += there[i] != here[i] ? 1 : 0;
        CHECK(moved == 2);
        others.insert(there);
    }
    CHECK(others.size() >= 12); // one step of each digit at least
    CHECK(others.size() <= 24);
}

TEST_CASE("an array in constraints has the configurations that brute force finds")
{
    chain_of_trees const space = built(attune::space(cut, on).where(
        cut[0] <= cut[1], cut[1] <= cut[2], cut[2] <= cut[3], on || cut[3] * 2 < 9));
    std::set<std::vector<std::uint32_t>> expected;
    for_all_cuts([&](std::array<std::uint32_t, 4> c) {
        for (std::uint32_t flag = 0; flag < 2; ++flag)
            if (std::is_sorted(c.begin(), c.end()) && (flag != 0 || c[3] * 2 < 9))
                expected.insert({c[0], c[1], c[2], c[3], flag});
    });
    REQUIRE(space.size() == expected.size());
    std::set<std::vector<std::uint32_t>> found;
    for (std::uint64_t i = 0; i < expected.size(); ++i) {
        std::vector<std::uint32_t> values;
        for (attune::coordinate const at : space.at(i))
            values.push_back(at.index);
        found.insert(values);
    }
    CHECK(found == expected);
}

TEST_CASE("a predicate over an array accepts what it accepts")
{
    chain_of_trees const space = built(attune::space(cut).where(attune::predicate(
        cut, [](std::array<int, 4> const& c) { return c[0] + c[1] + c[2] + c[3] == 7; })));
    std::uint64_t expected = 0;
    for_all_cuts([&](std::array<std::uint32_t, 4> c) {
        expected += c[0] + c[1] + c[2] + c[3] == 7 ? 1U : 0U;
    });
    CHECK(space.size() == expected);
}

TEST_CASE("an inactive array stands at its default, with all elements")
{
    constexpr auto inner = cut.with_default({3, 1, 4, 1}).active_if(on);
    chain_of_trees const space = built(attune::space(on, inner));
    CHECK(space.size() == 6 * 6 * 6 * 6 + 1);
    random_engine engine(5);
    int off = 0;
    for (int draw = 0; draw < 5000; ++draw) {
        point const p = space.sample(engine);
        if (p[0].index != 0) continue;
        ++off;
        CHECK(attune::text_of(space.describe(), p) == "ON=false CUT=(inactive)");
        auto const at = attune::detail::elements_in(space.describe(), 1, p);
        CHECK(at[0].index == 3);
        CHECK(at[1].index == 1);
        CHECK(at[2].index == 4);
        CHECK(at[3].index == 1);
    }
    CHECK(off > 0);
    CHECK(off < 30); // 3.9 are expected
}

TEST_CASE("counts by value leave out parameters with too many values on demand")
{
    chain_of_trees const space =
        built(attune::space(attune::integer<"A">(0, 99), cut).where(cut[0] < cut[1]));
    attune::marginals const all(space);
    attune::marginals const few(space, 50);
    CHECK(all.leaves(0).size() == 100);
    CHECK(few.leaves(0).empty());
    CHECK(few.tree_of(0) == all.tree_of(0));
    for (std::uint32_t i = 1; i <= 4; ++i)
        CHECK(std::equal(all.leaves(i).begin(), all.leaves(i).end(), few.leaves(i).begin(),
                         few.leaves(i).end()));
    CHECK(attune::marginals(space, 100).leaves(0).size() == 100);
}
