// tests/search/transfer/other_programs.cpp - a search begins with what programs of other tasks say.
// SPDX-License-Identifier: MIT
#include <attune/search/transfer/other_programs.hpp>

#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/description.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../support/search_spaces.hpp"

namespace {

using attune::coordinate;
using attune::cost_samples;
using attune::point;
using attune::program_rows;

/// A product of n x n matrices in tiles of r x c x d elements, u steps unrolled.
struct tiled_product {
    double n, r, c, d, u;

    [[nodiscard]] double registers() const { return r * c / 8; }
    [[nodiscard]] double bytes() const { return 4 * (r * c + (r + c) * d); }
    /// Units of work: loads, what registers and a cache of 32 KiB do not hold, loops, and tails of
    /// tiles that do not divide n.
    [[nodiscard]] double seconds() const
    {
        auto const padded = [this](double tile) { return std::ceil(n / tile) * tile / n; };
        double const loads = 1 / r + 8 / c;
        double const spills = std::max(0.0, std::log2(registers() / 16));
        double const misses = std::max(0.0, std::log2(bytes() / (32 << 10)));
        double const loops = 1 / std::min(u, 4.0) + std::max(0.0, u - 4) / 16 + 2 / d;
        return std::pow(n, 3) * padded(r) * padded(c) * padded(d) *
               (1 + loads + spills + misses / 2 + loops / 2);
    }
    /// A row for what it loads and one for the product.
    [[nodiscard]] program_rows rows() const
    {
        auto const log = [](double v) { return std::log2(v + 1); };
        auto const tails = [this](double tile) { return std::ceil(n / tile) * tile / n; };
        return {{0, log(bytes()), log(n / d), log(d), log(r), log(c), tails(d), 0, 1,
                 log(registers()), log(n * n * n), log(u), log(r), log(c), tails(r) * tails(c),
                 log(d / u)},
                8};
    }
};

std::vector<std::int64_t> const tiles = {1, 4, 8, 16, 24, 32, 64, 128};

tiled_product product_at(double n, std::span<coordinate const> at)
{
    auto const tile = [](coordinate c) { return static_cast<double>(tiles[c.index]); };
    return {n, tile(at[0]), tile(at[1]), tile(at[2]), std::exp2(at[3].index)};
}

/// 8^3 * 4 configurations.
attune::description space_of(double n)
{
    attune::description d;
    for (char const* const name : {"ROWS", "COLUMNS", "DEPTH"})
        d.parameters.push_back(search_spaces::ordinal(name, tiles));
    d.parameters.push_back(search_spaces::ordinal("UNROLL", {1, 2, 4, 8}));
    d.rows = [n](attune::description const&, std::span<coordinate const> at) {
        return product_at(n, at).rows();
    };
    return d;
}

/// 60 random configurations of each of six sizes; 300 is none of them.
cost_samples products(std::function<double(tiled_product const&)> const& value_of)
{
    cost_samples out;
    attune::random_engine engine(7);
    for (double const n : {64, 100, 192, 256, 500, 1024}) {
        attune::chain_of_trees const space(space_of(n));
        attune::expected_rows const rows(space);
        for (int i = 0; i < 60; ++i) {
            point const at = space.sample(engine);
            out.add("size " + std::to_string(n), *rows.of(at), value_of(product_at(n, at)));
        }
    }
    return out;
}
cost_samples measured()
{
    return products([](tiled_product const& p) { return p.seconds(); });
}
/// The slowest ones are called the fastest.
cost_samples inverted()
{
    return products([](tiled_product const& p) { return 1e12 / p.seconds(); });
}
/// Times that have nothing to do with the programs.
cost_samples shuffled()
{
    attune::random_engine engine(11);
    return products(
        [&](tiled_product const& p) { return p.n * (1 + 20 * attune::uniform_unit(engine)); });
}

constexpr double unseen = 300;

/// The best by brute force over the best after each of so many evaluations, in (0, 1].
/// @param unit  seconds of a unit of work, which no sample tells
std::vector<double> shares(attune::description const& d, cost_samples const& others,
                           std::size_t evaluations, std::uint64_t seed, double unit)
{
    attune::chain_of_trees const space(d);
    double optimum = std::numeric_limits<double>::infinity();
    for (std::uint64_t i = 0; i < 8 * 8 * 8 * 4; ++i)
        optimum = std::min(optimum, product_at(unseen, space.at(i)).seconds());
    attune::search::automatic search(space, seed);
    search.learn_from(others);
    double best = std::numeric_limits<double>::infinity();
    std::vector<double> out;
    while (out.size() < evaluations) {
        point const at = search.ask(1).at(0);
        double const value = product_at(unseen, at).seconds();
        best = std::min(best, value);
        search.tell(at, attune::measurement::exact(unit * value));
        out.push_back(optimum / best);
    }
    return out;
}

/// Geometric means of shares() over seeds, by number of evaluations.
std::vector<double> mean_shares(attune::description const& d, cost_samples const& others,
                                std::size_t evaluations, std::uint64_t seeds, double unit = 1e-12)
{
    std::vector<double> out(evaluations, 1.0);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        std::vector<double> const one = shares(d, others, evaluations, seed, unit);
        for (std::size_t i = 0; i < evaluations; ++i)
            out[i] *= std::pow(one[i], 1.0 / static_cast<double>(seeds));
    }
    return out;
}

} // namespace

