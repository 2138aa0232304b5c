// tests/search/compose/operators.cpp : mirrors include/attune/search/compose/operators.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/compose/operators.hpp>

#include <attune/declare/group.hpp>
#include <attune/search/compose/order_operators.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <numeric>
#include <vector>

#include "../../support/search_spaces.hpp"

namespace search = attune::search;
using attune::coordinate;
using attune::point;
using search::gene;
using search::gene_view;
using search::item_order;

namespace {

enum place : std::uint32_t {
    interval,
    log_interval,
    listed,
    choice,
    flag,
    tiles,
    brief,
    digits,
    elements
};
constexpr std::uint32_t items = 15;
constexpr std::uint32_t length = 6;

/// One parameter of each kind; a permutation of 5 items and one of 15; an array of 6 whole numbers.
attune::description space_of_kinds()
{
    attune::description d;
    auto u = search_spaces::real("u", -1, 3);
    auto v = search_spaces::real("v", 1, 1024);
    v.on = attune::scale::log;
    d.parameters = {u,
                    v,
                    search_spaces::ordinal("listed", {1, 2, 4, 8, 16, 100}),
                    search_spaces::categorical("choice", {"x", "y", "z"}),
                    search_spaces::boolean("flag"),
                    search_spaces::tile("tile", 64, 2),
                    search_spaces::permutation("order", 5)};
    d.groups.push_back({"long", attune::group_kind::permutation, digits, items - 1});
    for (std::uint32_t k = 0; k + 1 < items; ++k)
        d.parameters.push_back(search_spaces::counting("digit", items - k));
    d.groups.push_back({"array", attune::group_kind::array, digits + items - 1, length});
    for (std::uint32_t k = 0; k < length; ++k)
        d.parameters.push_back(search_spaces::counting("element", 10));
    return d;
}

/// The space, and the parameters of each gene.
struct room {
    attune::description space = space_of_kinds();
    std::vector<std::vector<std::uint32_t>> parameters;
    attune::random_engine engine{7};

    room()
    {
        for (std::uint32_t p = 0; p < digits; ++p)
            parameters.push_back({p});
        parameters.emplace_back(items - 1);
        std::iota(parameters.back().begin(), parameters.back().end(), std::uint32_t{digits});
        parameters.emplace_back(length);
        std::iota(parameters.back().begin(), parameters.back().end(),
                  std::uint32_t{digits} + items - 1);
    }
    gene at(point& p, place which) const { return {space, parameters[which], p}; }
    gene_view at(point const& p, place which) const { return {space, parameters[which], p}; }
    point anywhere()
    {
        point out(space.parameters.size());
        for (std::size_t g = 0; g < parameters.size(); ++g)
            gene(space, parameters[g], out).draw(engine);
        return out;
    }
    /// What the operator makes of a child and other parents.
    template <class Op>
    point made(Op const& op, place which, point child, std::vector<point> const& others)
    {
        std::vector<gene_view> parents;
        for (point const& other : others)
            parents.push_back(at(other, which));
        if constexpr (requires { op(at(child, which), parents, engine); })
            op(at(child, which), parents, engine);
        else {
            std::vector<double> memory(16, 0);
            op(at(child, which), parents, engine, memory);
        }
        return child;
    }
    bool is_inside(point const& p) const
    {
        for (std::size_t i = 0; i < p.size(); ++i) {
            auto const& of = space.parameters[i];
            bool const is_valid = of.traits().is_interval
                                      ? p[i].real >= of.low && p[i].real <= of.high
                                      : p[i].index < of.value_count() && p[i].real == 0;
            if (!is_valid) return false;
        }
        return true;
    }
};

} // namespace

