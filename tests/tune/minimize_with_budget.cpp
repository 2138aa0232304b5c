// tests/tune/minimize_with_budget.cpp - the loop over a function that takes a budget.
// SPDX-License-Identifier: MIT
#include <attune/tune/minimize_with_budget.hpp>

#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>

#include <cmath>
#include <csignal>
#include <doctest/doctest.h>
#include <limits>
#include <map>
#include <stdexcept>

#include "../support/recorded_progress.hpp"
#include "../support/texts.hpp"

using attune::minimize_with_budget;
using attune_test::has;
using attune_test::recorded_progress;

namespace {

constexpr auto x = attune::ordinal<"X">(attune::range(-50, 50));
constexpr auto y = attune::ordinal<"Y">(attune::range(-50, 50));
constexpr auto plane = attune::space(x, y).where(x + y >= 0);

attune::minimize_with_budget_options quiet(attune::progress_sink sink = attune::silent_progress())
{
    return {.budgets = {.most_budget = 27}, .progress = std::move(sink)};
}
constexpr std::uint32_t one_round = (27 + 9 + 3 + 1) + (12 + 4 + 1) + (6 + 2) + 4;

/// Lowest at (3, -2), where it is 1; less with a small budget, by more the worse it is.
constexpr auto bowl = [](auto const& c, double budget) {
    double const dx = c[x] - 3;
    double const dy = c[y] + 2;
    return (1 + dx * dx + 2 * dy * dy) * (1 - 0.5 / budget);
};

} // namespace

TEST_CASE("all brackets run once, and the best is the best of the most budget")
{
    std::map<double, std::uint32_t> calls;
    double least = std::numeric_limits<double>::infinity();
    auto const r = minimize_with_budget(
        plane,
        [&](auto const& c, double budget) {
            ++calls[budget];
            CHECK(c[x] + c[y] >= 0);
            if (budget == 27) least = std::min(least, bowl(c, budget));
            return bowl(c, budget);
        },
        quiet());
    REQUIRE(r.best);
    CHECK(r.value == least);
    CHECK(r.value == bowl(*r.best, 27));
    CHECK(r.budget == 27);
    CHECK(r.evaluations == one_round);
    CHECK(r.spent == 27 * 4 + (36 + 36 + 27) + (54 + 54) + 108);
    CHECK(calls == std::map<double, std::uint32_t>{
                       {1, 27}, {3, 9 + 12}, {9, 3 + 4 + 6}, {27, 1 + 1 + 2 + 4}});
    CHECK(!r.interrupted);
    CHECK(attune::total(r.failures) == 0);
}

TEST_CASE("the default configuration is the first one tried")
{
    constexpr auto space = attune::space(x.with_default(4), y.with_default(5));
    int seen = 0;
    (void)minimize_with_budget(
        space,
        [&](auto const& c, double budget) {
            if (seen++ == 0) {
                CHECK(c[x] == 4);
                CHECK(c[y] == 5);
                CHECK(budget == 1);
            }
            return 0;
        },
        quiet());
    CHECK(seen == int{one_round});
}

TEST_CASE("limits of evaluations, of the sum of budgets, and none at all")
{
    auto options = quiet();
    options.limits.evaluations = 30;
    auto const few = minimize_with_budget(plane, bowl, options);
    CHECK(few.evaluations == 30);
    CHECK(few.spent == 27 + 3 * 3);
    CHECK(few.budget == 3); // the largest one so far
    options = quiet();
    options.budgets.total_budget = 60;
    auto const cheap = minimize_with_budget(plane, bowl, options);
    CHECK(cheap.spent == 27 + 27); // the next one would need 9
    CHECK(cheap.evaluations == 36);
    recorded_progress heard;
    options = quiet(heard.sink());
    options.limits.evaluations = 0;
    CHECK(minimize_with_budget(plane, bowl, options).evaluations == 1);
    CHECK(heard.events().back().text == "nothing was searched: the budget is zero");
}

TEST_CASE("target and patience look at the values of the most budget")
{
    auto const cost = [](auto const&, double budget) { return budget; };
    auto options = quiet();
    options.limits.target = 26;
    CHECK(minimize_with_budget(plane, cost, options).evaluations == one_round);
    options.limits.target = 27;
    CHECK(minimize_with_budget(plane, cost, options).evaluations == 27 + 9 + 3 + 1);
    options = quiet();
    options.limits.patience = 1;
    auto const r = minimize_with_budget(plane, cost, options);
    CHECK(r.evaluations == 40 + 17); // the second value of the most budget is no better
    CHECK(r.value == 27);
    options.limits.patience = 0;
    auto const once = minimize_with_budget(plane, cost, options);
    CHECK(once.evaluations == 40); // up to the first value of the most budget
    CHECK(once.value == 27);
}

TEST_CASE("failures are counted, and an objective that is not finite is one")
{
    recorded_progress heard;
    auto const r = minimize_with_budget(
        plane,
        [](auto const& c, double) -> attune::outcome {
            if (c[x] % 2 == 0) return attune::failure{attune::failure_stage::crash, "even"};
            return attune::measurement::exact(std::nan(""));
        },
        quiet(heard.sink()));
    CHECK(!r.best);
    CHECK(attune::total(r.failures) == r.evaluations);
    CHECK(r.evaluations == 27 + 12 + 6 + 4); // none goes on
    CHECK(r.budget == 0);
    CHECK(r.failures[static_cast<std::size_t>(attune::failure_stage::crash)] > 0);
    CHECK(has(heard.events().back().text, "every configuration failed"));
}

TEST_CASE("progress names the budget, and its best is that of the largest one so far")
{
    recorded_progress heard;
    auto options = quiet(heard.sink());
    options.name = "bowl";
    // A value is the better the smaller the budget: nothing at 1 may stay the best.
    auto const r = minimize_with_budget(
        plane, [](auto const& c, double budget) { return bowl(c, 1e9) + 1e6 * budget; }, options);
    REQUIRE(heard.events().size() == one_round + 1);
    for (std::size_t i = 0; i < one_round; ++i) {
        attune::progress const& p = heard.events()[i];
        CHECK(p.name == "bowl");
        CHECK(!p.objective.is_seconds);
        CHECK(has(p.text, " with budget "));
        double const largest = i < 27 ? 1 : i < 36 ? 3 : i < 39 ? 9 : 27;
        CHECK(std::floor(p.best_value / 1e6) == largest);
    }
    attune::progress const& last = heard.events().back();
    CHECK(last.event == attune::progress_event::finished);
    CHECK(has(last.text, "best 2.7"));
    CHECK(has(last.text, " with budget 27 after 69 evaluations"));
    CHECK(last.best_value == r.value);
}

TEST_CASE("an exception passes on, Ctrl-C keeps the best so far, wrong budgets are errors")
{
    int calls = 0;
    CHECK_THROWS_WITH_AS((void)minimize_with_budget(
                             plane,
                             [&](auto const&, double) -> double {
                                 if (++calls == 3) throw std::runtime_error("mine");
                                 return 1.0;
                             },
                             quiet()),
                         "mine", std::runtime_error);
    calls = 0;
    auto const r = minimize_with_budget(
        plane,
        [&](auto const&, double) {
            if (++calls == 3) ::raise(SIGINT);
            return -calls;
        },
        quiet());
    CHECK(r.interrupted);
    CHECK(r.evaluations == 3);
    CHECK(r.value == -3);
    auto wrong = quiet();
    wrong.budgets.eta = 1;
    CHECK_THROWS_AS((void)minimize_with_budget(
                        plane, [](auto const&, double) { return 1; }, wrong),
                    attune::error);
}
