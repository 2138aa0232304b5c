// tests/search/two_level/score_optimizer.cpp : the process against its equations, memory, and what it finds
// SPDX-License-Identifier: MIT
#include <attune/search/two_level/detail/score_optimizer.hpp>

#include <attune/core/random.hpp>
#include <attune/search/two_level/two_level_search.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <optional>
#include <vector>

#include "../../support/search_spaces.hpp"

namespace {

using attune::point;
using attune::detail::score_optimizer;
using attune::detail::score_optimizer_base;
using attune::detail::score_process;

point at(std::uint32_t x, std::uint32_t y) { return {{x, 0}, {y, 0}}; }

/// Highest at (23, 6) of a grid.
double hill(point const& p)
{
    double const x = static_cast<double>(p[0].index) - 23;
    double const y = static_cast<double>(p[1].index) - 6;
    return std::exp(-(x * x + y * y) / 200);
}

attune::two_level_options with(attune::suggestion_rule rule)
{
    attune::two_level_options out;
    out.rule = rule;
    return out;
}

} // namespace

TEST_CASE("the process is the one of the published search: Matern-5/2 over ranks, noise 1e-6")
{
    attune::chain_of_trees const grid = search_spaces::grid(30);
    score_optimizer_base const base = attune::detail::base_of(grid, {});
    CHECK(base.unit == std::vector<double>{29, 29});
    score_process process(base.features, base.unit);
    attune::random_engine engine(1);
    std::vector<point> seen;
    std::vector<double> scores;
    attune::feature_table table;
    std::vector<point> asked;
    for (std::uint32_t i = 0; i < 12; ++i) {
        asked.push_back(at(2 * i, 29 - i));
        base.features.append(asked.back(), table);
    }
    process.assign(table);
    auto const compare = [&] {
        process.update();
        double const length = std::exp(process.log_length());
        auto const n = static_cast<Eigen::Index>(seen.size());
        auto const kernel = [&](point const& a, point const& b) {
            double const x = static_cast<double>(a[0].index) - static_cast<double>(b[0].index);
            double const y = static_cast<double>(a[1].index) - static_cast<double>(b[1].index);
            double const s = std::sqrt(5 * (x * x + y * y)) / length;
            return (1 + s + s * s / 3) * std::exp(-s);
        };
        Eigen::MatrixXd K(n, n);
        Eigen::VectorXd values(n);
        for (Eigen::Index i = 0; i < n; ++i) {
            values[i] = -scores[static_cast<std::size_t>(i)];
            for (Eigen::Index j = 0; j < n; ++j)
                K(i, j) =
                    kernel(seen[static_cast<std::size_t>(i)], seen[static_cast<std::size_t>(j)]);
            K(i, i) += 1e-6;
        }
        double const mean = values.mean();
        double const deviation = std::sqrt((values.array() - mean).square().mean());
        values = ((values.array() - mean) / deviation).matrix();
        Eigen::LLT<Eigen::MatrixXd> const llt(K);
        for (std::size_t c = 0; c < asked.size(); ++c) {
            Eigen::VectorXd k(n);
            for (Eigen::Index i = 0; i < n; ++i)
                k[i] = kernel(asked[c], seen[static_cast<std::size_t>(i)]);
            auto const row = static_cast<Eigen::Index>(c);
            CHECK(process.mean()[row] == doctest::Approx(k.dot(llt.solve(values))).epsilon(1e-4));
            CHECK(process.variance()[row] ==
                  doctest::Approx(1 - k.dot(llt.solve(k))).epsilon(1e-3));
        }
        double const best = (-*std::max_element(scores.begin(), scores.end()) - mean) / deviation;
        CHECK(process.best() == doctest::Approx(best));
    };
    for (int i = 0; i < 20; ++i) {
        seen.push_back(grid.sample(engine));
        scores.push_back(hill(seen.back()));
        process.observe(seen.back(), scores.back());
        if (i == 3 || i == 10 || i == 19) compare();
    }
    seen.erase(seen.begin());
    scores.erase(scores.begin());
    process.forget(0);
    compare();
    scores[4] = 0.9;
    process.revise(4, 0.9);
    compare();
}

TEST_CASE("every rule climbs a hill of 900 configurations within 60 suggestions")
{
    using enum attune::suggestion_rule;
    attune::chain_of_trees const grid = search_spaces::grid(30);
    for (attune::suggestion_rule const rule :
         {probability_of_improvement, expected_improvement, confidence_bound})
        for (auto const encoding :
             {attune::decision_encoding::ranks, attune::decision_encoding::features}) {
            attune::two_level_options options = with(rule);
            options.encoding = encoding;
            score_optimizer_base const base = attune::detail::base_of(grid, options);
            score_optimizer group(base, options);
            attune::random_engine engine(2);
            group.register_input(at(1, 28), hill(at(1, 28)));
            group.begin_input(at(1, 28), engine);
            double best = 0;
            for (int i = 0; i < 60; ++i) {
                std::optional<point> const p = group.suggest(engine);
                REQUIRE(p);
                CHECK_FALSE(group.remembers(*p));
                group.learn(*p, hill(*p));
                best = std::max(best, hill(*p));
            }
            CHECK(best > 0.97);
        }
}

TEST_CASE("suggestions keep the other parameters of their input where one optimizer has all inputs")
{
    attune::two_level_options options;
    options.role = [](attune::description const&, std::uint32_t p) {
        return p == 1 ? attune::decision_role::design : attune::decision_role::tuned;
    };
    score_optimizer_base const base = attune::detail::base_of(search_spaces::grid(30), options);
    score_optimizer all(base, options);
    all.register_input(at(3, 0), 0.1);
    all.register_input(at(9, 1), 0.9); // the best, of another design
    attune::random_engine engine(7);
    all.begin_input(at(3, 0), engine);
    for (int i = 0; i < 20; ++i) {
        std::optional<point> const p = all.suggest(engine);
        REQUIRE(p);
        CHECK((*p)[1].index == 0);
        all.learn(*p, 0.1);
    }
}

