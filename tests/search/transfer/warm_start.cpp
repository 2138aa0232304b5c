// tests/search/transfer/warm_start.cpp : mirrors include/attune/search/transfer/warm_start.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/transfer/warm_start.hpp>

#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/bayes/gp/conditional.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../support/past_sessions.hpp"
#include "../../support/search_spaces.hpp"

using attune::point;
using attune::detail::warm_start;

namespace {

/// Lowest at (x, y).
auto bowl(double x, double y)
{
    return [=](point const& p) -> std::optional<double> {
        double const u = p[0].index - x;
        double const v = p[1].index - y;
        return std::exp(0.02 * (u * u + v * v));
    };
}
std::optional<double> never(point const&) { return {}; }

warm_start start(attune::chain_of_trees const& space,
                 std::vector<attune::past_session> const& sessions,
                 attune::warm_start_options const& options = {},
                 attune::bayesian_options const& search = {})
{
    return warm_start(space, sessions, options, search);
}

} // namespace

TEST_CASE("what the sessions expect has mean 0 over the space, and at most deviation 1")
{
    attune::chain_of_trees const space = search_spaces::grid(12);
    warm_start const w = start(space, {past_sessions::of(space, 60, 1, bowl(2, 2), 3),
                                       past_sessions::of(space, 60, 2, bowl(9, 9), 1)});
    REQUIRE(w.size() == 2);
    CHECK(w.weights()[0] == doctest::Approx(0.75));
    CHECK(w.weights().sum() == doctest::Approx(1));
    CHECK(w.logarithmic());
    CHECK(w.unit() > 0);
    attune::feature_map const features(space);
    attune::feature_table all;
    for (std::uint64_t i = 0; i < 144; ++i)
        features.append(space.at(i), all);
    Eigen::MatrixXd const prior = w.prior(all);
    REQUIRE(prior.rows() == 144);
    for (Eigen::Index s = 0; s < 2; ++s) {
        CHECK(prior.col(s).mean() == doctest::Approx(0).epsilon(1e-9));
        double const deviation = std::sqrt(prior.col(s).squaredNorm() / 144);
        CHECK(deviation <= 1 + 1e-9);
        CHECK(deviation > 0.7);
    }
    CHECK(prior(2 * 12 + 2, 0) < prior(9 * 12 + 9, 0));
    CHECK(prior(2 * 12 + 2, 1) > prior(9 * 12 + 9, 1));
    // The same rows, not as the whole space.
    attune::feature_table some;
    for (std::size_t const i : {7u, 80u, 143u})
        attune::detail::gp::append_row(all, i, some);
    Eigen::MatrixXd const few = w.prior(some);
    CHECK((few.row(1) - prior.row(80)).norm() < 1e-9);
    CHECK((few.row(2) - prior.row(143)).norm() < 1e-9);
    CHECK(w.hyper().theta.size() == static_cast<Eigen::Index>(features.count()) + 3);
    CHECK(w.trust() > 0.5);
    CHECK(w.trust() <= 1);
    attune::random_engine engine(7);
    auto const noise = [&](point const&) {
        return std::optional(1 + attune::uniform_unit(engine));
    };
    CHECK(start(space, {past_sessions::of(space, 80, 3, noise)}).trust() < 0.5);
}

TEST_CASE("sessions in which nothing worked, or that weigh nothing, say nothing")
{
    attune::chain_of_trees const space = search_spaces::grid(6);
    CHECK(start(space, {}).empty());
    CHECK(start(space, {past_sessions::of(space, 9, 1, never)}).empty());
    CHECK(start(space, std::vector<attune::past_session>(1)).empty());
    CHECK(start(space, {past_sessions::of(space, 9, 1, bowl(1, 1), 0)}).empty());
    CHECK(start(space, {past_sessions::of(space, 9, 1, bowl(1, 1),
                                          std::numeric_limits<double>::quiet_NaN())})
              .empty());
    CHECK(start(space, {past_sessions::of(space, 9, 1, never)}).portfolio(3).empty());
    CHECK(start(space,
                {past_sessions::of(space, 9, 1, never), past_sessions::of(space, 9, 1, bowl(1, 1))})
              .size() == 1);
}