TEST_CASE("a place stands for the geometric mean of the slowdowns there")
{
    cost_samples samples;
    for (double const seconds : {4.0, 1.0, 2.0})
        samples.add("three", {{seconds}, 1}, seconds);
    for (double const seconds : {80.0, 10.0})
        samples.add("two", {{seconds}, 1}, seconds);
    samples.add("two", {{0}, 1}, std::nullopt); // failures have no time
    samples.add("one", {{7}, 1}, 7);            // nothing to compare with
    attune::detail::slowdown_by_place const slower(samples);
    REQUIRE(slower.is_known());
    CHECK(slower.log_at(1) == doctest::Approx(0));
    CHECK(slower.log_at(.5) == doctest::Approx((std::log(2) + std::log(8) / 2) / 2));
    CHECK(slower.log_at(.25) == doctest::Approx((std::log(8) / 2 + std::log(8) * .75) / 2));
    CHECK(slower.log_at(0) == doctest::Approx((std::log(4) + std::log(8)) / 2));
    CHECK(slower.log_at(1.5) == slower.log_at(1));
    CHECK(slower.log_at(-.5) == slower.log_at(0));
    cost_samples single;
    single.add("one", {{7}, 1}, 7);
    CHECK_FALSE(attune::detail::slowdown_by_place(single).is_known());
}

TEST_CASE("the session has most pairs of configurations in their order, and ways to the quickest")
{
    attune::chain_of_trees const space(space_of(unseen));
    auto const session = attune::detail::session_of_programs(space, measured());
    REQUIRE(session.has_value());
    CHECK(session->outcomes.size() > 1000);
    std::vector<double> said;
    std::vector<double> real;
    for (attune::past_outcome const& one : session->outcomes) {
        auto const number = [&](std::size_t p) { return std::stod(one.values[p]); };
        said.push_back(one.value.value());
        real.push_back(tiled_product{unseen, number(0), number(1), number(2), number(3)}.seconds());
    }
    double right = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < said.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (said[i] == said[j]) continue;
            pairs += 1;
            right += (said[i] < said[j]) == (real[i] < real[j]) ? 1 : 0;
        }
    CHECK(right / pairs > .85);
    auto const best = std::min_element(said.begin(), said.end()) - said.begin();
    CHECK(real[static_cast<std::size_t>(best)] <
          1.25 * *std::min_element(real.begin(), real.end()));
}

