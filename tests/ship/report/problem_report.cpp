// tests/ship/report/problem_report.cpp - effects, ranks, contestants and the course of the model have known values.
// SPDX-License-Identifier: MIT
#include <attune/ship/report/problem_report.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../../../bench/support/score_quality.hpp"
#include "told_outcomes.hpp"

using namespace attune::detail;
using attune::failure;
using attune::failure_stage;
using attune::measurement;

namespace {

tried_row timed(attune::value_texts values, double s, std::string code = "")
{
    return {.values = std::move(values),
            .result = measurement{s, s * 0.9, s * 1.2, 9},
            .code = std::move(code)};
}
tried_row failed(attune::value_texts values, failure_stage stage)
{
    return {.values = std::move(values), .result = failure{stage, "why"}};
}

problem_history history(std::vector<std::string> names, std::vector<tried_row> rows)
{
    problem_history out{.rows = std::move(rows)};
    out.problem.parameters = std::move(names);
    return out;
}

std::vector<std::string> values_of_levels(parameter_effect const& of)
{
    std::vector<std::string> out;
    for (level_effect const& l : of.levels)
        out.push_back(l.value);
    return out;
}

tried_row row(double predicted_s, double s)
{
    tried_row out{.predicted_s = predicted_s};
    if (s > 0)
        out.result = attune::measurement::exact(s);
    else
        out.result = attune::failure{attune::failure_stage::crash, "SIGSEGV"};
    return out;
}

} // namespace

TEST_CASE("numbers are sorted as numbers, other values as texts, and rows point at them")
{
    problem_report const got =
        report_of(history({"A", "B"}, {timed({"16", "b"}, 1), timed({"8", "a"}, 2),
                                       timed({"128", "b"}, 3), timed({"8", "10"}, 4)}));
    CHECK(values_of_levels(got.parameters[0]) == std::vector<std::string>{"8", "16", "128"});
    CHECK(values_of_levels(got.parameters[1]) == std::vector<std::string>{"10", "a", "b"});
    CHECK(got.levels[0] == std::vector<std::uint32_t>{1, 2});
    CHECK(got.levels[2] == std::vector<std::uint32_t>{2, 2});
}

TEST_CASE("a level has its counts, its best time and its median")
{
    problem_report const got = report_of(history(
        {"A"}, {timed({"1"}, 5), timed({"1"}, 1), timed({"1"}, 3), timed({"2"}, 4), timed({"2"}, 8),
                failed({"2"}, failure_stage::crash), failed({"3"}, failure_stage::verify)}));
    parameter_effect const& a = got.parameters[0];
    CHECK(a.levels[0].measured == 3);
    CHECK(a.levels[0].best_s == 1);
    CHECK(a.levels[0].median_s == 3);
    CHECK(a.levels[1].median_s == 6); // between two
    CHECK(a.levels[1].failed == 1);
    CHECK(a.levels[2].measured == 0);
    CHECK(a.levels[2].best_s == 0);
    CHECK(got.failed[static_cast<std::size_t>(failure_stage::crash)] == 1);
    CHECK(got.failures() == 2);
}

TEST_CASE("a parameter that decides explains all, one that does nothing explains nothing")
{
    std::vector<tried_row> rows;
    for (char const* a : {"1", "2", "4"})
        for (char const* b : {"x", "y"})
            rows.push_back(timed({a, b, "same"}, std::stod(a)));
    problem_report const got = report_of(history({"A", "B", "C"}, rows));
    CHECK(got.parameters[0].share == doctest::Approx(1));
    CHECK(got.parameters[1].share == 0);
    CHECK(got.parameters[2].share == 0);
}

TEST_CASE("the explained share is epsilon squared of log times")
{
    // Two groups of two: logs {0, 1} and {2, 3}. Total 5, within 1, between 4; (4 - 1/2) / 5.
    double const e = std::exp(1.0);
    problem_report const got = report_of(history(
        {"A"}, {timed({"1"}, 1), timed({"1"}, e), timed({"2"}, e * e), timed({"2"}, e * e * e)}));
    CHECK(got.parameters[0].share == doctest::Approx(0.7));
}

TEST_CASE("rows are ranked by time, those that were better than all before are steps")
{
    problem_report const got =
        report_of(history({"A"}, {timed({"1"}, 3), failed({"2"}, failure_stage::compile),
                                  timed({"3"}, 4), timed({"4"}, 1), timed({"5"}, 1)}));
    CHECK(got.ranking == std::vector<std::size_t>{3, 4, 0, 2});
    CHECK(got.improvements == std::vector<std::size_t>{0, 3});
}

TEST_CASE("a time that is no positive number is not ranked and not a failure")
{
    double const inf = std::numeric_limits<double>::infinity();
    problem_report const got = report_of(history(
        {"A"}, {timed({"1"}, 0), timed({"1"}, -1), timed({"1"}, inf), timed({"1"}, std::nan(""))}));
    CHECK(got.ranking.empty());
    CHECK(got.unusable == 4);
    CHECK(got.failures() == 0);
    CHECK(got.contestants.empty());
    CHECK(got.parameters[0].levels[0].measured == 0);
}

