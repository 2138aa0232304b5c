// tests/search/bayes/turns.cpp : mirrors include/attune/search/bayes/turns.hpp
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/turns.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

using attune::acquisition_rule;
using attune::acquisition_turns;

namespace {

/// Three candidates: the safe improvement, the large one, the one nobody knows.
struct three {
    std::vector<char> open{1, 1, 1};
    std::vector<double> mean{-0.25, 0.0, 1.0};
    std::vector<double> variance{0.0001, 0.25, 9.0};

    [[nodiscard]] attune::scored_candidates all() const { return {open, mean, variance}; }
};

std::size_t first(acquisition_turns& turns)
{
    three const t;
    return turns.choose(t.all(), 1, {}).front().row;
}

} // namespace

TEST_CASE("each rule chooses what its function prefers")
{
    three const t;
    acquisition_turns likely(acquisition_rule::probability_of_improvement, 0, false);
    CHECK(first(likely) == 0);
    acquisition_turns bold(acquisition_rule::lower_confidence_bound, 2, false);
    CHECK(first(bold) == 2);
    acquisition_turns expected(acquisition_rule::expected_improvement, 0, false);
    CHECK(first(expected) == 2); // EI 0.25, 0.2 and 0.76
}

TEST_CASE("several functions take turns, and agreeing ones are dropped")
{
    acquisition_turns turns(acquisition_rule::multi, 0, false);
    std::vector<std::size_t> rows;
    for (std::uint32_t i = 0; i < 30; ++i) {
        rows.push_back(first(turns));
        attune::point const p{{i, 0}};
        turns.chose(p);
        turns.observe(p, rows.back() == 2 ? 1.0 : 2.0);
    }
    // The two functions that look for the safe improvement agree: one of them goes.
    CHECK(std::count(rows.begin(), rows.begin() + 3, 2U) == 1);
    CHECK(std::count(rows.end() - 10, rows.end(), 2U) == 5);
}

TEST_CASE("the advanced rule promotes the function whose choices are better")
{
    acquisition_turns turns(acquisition_rule::advanced_multi, 0, false);
    std::size_t last = 9;
    for (std::uint32_t i = 0; i < 60; ++i) {
        last = first(turns);
        attune::point const p{{i, 0}};
        turns.chose(p);
        turns.observe(p, last == 0 ? 1.0 : 2.0);
    }
    CHECK(last == 0);
}

TEST_CASE("contextual exploration fades with the variance that is left")
{
    acquisition_turns turns(acquisition_rule::probability_of_improvement, 0, true);
    three t;
    t.mean = {-0.3, 0.5, 1.0};
    CHECK(turns.choose(t.all(), 1, {2.0, 2.0}).front().row != 0); // factor 1: -0.3 is not enough
    t.variance = {0.0001, 0.0002, 0.0003};
    CHECK(turns.choose(t.all(), 1, {2.0, 1.0}).front().row == 0);
}