TEST_CASE("the values of the session are as large as the space expects in the mean")
{
    attune::description d = space_of(unseen);
    d.expected = [](std::span<coordinate const> at) { return 7e-3 * (1 + at[3].index % 2); };
    auto const session = attune::detail::session_of_programs(attune::chain_of_trees(d), measured());
    REQUIRE(session.has_value());
    CHECK(session->has_level);
    CHECK_FALSE(
        attune::detail::session_of_programs(attune::chain_of_trees(space_of(unseen)), measured())
            ->has_level);
    constexpr std::size_t random = 1000;
    REQUIRE(session->outcomes.size() >= random);
    double logs = 0;
    for (std::size_t i = 0; i < random; ++i)
        logs += std::log(session->outcomes[i].value.value()) / random;
    // Means of 64 and of 1000 draws, whose logarithms deviate by about 0.6.
    CHECK(std::abs(logs - std::log(7e-3 * std::sqrt(2))) < .3);
}

TEST_CASE("the first eight evaluations after other sizes are nearly the best, and not without")
{
    std::vector<double> const with = mean_shares(space_of(unseen), measured(), 8, 4);
    std::vector<double> const without = mean_shares(space_of(unseen), {}, 8, 4);
    CHECK(with.back() > .93);
    CHECK(without.back() < .85);
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(with[i] > without[i]);
}

TEST_CASE("programs with wrong times cost five evaluations at most")
{
    constexpr std::size_t late = 5;
    constexpr std::size_t count = 14;
    std::vector<double> const without = mean_shares(space_of(unseen), {}, count - late, 4);
    for (cost_samples const& wrong : {inverted(), shuffled()}) {
        for (double const unit : {1.0, 1e-12}) { // slower, and faster than the session says
            std::vector<double> const misled = mean_shares(space_of(unseen), wrong, count, 4, unit);
            for (std::size_t i = 0; i + late < count; ++i) {
                CAPTURE(i);
                CAPTURE(unit);
                CHECK(misled[i + late] >= without[i] - .05);
            }
        }
    }
}

TEST_CASE("a search ignores programs that say nothing of its space")
{
    attune::description const d = space_of(unseen);
    attune::description without_rows = d;
    without_rows.rows = {};
    attune::description no_programs = d;
    no_programs.rows = [](attune::description const&, std::span<coordinate const>) -> program_rows {
        throw attune::error("no program", "here", "try another one");
    };
    cost_samples narrow;
    for (double const seconds : {1.0, 2.0})
        narrow.add("other", {{seconds, 3, 4}, 3}, seconds);
    cost_samples failed;
    for (double const size : {8.0, 16.0})
        failed.add("failed", tiled_product{8, size, 8, 8, 1}.rows(), std::nullopt);
    auto const ignores = [](attune::description const& space, cost_samples const& others) {
        attune::chain_of_trees const tree(space);
        CHECK_FALSE(attune::detail::session_of_programs(tree, others));
        attune::any_searcher told = attune::search::automatic(tree, 5);
        CHECK(told.learn_from(others));
        attune::any_searcher untold = attune::search::automatic(tree, 5);
        CHECK(told.ask(4) == untold.ask(4));
    };
    ignores(d, {});
    ignores(d, narrow);
    ignores(d, failed);
    ignores(without_rows, measured());
    ignores(no_programs, measured());
}

TEST_CASE("configurations that stand for no program are no outcomes of the session")
{
    attune::description d = space_of(unseen);
    d.rows = [](attune::description const&, std::span<coordinate const> at) {
        if (at[3].index % 2 == 1) throw attune::error("no program", "here", "try another one");
        return product_at(unseen, at).rows();
    };
    auto const session = attune::detail::session_of_programs(attune::chain_of_trees(d), measured());
    REQUIRE(session.has_value());
    CHECK(session->outcomes.size() > 300);
    for (attune::past_outcome const& one : session->outcomes)
        CHECK((one.values[3] == "1" || one.values[3] == "4"));
}
