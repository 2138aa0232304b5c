// tests/ship/report/model_course.cpp - errors and peak scores against sums over all predictions.
// SPDX-License-Identifier: MIT
#include <attune/ship/report/model_course.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <vector>

#include "../../../bench/support/score_quality.hpp"

using namespace attune::detail;

namespace {

tried_row row(double predicted_s, double s)
{
    tried_row out;
    out.predicted_s = predicted_s;
    if (s > 0)
        out.result = attune::measurement::exact(s);
    else
        out.result = attune::failure{attune::failure_stage::crash, "SIGSEGV"};
    return out;
}

} // namespace

TEST_CASE("each step has the error of the last thirty and the peak score of all before it")
{
    std::mt19937 random(5);
    std::vector<tried_row> rows;
    for (int i = 0; i < 300; ++i) {
        double const s = 1e-3 * (1 + static_cast<double>(random() % 1000) / 100);
        double const off = 1 + static_cast<double>(random() % 100) / 100;
        bool const is_by_model = random() % 4 != 0, has_failed = random() % 7 == 0;
        rows.push_back(row(is_by_model ? s * off : 0, has_failed ? 0 : s));
    }
    model_course const got = course_of(rows);
    REQUIRE(got.steps.size() == 60);
    CHECK(std::is_sorted(got.steps.begin(), got.steps.end(),
                         [](auto const& a, auto const& b) { return a.outcomes < b.outcomes; }));
    for (model_step const& step : got.steps) {
        std::vector<double> predicted, measured, squares;
        for (std::size_t i = 0; i < step.outcomes; ++i) {
            if (!(rows[i].predicted_s > 0)) continue;
            auto const* const m = std::get_if<attune::measurement>(&rows[i].result);
            predicted.push_back(1 / rows[i].predicted_s);
            measured.push_back(m != nullptr ? 1 / m->value : 0);
            if (m != nullptr) squares.push_back(std::pow(std::log(m->value * predicted.back()), 2));
        }
        CHECK(step.predicted == predicted.size());
        double sum = 0;
        std::size_t const from = squares.size() - std::min<std::size_t>(30, squares.size());
        for (std::size_t i = from; i < squares.size(); ++i)
            sum += squares[i];
        CHECK(step.rmse ==
              doctest::Approx(std::sqrt(sum / static_cast<double>(squares.size() - from))));
        CHECK(step.peak == doctest::Approx(bench::average_peak_score(predicted, measured, 32)));
        if (&step != &got.steps.back()) continue;
        CHECK(got.predicted == predicted.size());
        CHECK(got.failed == predicted.size() - squares.size());
        sum = 0;
        for (double const square : squares)
            sum += square;
        CHECK(got.rmse == doctest::Approx(std::sqrt(sum / static_cast<double>(squares.size()))));
    }
}

TEST_CASE("a model that knows all has no error, and the fastest comes first")
{
    std::vector<tried_row> rows;
    for (int i = 0; i < 40; ++i)
        rows.push_back(row(1.0 + i, 1.0 + i));
    model_course const got = course_of(rows);
    CHECK(got.rmse == 0);
    CHECK(got.steps.back().peak == 1);
    std::reverse(rows.begin(), rows.end()); // in whatever order it was tried
    CHECK(course_of(rows).steps.back().peak == 1);
}

TEST_CASE("a model that expects a tenth more of all is off by the logarithm of that")
{
    std::vector<tried_row> rows;
    for (int i = 0; i < 10; ++i)
        rows.push_back(row(1.1 * (1.0 + i), 1.0 + i));
    CHECK(course_of(rows).rmse == doctest::Approx(std::log(1.1)));
}

TEST_CASE("few predictions, none, and such as are no time, have no steps")
{
    CHECK(course_of({}).steps.empty());
    std::vector<tried_row> rows;
    for (double const odd : {0.0, -1.0, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()})
        rows.push_back(row(odd, 1));
    rows.push_back(row(1, HUGE_VAL)); // a time that is none
    CHECK(course_of(rows).predicted == 0);
    for (int i = 0; i < 4; ++i)
        rows.push_back(row(1, 1));
    for (int i = 0; i < 40; ++i)
        rows.push_back(row(1, 0));
    CHECK(course_of(rows).predicted == 44);
    CHECK(course_of(rows).failed == 40);
    CHECK(course_of(rows).steps.empty());
    rows.push_back(row(1, 1));
    REQUIRE(course_of(rows).steps.size() == 1);
    CHECK(course_of(rows).steps.front().outcomes == rows.size());
    CHECK(course_of(rows, 0).steps.empty());
}
