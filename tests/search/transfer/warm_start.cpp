// tests/search/transfer/warm_start.cpp : mirrors include/attune/search/transfer/warm_start.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/transfer/warm_start.hpp>

#include <attune/core/random.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/search/bayes/gp/conditional.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../support/gp_points.hpp"
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
    attune::feature_table const all = gp_points::rows_of_all(features);
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
    attune::warm_start_options const options{.most_sessions = 1, .most_outcomes = 30};
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
    attune::bayesian_options const search{.max_pool = 100, .fresh = 50};
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

using attune::detail::source_model;

namespace {

struct setting {
    attune::chain_of_trees space = search_spaces::grid(12);
    attune::feature_map features{space};
    attune::feature_table all = gp_points::rows_of_all(features);

    template <class F>
    [[nodiscard]] source_model learnt(std::size_t count, F const& f) const
    {
        return source_model(
            features, attune::detail::translate(space, past_sessions::of(space, count, 3, f)), {});
    }
};

std::optional<double> wide_bowl(point const& p)
{
    double const x = p[0].index - 3.0;
    double const y = p[1].index - 8.0;
    return std::exp(0.02 * (x * x + y * y));
}

} // namespace

TEST_CASE("a smooth session is predicted where it was not, as logarithms but for a constant")
{
    setting const s;
    source_model const model = s.learnt(50, wide_bowl);
    CHECK(model.logarithmic());
    auto const [mean, variance] = gp_points::predicted(model, s.all);
    Eigen::ArrayXd truth(144);
    for (Eigen::Index i = 0; i < 144; ++i)
        truth[i] = std::log(*wide_bowl(s.space.at(static_cast<std::uint64_t>(i))));
    Eigen::Index lowest = 0;
    mean.minCoeff(&lowest);
    CHECK(truth[lowest] < 0.1);
    // Far above the median, values are bent: only the lower half keeps its distances.
    Eigen::ArrayXd const error = (mean - mean[lowest]) - (truth - truth[lowest]);
    for (Eigen::Index i = 0; i < 144; ++i)
        if (truth[i] < 0.4) CHECK(std::abs(error[i]) < 0.1);
    CHECK((variance >= 0).all());
    CHECK((model.chance(s.all) == 1).all());
}

TEST_CASE("values that are not positive are no logarithms")
{
    setting const s;
    source_model const model =
        s.learnt(30, [](point const& p) -> std::optional<double> { return *wide_bowl(p) - 5; });
    CHECK_FALSE(model.logarithmic());
}

TEST_CASE("of noise the model says little: what is left is more than what it explains")
{
    setting const s;
    attune::random_engine engine(9);
    source_model const model = s.learnt(80, [&](point const&) -> std::optional<double> {
        return 1 + attune::uniform_unit(engine);
    });
    auto const [mean, variance] = gp_points::predicted(model, s.all);
    double const explained = (mean - mean.mean()).square().mean();
    CHECK(explained < variance.mean() + model.noise());
}

TEST_CASE("where a session failed a configuration is less likely to work")
{
    setting const s;
    source_model const model = s.learnt(60, [](point const& p) -> std::optional<double> {
        return p[0].index >= 6 ? std::nullopt : wide_bowl(p);
    });
    Eigen::ArrayXd const chance = model.chance(s.all);
    CHECK((chance >= 0).all());
    CHECK((chance <= 1).all());
    CHECK(chance.head(48).mean() > 0.8);
    CHECK(chance.tail(48).mean() < 0.3);
}

TEST_CASE("one outcome is a session")
{
    setting const s;
    source_model const model = s.learnt(1, wide_bowl);
    auto const [mean, variance] = gp_points::predicted(model, s.all);
    CHECK(mean.isFinite().all());
    CHECK(model.hyper().theta.allFinite());
}

using attune::detail::agreement;
using attune::detail::judged_outcome;
using attune::detail::opening;
using attune::detail::opening_step;

namespace {

judged_outcome as_expected(double expected, double value)
{
    return {.expected = expected, .value = value};
}
judged_outcome failed(double expected)
{
    return {.expected = expected, .surprise = std::numeric_limits<double>::infinity()};
}

} // namespace

