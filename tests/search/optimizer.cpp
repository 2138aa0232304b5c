// tests/search/optimizer.cpp - ask and tell with typed configurations.
// SPDX-License-Identifier: MIT
#include <attune/search/optimizer.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/operators.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/search/exhaustive.hpp>
#include <attune/search/random.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

using attune::failure;
using attune::failure_stage;
using attune::measurement;
using attune::outcome;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto x = attune::ordinal<"X">(attune::range(0, 5));
constexpr auto y = attune::ordinal<"Y">(attune::range(0, 5));
constexpr auto space = attune::space(x, y).where(x + y <= 6);
constexpr auto started = attune::space(x.with_default(3), y.with_default(2)).where(x + y <= 6);
constexpr int valid_points = 36 - 10; // x + y in 7..10: 4 + 3 + 2 + 1

attune::optimizer_options walking()
{
    return {.search = attune::search_with<attune::exhaustive_searcher>()};
}
attune::optimizer_options drawing(std::uint64_t seed)
{
    return {.seed = seed, .search = attune::search_with<attune::random_searcher>()};
}

template <class Config>
std::pair<int, int> pair_of(Config const& c)
{
    return {c[x], c[y]};
}

template <class Optimizer>
std::vector<std::pair<int, int>> walk(Optimizer& opt, int count)
{
    std::vector<std::pair<int, int>> out;
    for (int i = 0; i < count; ++i) {
        auto const c = opt.ask();
        if (!c) break;
        out.push_back(pair_of(*c));
        int const dx = (*c)[x] - 4;
        int const dy = (*c)[y] - 1;
        opt.tell(*c, static_cast<double>(dx * dx + dy * dy));
    }
    return out;
}

bool has(std::string const& text, std::string const& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("the default configuration is asked first and once")
{
    for (attune::optimizer_options const& options :
         {walking(), drawing(7), attune::optimizer_options{}}) {
        attune::optimizer opt{started, options};
        auto const asked = walk(opt, valid_points + 5);
        REQUIRE(!asked.empty());
        CHECK(asked.front() == std::pair{3, 2});
        std::set<std::pair<int, int>> const different(asked.begin(), asked.end());
        CHECK(different.size() == asked.size());
        CHECK(asked.size() == valid_points);
    }
}

TEST_CASE("a batch begins with the default too and does not repeat it")
{
    attune::optimizer opt{started, walking()};
    auto const batch = opt.ask(100);
    REQUIRE(batch.size() == valid_points);
    CHECK(pair_of(batch.front()) == std::pair{3, 2});
    std::set<std::pair<int, int>> different;
    for (auto const& c : batch)
        different.insert(pair_of(c));
    CHECK(different.size() == valid_points);
}

TEST_CASE("when a parameter has no default the searcher begins")
{
    attune::optimizer opt{attune::space(x.with_default(5), y), walking()};
    auto const first = opt.ask();
    REQUIRE(first);
    CHECK(pair_of(*first) == std::pair{0, 0});
}

TEST_CASE("the same seed and the same outcomes give the same run, another seed another one")
{
    for (bool const bayesian : {false, true}) {
        auto const run = [&](std::uint64_t seed) {
            attune::optimizer opt{
                space, bayesian ? attune::optimizer_options{.seed = seed} : drawing(seed)};
            return walk(opt, 14);
        };
        CHECK(run(1) == run(1));
        CHECK(run(1) != run(2));
    }
}

TEST_CASE("ask(k) gives k different configurations that keep the constraints")
{
    attune::optimizer opt{space, {.seed = 3}};
    std::set<std::pair<int, int>> different;
    for (int round = 0; round < 3; ++round) {
        auto const batch = opt.ask(4);
        CHECK(batch.size() == 4);
        for (auto const& c : batch) {
            CHECK(c[x] + c[y] <= 6);
            different.insert(pair_of(c));
            opt.tell(c, static_cast<double>(c[x]));
        }
    }
    CHECK(different.size() == 12);
    CHECK(opt.ask(0).empty());
}

TEST_CASE("an exhausted space gives nothing, and stays so")
{
    attune::optimizer opt{space, walking()};
    CHECK(walk(opt, 1000).size() == valid_points);
    CHECK(!opt.ask());
    CHECK(opt.ask(3).empty());
}

TEST_CASE("the best is the lowest value told, whatever the order")
{
    attune::optimizer opt{space, walking()};
    CHECK(!opt.best());
    CHECK(!opt.best_value());
    auto const batch = opt.ask(4);
    REQUIRE(batch.size() == 4);
    opt.tell(batch[2], 5.0);
    opt.tell(batch[0], failure{failure_stage::crash, "boom"});
    opt.tell(batch[1], 2.0);
    opt.tell(batch[3], 9.0);
    REQUIRE(opt.best());
    CHECK(*opt.best() == batch[1]);
    CHECK(*opt.best_value() == 2.0);
    walk(opt, 1000);
    CHECK(pair_of(*opt.best()) == std::pair{4, 1});
}

TEST_CASE("what is not finite is a failure, never the best")
{
    double const nan = std::nan("");
    double const infinite = std::numeric_limits<double>::infinity();
    attune::optimizer opt{space, walking()};
    auto const batch = opt.ask(5);
    opt.tell(batch[0], nan);
    opt.tell(batch[1], -infinite);
    opt.tell(batch[2], outcome{measurement::exact(nan)});
    opt.tell(batch[3], outcome{measurement::exact(-infinite)});
    CHECK(!opt.best());
    opt.tell(batch[4], 3.0);
    REQUIRE(opt.best_value());
    CHECK(*opt.best_value() == 3.0);
}

TEST_CASE("a configuration that was never asked may be told, one outside the space may not")
{
    using config = attune::optimizer<std::remove_const_t<decltype(space)>>::config_type;
    attune::optimizer opt{space, walking()};
    opt.tell(config{0, 0}, 1.5);
    CHECK(*opt.best_value() == 1.5);
    auto const next = opt.ask();
    REQUIRE(next);
    CHECK(pair_of(*next) != std::pair{0, 0});
    for (config const outside : {config{5, 5}, config{77, 0}}) {
        try {
            opt.tell(outside, 0.5);
            FAIL("no error");
        } catch (attune::error const& e) {
            CHECK(has(e.what(), "not in the space"));
            CHECK(!e.next().empty());
        }
    }
    CHECK(*opt.best_value() == 1.5);
}

TEST_CASE("inputs are given with the options")
{
    constexpr auto sized = attune::space(x, y).where(x + y <= n);
    attune::optimizer opt{
        sized, {.search = attune::search_with<attune::exhaustive_searcher>(), .inputs = {n(1)}}};
    CHECK(opt.ask(100).size() == 3); // (0,0) (0,1) (1,0)
    CHECK_THROWS_AS(attune::optimizer{sized}, attune::error);
}

TEST_CASE("defaults that break a constraint are refused, and the constraint is named")
{
    constexpr auto bad = attune::space(x.with_default(5), y.with_default(4)).where(x + y <= 6);
    try {
        attune::optimizer opt{bad, walking()};
        FAIL("no error");
    } catch (attune::error const& e) {
        CHECK(has(e.what(), "X + Y <= 6"));
        CHECK(has(e.what(), "X=5 Y=4"));
    }
}

TEST_CASE("an optimizer may be moved, and asks on where it was")
{
    attune::optimizer opt{started, walking()};
    (void)opt.ask();
    attune::optimizer moved{std::move(opt)};
    CHECK(moved.ask(100).size() == valid_points - 1);
}