TEST_CASE("the sessions of the highest weights count, and of long ones the best outcomes")
{
    attune::chain_of_trees const space = search_spaces::grid(12);
    attune::warm_start_options options;
    options.most_sessions = 1;
    options.most_outcomes = 30;
    warm_start const w = start(space,
                               {past_sessions::of(space, 60, 1, bowl(2, 2), 0.1),
                                past_sessions::of(space, 140, 2, bowl(9, 9), 0.9)},
                               options);
    REQUIRE(w.size() == 1);
    point const first = w.portfolio(1).front();
    CHECK(std::abs(first[0].index - 9.0) <= 1);
    CHECK(std::abs(first[1].index - 9.0) <= 1);
}

TEST_CASE("of one outcome, or of two, the best is what is tried first")
{
    attune::chain_of_trees const space = search_spaces::grid(12);
    auto const row = [](std::string x, std::string y, std::optional<double> value) {
        return attune::past_outcome{{std::move(x), std::move(y)}, value};
    };
    attune::past_session winner = past_sessions::of(space, 0, 1, never);
    winner.outcomes = {row("7", "4", 0.5)};
    warm_start const one = start(space, {winner});
    CHECK(one.portfolio(1).front() == space.at(std::uint64_t{7 * 12 + 4}));
    CHECK(one.trust() == doctest::Approx(0));
    winner.outcomes = {row("2", "2", 3.0), row("7", "4", 0.5), row("8", "8", {})};
    CHECK(start(space, {winner}).portfolio(2).front()[0].index == 7);
    winner.outcomes = {row("2", "2", 3.0), row("7", "4", -0.5)};
    CHECK(start(space, {winner}).portfolio(1).front()[0].index == 7);
}

TEST_CASE("an opinion is the weighted prior, and a value in the unit of the outcomes")
{
    attune::chain_of_trees const space = search_spaces::grid(12);
    warm_start const w = start(space, {past_sessions::of(space, 100, 1, bowl(2, 2), 3),
                                       past_sessions::of(space, 100, 2, bowl(9, 9), 1)});
    attune::feature_map const features(space);
    for (std::uint64_t const i : {5u, 26u, 64u}) {
        point const p = space.at(i);
        attune::feature_table one;
        features.append(p, one);
        attune::detail::opinion const said = w.opinion_of(p);
        CHECK(said.deviations == doctest::Approx((w.prior(one) * w.weights())[0]));
        double const value = 0.75 * std::log(*bowl(2, 2)(p)) + 0.25 * std::log(*bowl(9, 9)(p));
        CHECK(std::abs(said.value - value) < 0.3); // of 3 over the space
    }
}

TEST_CASE("a session without a level says what is faster, and nothing of the values")
{
    attune::chain_of_trees const space = search_spaces::grid(12);
    attune::past_session const measured = past_sessions::of(space, 100, 1, bowl(2, 2), 3);
    attune::past_session order = past_sessions::of(space, 100, 2, bowl(9, 9), 1);
    order.has_level = false;
    warm_start const both = start(space, {measured, order});
    warm_start const alone = start(space, {measured});
    CHECK(both.has_level());
    CHECK(both.weights()[1] == doctest::Approx(0.25));
    for (std::uint64_t const i : {5u, 26u, 64u}) {
        point const p = space.at(i);
        CHECK(both.opinion_of(p).value == doctest::Approx(alone.opinion_of(p).value));
        CHECK(both.opinion_of(p).deviations != doctest::Approx(alone.opinion_of(p).deviations));
    }
    CHECK_FALSE(start(space, {order}).has_level());
    attune::chain_of_trees const large = search_spaces::grid(60);
    attune::past_session most = past_sessions::of(large, 400, 2, bowl(9, 9), 1); // is thinned
    most.has_level = false;
    CHECK_FALSE(start(large, {most}).has_level());
}

TEST_CASE("of a large space a sample and what the sessions tried stand for the whole")
{
    attune::chain_of_trees const space = search_spaces::grid(60);
    attune::bayesian_options search;
    search.max_pool = 100;
    search.fresh = 50;
    warm_start const w = start(space, {past_sessions::of(space, 80, 4, bowl(40, 20))}, {}, search);
    std::vector<point> const first = w.portfolio(4);
    REQUIRE(first.size() == 4);
    for (point const& p : first)
        CHECK(space.contains(p));
    CHECK(std::log(*bowl(40, 20)(first[0])) < 2.5); // 24 on average over the space
    attune::feature_map const features(space);
    attune::feature_table one;
    features.append(space.at(std::uint64_t{5}), one);
    CHECK(w.prior(one).allFinite());
}