TEST_CASE("a gene reads and writes values of every kind")
{
    room r;
    point p = r.anywhere();
    CHECK(r.is_inside(p));
    gene const u = r.at(p, interval);
    CHECK(u.is_number());
    CHECK(u.is_real());
    u.set_value(2);
    CHECK(u.value() == 2);
    CHECK(u.share() == doctest::Approx(0.75));
    u.set_value(99);
    CHECK(u.value() == 3);
    u.set_share(-1);
    CHECK(u.value() == -1);
    gene const v = r.at(p, log_interval);
    v.set_share(0.5);
    CHECK(v.value() == doctest::Approx(32));
    gene const number = r.at(p, listed);
    CHECK(number.is_number());
    CHECK(number.low() == 1);
    CHECK(number.high() == 100);
    for (auto const& [wanted, is] : {std::pair{-5.0, 1.0},
                                     {3.0, 2.0},
                                     {3.1, 4.0},
                                     {50.0, 16.0},
                                     {59.0, 100.0},
                                     {1e300, 100.0}}) {
        number.set_value(wanted);
        CHECK(number.value() == is);
    }
    for (place const which : {brief, digits}) {
        gene const order = r.at(p, which);
        CHECK(order.is_order());
        CHECK(!order.is_number());
        CHECK(!order.is_array());
        item_order wanted(which == brief ? 5 : items);
        std::iota(wanted.begin(), wanted.end(), std::uint16_t{0});
        std::reverse(wanted.begin(), wanted.end());
        order.set_order(wanted);
        CHECK(order.order() == wanted);
    }
    CHECK(r.at(p, elements).is_array());
    CHECK(r.at(p, elements).element(2).is_number());
    point q = r.anywhere();
    for (place const which : {interval, listed, choice, flag, tiles, brief, digits, elements}) {
        r.at(q, which).copy(r.at(std::as_const(p), which));
        CHECK(r.at(q, which).same_as(r.at(std::as_const(p), which)));
    }
    r.at(q, listed).set({(q[listed].index + 1) % 6, 0});
    CHECK(!r.at(q, listed).same_as(r.at(std::as_const(p), listed)));
}

TEST_CASE("a gene draws every order and every value equally often")
{
    room r;
    std::map<std::uint32_t, int> tile_count;
    std::map<std::uint16_t, int> first_count;
    constexpr int rounds = 15000;
    for (int i = 0; i < rounds; ++i) {
        point const p = r.anywhere();
        ++tile_count[p[tiles].index];
        ++first_count[r.at(p, digits).order().front()];
    }
    auto const chi_square = [](auto const& counts, std::size_t classes) {
        double const expected = static_cast<double>(rounds) / static_cast<double>(classes);
        double out = 0;
        for (auto const& [value, count] : counts)
            out += (count - expected) * (count - expected) / expected;
        return out + expected * static_cast<double>(classes - counts.size());
    };
    CHECK(chi_square(tile_count, 7) < 22.5);   // 6 degrees of freedom, 0.999
    CHECK(chi_square(first_count, 15) < 36.1); // 14 degrees of freedom, 0.999
}

TEST_CASE_TEMPLATE("operators stay inside the space, change only their gene and are repeatable", Op,
                   search::noop, search::randomize, search::stochastic_mix, search::swarm,
                   search::set_linear, search::normal_mutation, search::scale, search::difference,
                   search::sum, search::number_swarm, search::flip, search::boolean_swarm,
                   search::array_cross, search::array_swarm, search::array_swarm_parallel,
                   search::small_random_change, search::random_swap, search::random_invert,
                   search::random_shift, search::random_move, search::random_reversal,
                   search::permutation_cross, search::px, search::pmx, search::cx, search::ox1,
                   search::ox3, search::permutation_swarm)
{
    room r;
    for (int round = 0; round < 60; ++round) {
        point const child = r.anywhere();
        std::vector<point> const others{r.anywhere(), r.anywhere(), r.anywhere()};
        for (place const which :
             {interval, log_interval, listed, choice, flag, tiles, brief, digits, elements}) {
            if constexpr (requires { typename Op::of; })
                if (!Op::of::holds(r.at(child, which))) continue;
            attune::random_engine const before = r.engine;
            point const after = r.made(Op{}, which, child, others);
            REQUIRE(r.is_inside(after));
            for (std::uint32_t i = 0; i < after.size(); ++i) {
                auto const& own = r.parameters[which];
                if (std::find(own.begin(), own.end(), i) == own.end())
                    REQUIRE(after[i] == child[i]);
            }
            r.engine = before;
            REQUIRE(r.made(Op{}, which, child, others) == after);
        }
    }
}

