// tests/tune/bounded.cpp - minimize and optimizer with bounds on what is measured beside the value.
// SPDX-License-Identifier: MIT
#include <attune/core/error.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/compose/aging_evolution.hpp>
#include <attune/search/local/annealing.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/random.hpp>
#include <attune/tune/minimize.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../support/recorded_progress.hpp"
#include "../support/texts.hpp"

using attune::at_least;
using attune::at_most;
using attune::evaluation;
using attune::failure;
using attune::failure_stage;
using attune::minimize;
using attune_test::has;
using attune_test::recorded_progress;

namespace {

double const not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr auto x = attune::ordinal<"X">(attune::range(0, 39));
constexpr auto y = attune::ordinal<"Y">(attune::range(0, 39));
constexpr auto plane = attune::space(x, y);

double seconds_at(int i, int j) { return 1 + (39.0 - i) * 0.1 + (39.0 - j) * 0.13; }
double error_at(int i, int j) { return 1e-8 * std::exp(0.25 * i + 0.15 * j); }

/// Falls with both; the error rises with both, over seven decades.
constexpr auto trade = [](auto const& c) {
    return evaluation{seconds_at(c[x], c[y]),
                      {{"error", error_at(c[x], c[y])}, {"bytes", 64.0 * (1 + c[x])}}};
};

/// The lowest time with an error of at most `most`, by brute force.
double best_of_all(double most)
{
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 40; ++i)
        for (int j = 0; j < 40; ++j)
            if (error_at(i, j) <= most) best = std::min(best, seconds_at(i, j));
    return best;
}

attune::minimize_options within(double most, attune::search_factory search)
{
    return {.seed = 1,
            .search = std::move(search),
            .progress = attune::silent_progress(),
            .bounds = {at_most("error", most)}};
}
attune::search_factory walking() { return attune::search_with<attune::exhaustive_searcher>(); }

double error_of(std::vector<attune::quantity> const& measured)
{
    for (attune::quantity const& q : measured)
        if (q.name == "error") return q.value;
    return not_a_number;
}

} // namespace

TEST_CASE("the best is the fastest within the bound when the whole space is walked")
{
    auto const all = attune::search_limits::of_evaluations(5000);
    auto const r = minimize(plane, trade, all, within(1e-3, walking()));
    REQUIRE(r.best);
    CHECK(r.value == best_of_all(1e-3));
    CHECK(error_of(r.quantities) <= 1e-3);
    CHECK(r.quantities.size() == 2);
    CHECK(r.shortfall.empty());
    CHECK(r.failures[static_cast<std::size_t>(failure_stage::bound)] > 0);
    CHECK(attune::total(r.failures) == r.failures[static_cast<std::size_t>(failure_stage::bound)]);
    auto options = within(1e-3, walking());
    options.bounds.push_back(at_least("bytes", 64 * 30));
    auto const two = minimize(plane, trade, all, options);
    REQUIRE(two.best);
    CHECK((*two.best)[x] >= 29);
    CHECK(error_of(two.quantities) <= 1e-3);
    CHECK(two.value > r.value);
}

TEST_CASE("whatever search proposes, what is beyond the bound is never the best")
{
    std::vector<attune::search_factory> const searches{
        attune::default_search(),
        attune::search_with<attune::bayesian_searcher>(),
        attune::search_with<attune::random_searcher>(),
        attune::search_with<attune::annealing>(),
        attune::search_with<attune::regularized_evolution>(),
        attune::search_with<attune::search::auc_bandit>(std::vector<attune::search::technique>{
            {"model", attune::search_with<attune::bayesian_searcher>()},
            {"random", attune::search_with<attune::random_searcher>()}})};
    for (attune::search_factory const& search : searches) {
        auto const r =
            minimize(plane, trade, attune::search_limits::of_evaluations(50), within(1e-6, search));
        REQUIRE(r.best);
        CHECK(error_of(r.quantities) <= 1e-6);
        CHECK(r.value >= best_of_all(1e-6));
    }
}

TEST_CASE("a model of the quantity finds the fastest within the bound in few evaluations")
{
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        auto options = within(1e-6, attune::default_search());
        options.seed = seed;
        auto const r = minimize(plane, trade, attune::search_limits::of_evaluations(40), options);
        REQUIRE(r.best);
        CHECK(r.value <= best_of_all(1e-6) * 1.03);
    }
}