TEST_CASE("agreement is the share of pairs in the expected order, less that of the others")
{
    CHECK(agreement({}) == 0);
    CHECK(agreement(std::vector{as_expected(-2, 1)}) == 0);
    CHECK(agreement(std::vector{as_expected(-2, 1), as_expected(0, 3), as_expected(1, 9)}) == 1);
    CHECK(agreement(std::vector{as_expected(-2, 9), as_expected(0, 3), as_expected(1, 1)}) == -1);
    // Of the differences 1, 3 and 2 the last one is against the order: (1 + 3 - 2) / 6.
    std::vector<judged_outcome> const mixed{as_expected(-2, 1), as_expected(-1, 9),
                                            as_expected(1, 3)};
    CHECK(agreement(mixed) == doctest::Approx(2.0 / 6));
    CHECK(agreement(std::vector{failed(-2), as_expected(0, 3)}) == -1);
    CHECK(agreement(std::vector{as_expected(-2, 3), failed(0)}) == 1);
    CHECK(agreement(std::vector{failed(-2), failed(0)}) == 0);
    CHECK(agreement(std::vector{as_expected(-2, 3), as_expected(0, 3)}) == 0);
}

TEST_CASE("where outcomes are as expected, the model follows, and one of the design is sixth")
{
    opening o(1);
    std::vector<judged_outcome> told;
    CHECK(o.next(told, {}) == opening_step::session);
    while (told.size() < opening::unsurprised) {
        told.push_back(as_expected(-2, 1));
        if (told.size() < opening::unsurprised) CHECK(o.next(told, {}) == opening_step::model);
    }
    CHECK(o.next(told, {}) == opening_step::design);
    told.push_back(as_expected(0, 4));
    CHECK(o.next(told, {}) == opening_step::model);
}

TEST_CASE("a surprise is compared with one of the design, and who was wrong is not asked again")
{
    for (bool const is_failure : {false, true}) {
        opening o(3);
        std::vector<judged_outcome> told;
        CHECK(o.next(told, {}) == opening_step::session);
        told.push_back(is_failure ? failed(-2) : as_expected(-2, 9));
        told.back().surprise = opening::surprising + 1;
        CHECK(o.next(told, {}) == opening_step::design);
        told.push_back(as_expected(0, 3));
        for (; told.size() < opening::length; told.push_back(as_expected(1, 2)))
            CHECK(o.next(told, {}) == opening_step::model);
    }
    // The device was slow, the session right: its others follow.
    opening o(3);
    std::vector<judged_outcome> told;
    CHECK(o.next(told, {}) == opening_step::session);
    told.push_back({.expected = -2, .value = 9, .surprise = 3});
    CHECK(o.next(told, {}) == opening_step::design);
    told.push_back({.expected = 0, .value = 30, .surprise = 3});
    CHECK(o.next(told, {}) == opening_step::session);
    CHECK(o.next(told, std::vector{-1.9}) == opening_step::session);
    CHECK(o.next(told, std::vector{-1.9, -1.8}) == opening_step::model);
}

TEST_CASE("one of the design that is expected to be good as well gets a second, not more")
{
    opening o(1);
    std::vector<judged_outcome> told;
    CHECK(o.next(told, {}) == opening_step::session);
    for (int i = 0; i < 2; ++i) {
        told.push_back({.expected = -2, .value = 9, .surprise = 3});
        CHECK(o.next(told, {}) == opening_step::design);
    }
    told.push_back({.expected = -2, .value = 9, .surprise = 3});
    CHECK(o.next(told, {}) == opening_step::model);
}

TEST_CASE("the default's outcome is a contrast by itself")
{
    opening o(2);
    std::vector<judged_outcome> told{as_expected(0.5, 10)};
    CHECK(o.next(told, {}) == opening_step::session);
    for (told.push_back({.expected = -2, .value = 5, .surprise = 3}); told.size() < opening::length;
         told.push_back(as_expected(-2, 1)))
        CHECK(o.next(told, {}) == (told.size() == 2 ? opening_step::session : opening_step::model));
}

TEST_CASE("while nothing works, or nothing is known, sessions and design take turns")
{
    opening o(1);
    std::vector<judged_outcome> told;
    for (std::size_t i = 0; i < opening::length; ++i) {
        CHECK(o.next(told, {}) == (i % 2 == 0 ? opening_step::session : opening_step::design));
        told.push_back(failed(-1));
    }
    CHECK(o.next(told, {}) == opening_step::model);
    opening at_once(1);
    std::vector<double> waiting;
    for (std::size_t i = 0; i < 8; ++i) {
        CHECK(at_once.next({}, waiting) ==
              (i % 2 == 0 ? opening_step::session : opening_step::design));
        waiting.push_back(i % 2 == 0 ? -2 : 0);
    }
}