TEST_CASE("operators of numbers compute what the thesis says")
{
    room r;
    point a = r.anywhere();
    point b = r.anywhere();
    point c = r.anywhere();
    point child = r.anywhere();
    auto const give = [&](place which, double x, double xa, double xb, double xc) {
        r.at(child, which).set_value(x);
        r.at(a, which).set_value(xa);
        r.at(b, which).set_value(xb);
        r.at(c, which).set_value(xc);
    };
    auto const value = [&](point const& p, place which) { return r.at(p, which).value(); };
    give(interval, 0.5, -1, 0.25, 2);
    CHECK(value(r.made(search::noop{}, interval, child, {}), interval) == 0.5);
    CHECK(value(r.made(search::scale{3}, interval, child, {}), interval) == 1.5);
    CHECK(value(r.made(search::scale{30}, interval, child, {}), interval) == 3);
    CHECK(value(r.made(search::difference{}, interval, child, {a, b}), interval) == 1.25);
    CHECK(value(r.made(search::sum{}, interval, child, {a, b, c}), interval) == 1.25);
    CHECK(value(r.made(search::set_linear{1, 0.5, -0.5}, interval, child, {b, c, a}), interval) ==
          doctest::Approx(0.25 + 0.5 * (2 - -1)));
    give(listed, 4, 1, 8, 16);
    CHECK(value(r.made(search::scale{4.1}, listed, child, {}), listed) == 16);
    CHECK(value(r.made(search::difference{}, listed, child, {a, b}), listed) == 8); // 7 is nearest
    CHECK(value(r.made(search::sum{}, listed, child, {a, a}), listed) == 2);
    // By places in the table: 0 + (3 - 2) is 1.
    give(listed, 100, 1, 8, 4);
    CHECK(value(r.made(search::set_linear{1, 1, -1}, listed, child, {a, b, c}), listed) == 2);
    // A particle at its own best and at that of the swarm keeps its velocity alone, which is 0.
    give(interval, 0.5, 0.5, 0.5, 0.5);
    CHECK(value(r.made(search::number_swarm{}, interval, child, {a, b}), interval) == 0.5);
    double velocity = 1;
    std::vector<gene_view> const pulls{r.at(std::as_const(a), interval),
                                       r.at(std::as_const(b), interval)};
    r.at(a, interval).set_value(1.5);
    r.at(b, interval).set_value(0);
    search::number_swarm const by{.own = 0.5, .first = 0.6, .second = 0.8};
    by.move(r.at(child, interval), pulls, 0.25, 0.5, r.engine, velocity);
    CHECK(velocity == doctest::Approx(0.5 + 0.25 * 0.6 * 1 + 0.5 * 0.8 * -0.5));
    CHECK(value(child, interval) == doctest::Approx(0.5 + velocity));
}

TEST_CASE("whole and boolean particles follow the sigmoid of their velocity")
{
    room r;
    point child = r.anywhere();
    point const other = child;
    std::vector<gene_view> const pulls{r.at(other, flag), r.at(other, flag)};
    int count = 0;
    constexpr int rounds = 20000;
    for (int i = 0; i < rounds; ++i) {
        child[flag] = other[flag]; // no pull: the velocity stays
        double velocity = 1;
        search::boolean_swarm{}.move(r.at(child, flag), pulls, 0.5, 0.5, r.engine, velocity);
        CHECK(velocity == 1);
        count += child[flag].index == 1 ? 1 : 0;
    }
    double const p = 1 / (1 + std::exp(-1.0)); // 0.731
    double const deviation = std::sqrt(rounds * p * (1 - p));
    CHECK(std::abs(count - rounds * p) < 4.5 * deviation);

    std::vector<gene_view> const still{r.at(other, listed), r.at(other, listed)};
    child[listed] = other[listed];
    double velocity = std::log(3.0); // sigmoid: 0.75 of places 0 .. 5
    search::number_swarm{1, 0, 0, 0}.move(r.at(child, listed), still, 0.5, 0.5, r.engine, velocity);
    CHECK(child[listed].index == 4);
}

