// tests/search/bayes/acquisition/portfolio.cpp : mirrors include/attune/search/bayes/acquisition/portfolio.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/acquisition/portfolio.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

using attune::detail::acquisition_portfolio;

namespace {

acquisition_portfolio three(double discount = 0.9) { return acquisition_portfolio(3, discount); }

} // namespace

TEST_CASE("members take turns, and those that were skipped have none")
{
    acquisition_portfolio p = three();
    std::vector<std::size_t> turns;
    for (int i = 0; i < 4; ++i)
        turns.push_back(p.take_turn());
    p.skip(1);
    for (int i = 0; i < 4; ++i)
        turns.push_back(p.take_turn());
    CHECK(turns == std::vector<std::size_t>{0, 1, 2, 0, 2, 0, 2, 0});
    CHECK(p.active() == std::vector<std::size_t>{0, 2});
}

TEST_CASE("a score is the mean of the observations with weights 0.9 to the power of their age")
{
    acquisition_portfolio p = three();
    CHECK(p.score_of(0) == std::numeric_limits<double>::infinity());
    std::vector<double> const observed{5, 3, 8, 2};
    double sum = 0;
    double weights = 0;
    for (std::size_t i = 0; i < observed.size(); ++i) {
        p.observe(0, observed[i]);
        double const weight = std::pow(0.9, static_cast<double>(observed.size() - 1 - i));
        sum += weight * observed[i];
        weights += weight;
    }
    CHECK(p.score_of(0) == doctest::Approx(sum / weights));
    CHECK(p.observations(0) == 4);
    CHECK(p.observations(1) == 0);
}

TEST_CASE("equal observations give equal scores, however many there are")
{
    acquisition_portfolio p = three();
    p.observe(0, 4);
    for (int i = 0; i < 9; ++i)
        p.observe(1, 4);
    CHECK(p.score_of(0) == doctest::Approx(p.score_of(1)));
}
