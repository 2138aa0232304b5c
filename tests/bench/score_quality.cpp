// tests/bench/score_quality.cpp : known answers
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <vector>

#include "../../bench/support/score_quality.hpp"

TEST_CASE("the error of predicted scores is their root mean square")
{
    CHECK(bench::score_rmse(std::vector{1.0, 0.5}, std::vector{1.0, 0.5}) == 0);
    CHECK(bench::score_rmse(std::vector{0.7, 0.1}, std::vector{0.4, 0.5}) ==
          doctest::Approx(0.353553)); // sqrt((.09 + .16) / 2)
    CHECK(bench::score_rmse({}, {}) == 0);
}

TEST_CASE("the average peak score says how early the best program comes")
{
    std::vector<double> const measured{0.2, 0.8, 0.4, 1.0};
    std::vector<double> const right{0.1, 0.6, 0.3, 0.9};
    std::vector<double> const wrong{0.9, 0.3, 0.6, 0.1};
    CHECK(bench::average_peak_score(right, measured) == 1);
    // In the order .2, .4, .8, 1: (.2 + .4 + .8 + 1) / 4.
    CHECK(bench::average_peak_score(wrong, measured) == doctest::Approx(0.6));
    CHECK(bench::average_peak_score(wrong, measured, 2) == doctest::Approx(0.3));
    // Of the best of all, whatever its score is.
    CHECK(bench::average_peak_score(std::vector{0.9, 0.1}, std::vector{0.2, 0.4}, 1) ==
          doctest::Approx(0.5));
    CHECK(bench::average_peak_score({}, {}) == 0);
    CHECK(bench::average_peak_score(right, std::vector{0.0, 0.0, 0.0, 0.0}) == 0);
}