TEST_CASE("if nothing keeps the bounds one sentence says so, with the nearest")
{
    recorded_progress seen;
    auto options = within(1e-9, walking()); // the least error is 1e-8
    options.progress = seen.sink();
    auto const r = minimize(plane, trade, {}, options);
    CHECK(!r.best);
    CHECK(r.evaluations == 1600);
    CHECK(r.shortfall ==
          "no configuration keeps error <= 1e-09: the nearest has error 1e-08 at X=0 Y=0");
    REQUIRE(!seen.events().empty());
    CHECK(seen.events().back().text == r.shortfall + ", after 1600 evaluations");
    // If all failed otherwise, nothing is near.
    auto const crashed = minimize(
        plane, [](auto const&) { return evaluation{failure{failure_stage::crash, "no"}}; },
        {.evaluations = 5}, within(1, attune::default_search()));
    CHECK(!crashed.best);
    CHECK(crashed.shortfall.empty());
}

TEST_CASE("a quantity that is NaN keeps no bound, and the search goes on")
{
    auto const r = minimize(
        plane,
        [](auto const& c) {
            return evaluation{1.0 + c[x], {{"error", c[x] < 20 ? not_a_number : 0.0}}};
        },
        {.evaluations = 60}, within(1e-3, attune::default_search()));
    REQUIRE(r.best);
    CHECK((*r.best)[x] >= 20);
    auto const none = minimize(
        plane, [](auto const& c) { return evaluation{1.0 + c[x], {{"error", not_a_number}}}; },
        {.evaluations = 20}, within(1e-3, attune::default_search()));
    CHECK(!none.best);
    CHECK(has(none.shortfall, "no configuration keeps error <= 0.001: the nearest has error NaN"));
}

TEST_CASE("a measurement without a quantity that has a bound is an error, a failure is not")
{
    CHECK_THROWS_AS((void)minimize(
                        plane, [](auto const&) { return evaluation{1.0, {{"eror", 0.0}}}; },
                        {.evaluations = 3}, within(1, attune::default_search())),
                    attune::error);
    CHECK_THROWS_AS((void)minimize(
                        plane, [](auto const& c) { return 1.0 + c[x]; }, {.evaluations = 3},
                        within(1, attune::default_search())),
                    attune::error);
    auto const r = minimize(
        plane,
        [](auto const& c) {
            return c[x] % 2 == 0 ? evaluation{not_a_number}
                                 : evaluation{1.0 + c[x], {{"error", 0.0}}};
        },
        {.evaluations = 30}, within(1, attune::default_search()));
    REQUIRE(r.best);
    CHECK((*r.best)[x] % 2 == 1);
}

TEST_CASE("a bound that everything keeps changes neither best nor value; without bounds none is")
{
    auto with = within(1e9, walking());
    auto without = with;
    without.bounds.clear();
    auto const a = minimize(plane, trade, {.evaluations = 300}, with);
    auto const b = minimize(plane, trade, {.evaluations = 300}, without);
    REQUIRE(a.best);
    REQUIRE(b.best);
    CHECK(a.value == b.value);
    CHECK(b.quantities.size() == 2);
    // Numbers and evaluations without bounds give the same points to the default search.
    std::vector<int> from_numbers;
    std::vector<int> from_evaluations;
    without.search = attune::default_search();
    (void)minimize(
        plane,
        [&](auto const& c) {
            from_evaluations.push_back(c[x] * 40 + c[y]);
            return trade(c);
        },
        {.evaluations = 25}, without);
    (void)minimize(
        plane,
        [&](auto const& c) {
            from_numbers.push_back(c[x] * 40 + c[y]);
            return seconds_at(c[x], c[y]);
        },
        {.evaluations = 25}, without);
    CHECK(from_numbers == from_evaluations);
}

TEST_CASE("ties within the bound: the first told stays the best")
{
    attune::optimizer_options options{.search = walking(), .bounds = {at_most("q", 1)}};
    attune::optimizer opt{plane, options};
    std::vector<attune::optimizer<decltype(plane)>::config_type> tried;
    for (double const q : {2.0, 1.0, 0.5}) {
        auto const c = opt.ask();
        REQUIRE(c);
        tried.push_back(*c);
        opt.tell(*c, evaluation{5.0, {{"q", q}}});
    }
    REQUIRE(opt.best());
    CHECK((*opt.best())[y] == tried[1][y]);
    CHECK((*opt.best())[x] == tried[1][x]);
    opt.observe(tried[0], evaluation{1.0, {{"q", 0.9}}}); // replaced: now within
    CHECK(opt.best_value() == 1.0);
}

TEST_CASE("what is observed anew beyond the bound is the best no more")
{
    attune::optimizer_options options{.search = walking(), .bounds = {at_most("q", 1)}};
    attune::optimizer opt{plane, options};
    std::vector<attune::optimizer<decltype(plane)>::config_type> tried;
    for (double const value : {3.0, 1.0, 2.0}) {
        tried.push_back(*opt.ask());
        opt.tell(tried.back(), evaluation{value, {{"q", 0.5}}});
    }
    CHECK(opt.best_value() == 1.0);
    opt.observe(tried[1], evaluation{1.0, {{"q", 9.0}}});
    CHECK(opt.best_value() == 2.0);
    opt.observe(tried[2], evaluation{4.0, {{"q", 0.5}}}); // a worse value
    CHECK(opt.best_value() == 3.0);
    CHECK((*opt.best())[x] == tried[0][x]);
    opt.observe(tried[0], failure{failure_stage::crash, "now"});
    opt.observe(tried[2], evaluation{4.0, {{"q", 7.0}}});
    CHECK_FALSE(opt.best_value());
    CHECK(has(opt.summary(), "q 7")); // not the 9 that is farther
}