using attune::detail::greedy_portfolio;
using attune::detail::most_slowdown;
using attune::detail::portfolio_mean_share;

namespace {

using table = std::vector<std::vector<double>>; // session -> candidate

/// What a list of candidates costs, from the definition.
double cost(table const& slowdown, std::vector<double> const& weight,
            std::vector<std::size_t> const& chosen)
{
    double out = 0;
    for (std::size_t s = 0; s < slowdown.size(); ++s) {
        double least = most_slowdown;
        for (std::size_t const row : chosen)
            least = std::min(least, slowdown[s][row]);
        out += weight[s] * (least + portfolio_mean_share * slowdown[s][chosen.back()]);
    }
    return out;
}

table random_table(std::size_t sessions, std::size_t rows, attune::random_engine& engine)
{
    table out(sessions, std::vector<double>(rows));
    for (auto& of_session : out)
        for (double& v : of_session)
            v = std::min(most_slowdown, 3 * attune::uniform_unit(engine));
    return out;
}

} // namespace

TEST_CASE("each candidate is the one that costs least behind those before it")
{
    attune::random_engine engine(5);
    for (int repeat = 0; repeat < 20; ++repeat) {
        table const slowdown = random_table(3, 30, engine);
        std::vector<double> const weight{0.5, 0.3, 0.2};
        std::vector<std::size_t> const chosen = greedy_portfolio(slowdown, weight, 5);
        REQUIRE(chosen.size() == 5);
        CHECK(std::set<std::size_t>(chosen.begin(), chosen.end()).size() == 5);
        for (std::size_t k = 1; k <= chosen.size(); ++k) {
            std::vector<std::size_t> list(chosen.begin(),
                                          chosen.begin() + static_cast<std::ptrdiff_t>(k));
            double const own = cost(slowdown, weight, list);
            for (std::size_t row = 0; row < 30; ++row) {
                list.back() = row;
                if (std::count(list.begin(), list.end() - 1, row) == 0)
                    CHECK(cost(slowdown, weight, list) >= own - 1e-12);
            }
        }
    }
}

TEST_CASE("what two candidates leave uncovered is near the least that any two leave")
{
    attune::random_engine engine(6);
    std::vector<double> const weight{0.4, 0.3, 0.2, 0.1};
    auto const left = [&](table const& slowdown, std::size_t a, std::size_t b) {
        double out = 0;
        for (std::size_t s = 0; s < slowdown.size(); ++s)
            out += weight[s] * std::min(slowdown[s][a], slowdown[s][b]);
        return out;
    };
    for (int repeat = 0; repeat < 20; ++repeat) {
        table const slowdown = random_table(4, 25, engine);
        double least = most_slowdown;
        for (std::size_t a = 0; a < 25; ++a)
            for (std::size_t b = 0; b < a; ++b)
                least = std::min(least, left(slowdown, a, b));
        std::vector<std::size_t> const chosen = greedy_portfolio(slowdown, weight, 2);
        // The law of greedy covers, and the share of the mean that is not part of the cover.
        double const bound = most_slowdown - (1 - 1 / std::exp(1.0)) * (most_slowdown - least);
        CHECK(left(slowdown, chosen[0], chosen[1]) <= bound + 2 * portfolio_mean_share);
    }
}

TEST_CASE("the second candidate is good where the first one is not")
{
    table const slowdown{{0.0, 2.0, 0.3, 0.1}, {2.0, 0.0, 0.3, 2.0}};
    CHECK(greedy_portfolio(slowdown, {0.5, 0.5}, 1) == std::vector<std::size_t>{2});
    // 0 and 1 tie behind 2: the first of equals.
    CHECK(greedy_portfolio(slowdown, {0.5, 0.5}, 3) == std::vector<std::size_t>{2, 0, 1});
    CHECK(greedy_portfolio(slowdown, {0.9, 0.1}, 2) == std::vector<std::size_t>{0, 2});
}

TEST_CASE("there are no more candidates than there are rows, and none without sessions")
{
    CHECK(greedy_portfolio({}, {}, 3).empty());
    CHECK(greedy_portfolio({{}}, {1}, 3).empty());
    CHECK(greedy_portfolio({{0.5, 0.1}}, {1}, 3) == std::vector<std::size_t>{1, 0});
}