TEST_CASE("set_linear of other kinds keeps the first parent where the others agree")
{
    room r;
    for (int round = 0; round < 200; ++round) {
        point const child = r.anywhere();
        point const a = r.anywhere();
        point const b = r.anywhere();
        for (place const which : {interval, listed, choice, flag, tiles, brief, digits, elements}) {
            point const after = r.made(search::set_linear{}, which, child, {a, b, b});
            if (which == interval)
                CHECK(r.at(after, which).value() == doctest::Approx(r.at(a, which).value()));
            else
                CHECK(r.at(after, which).same_as(r.at(a, which)));
        }
        // a + (b - a) is b.
        for (place const which : {choice, flag, brief, digits, elements}) {
            point const after = r.made(search::set_linear{1, 1, -1}, which, child, {a, b, a});
            CHECK(r.at(after, which).same_as(r.at(b, which)));
        }
    }
}

TEST_CASE("mixes take values by their weights")
{
    room r;
    std::array<int, 3> count{};
    constexpr int rounds = 12000;
    for (int i = 0; i < rounds; ++i) {
        point child = r.anywhere();
        point first = child;
        point second = child;
        child[choice] = {0, 0};
        first[choice] = {1, 0};
        second[choice] = {2, 0};
        search::stochastic_mix const mix{{1, 0, 3}};
        ++count[r.made(mix, choice, child, {first, second})[choice].index];
    }
    CHECK(count[1] == 0);
    CHECK(std::abs(count[0] - rounds / 4) < 5 * 48); // standard deviation 47.4
    CHECK(search::stochastic_mix{{1, 0, 3}}.needs() == 3);
}

TEST_CASE("crosses of arrays and orders take every element from a parent")
{
    room r;
    for (int round = 0; round < 300; ++round) {
        point const child = r.anywhere();
        point const a = r.anywhere();
        point const b = r.anywhere();
        point const crossed = r.made(search::array_cross{0.5}, elements, child, {a, b});
        int from_b = 0;
        for (std::uint32_t const i : r.parameters[elements]) {
            REQUIRE((crossed[i] == a[i] || crossed[i] == b[i]));
            from_b += crossed[i] == a[i] ? 0 : 1;
        }
        CHECK(from_b <= 3); // half of six
        item_order const swapped =
            r.at(r.made(search::random_swap{}, digits, child, {a}), digits).order();
        item_order const before = r.at(a, digits).order();
        int moved = 0;
        for (std::size_t i = 0; i < items; ++i)
            moved += swapped[i] == before[i] ? 0 : 1;
        CHECK(moved == 2);
        CHECK(r.at(r.made(search::random_shift{}, digits, child, {a}), digits).order() != before);
    }
}

TEST_CASE("normal_mutation moves a number as a normal number does, and every table by a step")
{
    room r;
    point p = r.anywhere();
    double sum = 0;
    double squares = 0;
    constexpr int rounds = 20000;
    for (int i = 0; i < rounds; ++i) {
        r.at(p, interval).set_share(0.5);
        double const moved =
            r.at(r.made(search::normal_mutation{0.1}, interval, p, {}), interval).share() - 0.5;
        sum += moved;
        squares += moved * moved;
        p[listed] = {static_cast<std::uint32_t>(i % 6), 0};
        CHECK(r.made(search::normal_mutation{0.001}, listed, p, {})[listed] != p[listed]);
    }
    CHECK(std::abs(sum / rounds) < 0.004); // 5 standard errors: 0.0035
    CHECK(std::sqrt(squares / rounds) == doctest::Approx(0.1).epsilon(0.03)); // 0.5 % each
}