TEST_CASE("contestants are the winner, the default by its code, and ties with their last time")
{
    support::told_tuning told = support::random_tuning(40, 3);
    told.ties = {5, 9};
    told.outcomes[5].s = told.outcomes[5].low = told.outcomes[5].high = 0.5;
    told.outcomes[9].s = 0;
    told.outcomes[9].values = {"nowhere", "else", "tried"};
    problem_history past{.problem = told.problem()};
    for (std::size_t i = 0; i < told.outcomes.size(); ++i)
        past.rows.push_back(told.row(i));
    past.best = told.record();
    problem_report const got = report_of(past);
    REQUIRE(got.contestants.size() == 4);
    CHECK(got.contestants[0].as == contestant::part::winner);
    CHECK(got.contestants[0].values == told.outcomes[told.winner].values);
    CHECK(got.contestants[1].as == contestant::part::standard);
    CHECK(got.contestants[1].values == told.outcomes[0].values);
    CHECK(got.contestants[1].time.samples == told.outcomes[0].samples);
    CHECK(got.contestants[3].as == contestant::part::tie);
    CHECK_FALSE(got.contestants[3].has_time);
    REQUIRE(got.speedup.has_value());
    CHECK(got.speedup->value == told.outcomes[0].s / told.outcomes[told.winner].s);
    CHECK(got.speedup->low == told.outcomes[0].low / told.outcomes[told.winner].high);
    CHECK(got.speedup->high == told.outcomes[0].high / told.outcomes[told.winner].low);
}

TEST_CASE("without a winner the fastest row stands for it, without intervals there is none")
{
    problem_report const open = report_of(history({"A"}, {timed({"1"}, 3), timed({"2"}, 2)}));
    REQUIRE(open.contestants.size() == 1);
    CHECK(open.contestants[0].as == contestant::part::fastest);
    CHECK(open.contestants[0].values == attune::value_texts{"2"});
    CHECK_FALSE(open.speedup.has_value());
    problem_history old = history({"A"}, {});
    old.best.emplace();
    old.best->configuration = {{"A", "2"}};
    old.best->best_s = 1;
    old.best->default_s = 3;
    problem_report const got = report_of(old);
    CHECK(got.contestants.size() == 2);
    CHECK(got.contestants[1].values.empty());
    CHECK(got.speedup->value == 3);
    CHECK(got.speedup->low == 0);
}

TEST_CASE("the seconds that no part names were those of running")
{
    problem_history past = history({"A"}, {timed({"1"}, 1)});
    past.best.emplace();
    past.best->spent = {20, 6.5, 1.5};
    problem_report got = report_of(past);
    REQUIRE(got.spent.has_value());
    CHECK(got.spent->run_s == 12);
    past.best->spent = {1, 2, 3}; // of no clock
    CHECK(report_of(past).spent->run_s == 0);
    past.best->spent = {};
    CHECK_FALSE(report_of(past).spent.has_value());
}

TEST_CASE("an empty problem is reported")
{
    problem_report const got = report_of(history({}, {}));
    CHECK(got.parameters.empty());
    CHECK(got.contestants.empty());
}

TEST_CASE("values stand in the order in which people look for them, the inactive level at the end")
{
    auto const order_of = [](std::vector<std::string> const& values) {
        std::vector<tried_row> rows;
        for (std::string const& value : values)
            rows.push_back(timed({value}, 1));
        rows.push_back(timed({values.front()}, 1));
        rows.back().inactive = {0};
        std::vector<std::string> out;
        problem_report const got = report_of(history({"A"}, rows));
        for (level_effect const& l : got.parameters[0].levels)
            out.push_back(l.value);
        return out;
    };
    using texts = std::vector<std::string>;
    std::string const off = "(inactive)";
    CHECK(order_of({"16", "-2", "4", "0.5"}) == texts{"-2", "0.5", "4", "16", off});
    CHECK(order_of({"{16, 4}", "{4, 16}", "{4, 4}"}) == texts{"{4, 4}", "{4, 16}", "{16, 4}", off});
    CHECK(order_of({"{2, 1, 0}", "{0, 1, 2}", "{10}"}) ==
          texts{"{0, 1, 2}", "{2, 1, 0}", "{10}", off});
    CHECK(order_of({"-O3", "16", "-O12", "-O"}) == texts{"16", "-O", "-O3", "-O12", off});
    CHECK(order_of({"true", "false"}) == texts{"false", "true", off});
    CHECK(order_of({"a01", "a1", "a001"}) == texts{"a001", "a01", "a1", off});
}

TEST_CASE("what an inactive parameter could be is one level, apart from its values")
{
    std::vector<tried_row> rows{timed({"1", "x"}, 1), timed({"1", "y"}, 2), timed({"2", "x"}, 4),
                                failed({"2", "x"}, failure_stage::crash)};
    rows[2].inactive = rows[3].inactive = {1};
    problem_report const got = report_of(history({"A", "B"}, rows));
    parameter_effect const& b = got.parameters[1];
    REQUIRE(b.levels.size() == 3);
    CHECK(b.levels[0].measured == 1); // x where it counted
    CHECK(b.levels[2].value == "(inactive)");
    CHECK(b.levels[2].measured == 1);
    CHECK(b.levels[2].failed == 1);
    CHECK(b.levels[2].best_s == 4);
    CHECK(got.levels[2][1] == 2);
}

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

TEST_CASE("the model of an objective whose higher values are better is judged by them")
{
    std::vector<tried_row> rows;
    for (int i = 0; i < 40; ++i)
        rows.push_back(row(1.0 + i, 1.0 + i));
    attune::problem_objective const highest{false, "GFLOP/s", true};
    CHECK(course_of(rows, highest).rmse == 0);
    CHECK(course_of(rows, highest).steps.back().peak == 1);
    std::vector<tried_row> wrong; // what it expects to be the best is the worst
    for (int i = 0; i < 40; ++i)
        wrong.push_back(row(1.0 + i, 40.0 - i));
    CHECK(course_of(wrong, highest).steps.back().peak < 1);
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
    CHECK(course_of(rows, {}, 0).steps.empty());
}