TEST_CASE("an infinite quantity keeps its side of a bound through a log")
{
    double const infinity = std::numeric_limits<double>::infinity();
    attune::optimizer_options const options{
        .search = walking(), .bounds = {at_most("digits", -3), attune::at_least("room", 2)}};
    attune::optimizer opt{plane, options};
    for (double const value : {3.0, 2.0, 1.0}) {
        auto const c = opt.ask();
        REQUIRE(c);
        opt.tell(
            *c,
            evaluation{value, {{"digits", value < 2 ? infinity : -infinity}, {"room", infinity}}});
    }
    CHECK(opt.best_value() == 2.0);
    attune::optimizer resumed{plane, options};
    resumed.resume(attune::read_session(attune::text_of(opt.save())));
    CHECK(resumed.best_value() == 2.0);
    CHECK(resumed.summary() == opt.summary());
}

TEST_CASE("limits that differ in their last digits are different bounds")
{
    attune::optimizer one{plane, {.seed = 4, .bounds = {at_most("q", 1'000'000.0)}}};
    attune::optimizer other{plane, {.seed = 4, .bounds = {at_most("q", 1'000'000.4)}}};
    CHECK_THROWS_AS(other.resume(one.save()), attune::error);
}

TEST_CASE("an optimizer goes on from its log, which has the quantities, bit for bit")
{
    attune::optimizer_options const options{.seed = 4, .bounds = {at_most("error", 1e-5)}};
    attune::optimizer whole{plane, options};
    auto const step = [](auto& opt) {
        auto const c = opt.ask();
        REQUIRE(c);
        if ((*c)[x] == 7)
            opt.tell(*c, failure{failure_stage::timeout, "slow"});
        else
            opt.tell(*c, trade(*c));
        return std::pair((*c)[x], (*c)[y]);
    };
    for (int i = 0; i < 15; ++i)
        step(whole);
    std::string const text = attune::text_of(whole.save());
    attune::optimizer resumed{plane, options};
    resumed.resume(attune::read_session(text));
    CHECK(resumed.best_value() == whole.best_value());
    CHECK(resumed.summary() == whole.summary());
    for (int i = 0; i < 8; ++i)
        CHECK(step(resumed) == step(whole));
    if (resumed.best_value()) CHECK(*resumed.best_value() >= best_of_all(1e-5));
    // Outcomes under another bound are no past of this search.
    attune::optimizer other{plane, {.seed = 4, .bounds = {at_most("error", 1e-4)}}};
    CHECK_THROWS_AS(other.resume(attune::read_session(text)), attune::error);
    attune::optimizer none{plane, {.seed = 4}};
    CHECK_THROWS_AS(none.resume(attune::read_session(text)), attune::error);
    // A log whose numbers are missing is damaged.
    attune::logged_session damaged = whole.save();
    for (attune::event& e : damaged.events)
        e.numbers.clear();
    attune::optimizer fresh{plane, options};
    CHECK_THROWS_AS(fresh.resume(damaged), attune::error);
}

TEST_CASE("a target and patience look at what keeps the bounds alone")
{
    auto options = within(1e-6, walking());
    double const lowest = best_of_all(1e-6);
    // Everything below the lowest value within the bound is beyond it.
    auto const r = minimize(plane, trade, {.evaluations = 1600, .target = lowest * 0.99}, options);
    CHECK(r.evaluations == 1600);
    auto const reached = minimize(plane, trade, {.evaluations = 1600, .target = lowest}, options);
    CHECK(reached.evaluations < 1600);
    CHECK(reached.value == lowest);
}

TEST_CASE("the summary of an optimizer says that nothing keeps the bounds")
{
    attune::optimizer opt{plane, {.search = walking(), .bounds = {at_least("speed", 100)}}};
    CHECK(opt.shortfall().empty());
    auto const c = opt.ask();
    REQUIRE(c);
    opt.tell(*c, evaluation{2.0, {{"speed", 50}}});
    CHECK(opt.shortfall() ==
          "no configuration keeps speed >= 100: the nearest has speed 50 at X=0 Y=0");
    CHECK(opt.summary() == "1 evaluation, 1 failed; " + opt.shortfall());
    CHECK(!opt.best());
    CHECK_THROWS_AS((attune::optimizer{plane, {.bounds = {at_most("speed", not_a_number)}}}),
                    attune::error);
}