TEST_CASE("a full memory is reset to the inputs, or forgets the oldest")
{
    attune::chain_of_trees const grid = search_spaces::grid(30);
    attune::two_level_options options;
    options.memory_limit = 10;
    score_optimizer_base const base = attune::detail::base_of(grid, options);
    auto const fill = [&](score_optimizer& group) {
        group.register_input(at(20, 20), 0.5);
        group.register_input(at(21, 21), 0.6);
        for (std::uint32_t i = 0; i < 8; ++i)
            group.learn(at(i, 3), 0.01 * i);
        CHECK(group.size() == 10);
        group.learn(at(3, 3), 0.7); // known: not one more
        CHECK(group.size() == 10);
        group.learn(at(9, 9), 0.1);
    };
    score_optimizer forgetful(base, options);
    fill(forgetful);
    CHECK(forgetful.size() == 2);
    CHECK(forgetful.remembers(at(20, 20)));
    CHECK(forgetful.remembers(at(21, 21)));
    CHECK(forgetful.resets() == 1);

    options.memory = attune::optimizer_memory::least_recently_used;
    score_optimizer latest(base, options);
    fill(latest);
    CHECK(latest.size() == 10);
    CHECK_FALSE(latest.remembers(at(20, 20)));
    CHECK(latest.remembers(at(21, 21)));
    CHECK(latest.remembers(at(9, 9)));
}

TEST_CASE("suggestions end with the box, and stay in the constraints where that is asked")
{
    attune::chain_of_trees const space = search_spaces::constrained(); // 36 of 45
    for (bool const within : {false, true}) {
        attune::two_level_options options;
        options.within_constraints = within;
        score_optimizer_base const base = attune::detail::base_of(space, options);
        score_optimizer group(base, options);
        attune::random_engine engine(3);
        point const input = space.at(std::uint64_t{0});
        group.register_input(input, 0.1);
        group.begin_input(input, engine);
        std::size_t count = 1;
        while (std::optional<point> const p = group.suggest(engine)) {
            CHECK((!within || space.contains(*p)));
            group.learn(*p, space.contains(*p) ? 0.2 : 0);
            ++count;
        }
        CHECK(count == (within ? 36 : 45));
    }
}

TEST_CASE("domain reduction keeps suggestions in the window around the best")
{
    attune::chain_of_trees const grid = search_spaces::grid(200);
    attune::two_level_options options;
    options.reduces_domain = true;
    score_optimizer_base const base = attune::detail::base_of(grid, options);
    score_optimizer group(base, options);
    attune::random_engine engine(4);
    group.register_input(at(100, 50), 1);
    for (std::uint32_t i = 0; i < 25; ++i) // the best stays: .9^25 of 199 is 14
        group.learn(at(i, i), 0.1);
    group.begin_input(at(100, 50), engine);
    int near = 0;
    for (int i = 0; i < 60; ++i) {
        std::optional<point> const p = group.suggest(engine);
        REQUIRE(p); // a window that is used up begins again as the whole list
        bool const is_near = std::abs(static_cast<double>((*p)[0].index) - 100) <= 7 &&
                             std::abs(static_cast<double>((*p)[1].index) - 50) <= 7;
        if (near == i && is_near) ++near;
        group.learn(*p, 0.5);
    }
    CHECK(near >= 8);
    CHECK(near < 60);
}

namespace {

using window = attune::detail::domain_reduction;

double width(window const& w) { return w.high(0) - w.low(0); }

} // namespace

TEST_CASE("a window begins as the whole list and shrinks by eta where the best stays")
{
    window w({100});
    CHECK(w.low(0) == 0);
    CHECK(w.high(0) == 100);
    for (int i = 1; i <= 10; ++i) {
        w.move_to(std::vector{50.0});
        CHECK(width(w) == doctest::Approx(100 * std::pow(0.9, i)));
    }
}

TEST_CASE("a best that moves on keeps the width, one that goes to and fro narrows it")
{
    // Half a width to one side: d = 1 and c = 0, so gamma = .85 and lambda = .9 + (.85 - .9).
    window on({1000});
    on.move_to(std::vector{1000.0});
    CHECK(on.low(0) == doctest::Approx(1000 - 425.0));
    CHECK(on.high(0) == 1000); // clipped
    // Width 850. A step of 212.5 back: d = -.5, c = -.5, turn = -sqrt(.5);
    // gamma = ((1 - .7071) + (1 + .7071) .7) / 2 = .7439, lambda = .9 - .5 (.9 - .7439) = .8220.
    on.move_to(std::vector{787.5});
    CHECK(787.5 - on.low(0) == doctest::Approx(850 * 0.8220 / 2).epsilon(1e-4));
    window fro({1000});
    fro.move_to(std::vector{600.0}); // d = .2: lambda = .9 + .2 (.85 - .9) = .89
    fro.move_to(std::vector{689.0}); // d = .2: c = .04, turn = .2, gamma = .88
    CHECK(689 - fro.low(0) == doctest::Approx(1000 * 0.89 * (0.9 + 0.2 * (0.88 - 0.9)) / 2));
}

TEST_CASE("a window holds at least the next values and ends with the list")
{
    window w({7, 0});
    for (int i = 0; i < 200; ++i)
        w.move_to(std::vector{7.0, 0.0});
    CHECK(w.low(0) == 6);
    CHECK(w.high(0) == 7);
    CHECK(w.low(1) == 0);
    CHECK(w.high(1) == 0);
}
