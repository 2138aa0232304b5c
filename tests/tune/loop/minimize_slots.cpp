// tests/tune/loop/minimize_slots.cpp - the loop over scripted slots.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/minimize_slots.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/exhaustive.hpp>
#include <attune/search/local/genetic.hpp>
#include <attune/search/optimizer_core.hpp>
#include <attune/search/random.hpp>
#include <attune/space/build_pack.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../../support/recorded_progress.hpp"
#include "../../support/scripted_slots.hpp"
#include "../../support/texts.hpp"

using attune::point;
using attune::detail::minimize_on_slots;
using attune::detail::minimum_on_slots;
using attune_test::has;
using attune_test::never;
using attune_test::scripted_act;
using attune_test::scripted_slots;

namespace {

constexpr auto x = attune::ordinal<"X">(attune::range(0, 10));
constexpr auto y = attune::ordinal<"Y">(attune::range(0, 10));
constexpr auto plane = attune::space(x, y).where(x + y >= 5);

attune::chain_of_trees const& space()
{
    static attune::chain_of_trees const built = attune::build(plane, {});
    return built;
}
/// Number of (x, y) with 0 <= x, y <= 10 and x + y >= 5: 121 without the 15 below.
constexpr std::size_t all_points = 106;

/// Lowest at (7, 3), where it is 2.
attune::evaluation bowl(point const& at)
{
    double const dx = static_cast<double>(at[0].index) - 7;
    double const dy = static_cast<double>(at[1].index) - 3;
    return 2 + dx * dx + 3 * dy * dy;
}

attune::minimize_options quiet(attune::search_factory search = attune::default_search(),
                               std::uint64_t seed = 7)
{
    return {.seed = seed, .search = std::move(search), .progress = attune::silent_progress()};
}
attune::search_factory walk() { return attune::search_with<attune::exhaustive_searcher>(); }

std::size_t different(scripted_slots const& slots)
{
    std::set<std::string> seen;
    for (auto const& one : slots.submissions)
        seen.insert(attune::text_of(space().describe(), one.at));
    return seen.size();
}
std::vector<point> points(scripted_slots const& slots)
{
    std::vector<point> out;
    for (auto const& one : slots.submissions)
        out.push_back(one.at);
    return out;
}

/// Durations that have nothing to do with the order of submission: outcomes overtake each other.
scripted_act heavy_tailed(std::size_t slot, std::size_t number)
{
    attune::random_engine engine(1000 * slot + number);
    return {.seconds = std::pow(attune::uniform_unit(engine), -0.7)};
}

} // namespace

TEST_CASE("one slot gives the sequence of ask, evaluate, tell, bit for bit")
{
    for (auto const& search :
         {attune::default_search(), attune::search_with<attune::random_searcher>(),
          attune::search_with<attune::genetic>(), walk()}) {
        attune::detail::optimizer_core core(space(), search, 7, false);
        std::vector<point> expected;
        for (int i = 0; i < 40; ++i) {
            std::vector<point> const next = core.ask(1);
            REQUIRE(next.size() == 1);
            core.tell(next.front(), bowl(next.front()));
            expected.push_back(next.front());
        }
        scripted_slots slots({0}, bowl);
        minimum_on_slots const r =
            minimize_on_slots(space(), slots, {.evaluations = 40}, quiet(search), never);
        CHECK(points(slots) == expected);
        REQUIRE(r.found.best);
        CHECK(*r.found.best == core.best()->first);
        CHECK(r.found.value == core.best()->second);
        CHECK(r.found.evaluations == 40);
        CHECK(r.found.ended == "budget");
    }
}

TEST_CASE("outcomes out of order: nothing is evaluated twice and nothing is lost")
{
    for (std::size_t count : {std::size_t{2}, std::size_t{3}, std::size_t{8}, std::size_t{31}})
        for (auto const& search :
             {attune::default_search(), attune::search_with<attune::random_searcher>(),
              attune::search_with<attune::genetic>(), walk()}) {
            scripted_slots slots(std::vector<double>(count, 0.0), bowl, heavy_tailed);
            minimum_on_slots const r =
                minimize_on_slots(space(), slots, {.evaluations = 60}, quiet(search), never);
            CAPTURE(count);
            CHECK(slots.submissions.size() == 60);
            CHECK(different(slots) == 60);
            CHECK(slots.wrong_submissions == 0);
            CHECK(r.found.evaluations == 60);
            std::uint32_t sum = 0;
            for (attune::worker_use const& one : r.workers)
                sum += one.evaluations;
            CHECK(sum == 60);
            double lowest = never;
            for (auto const& one : slots.submissions)
                lowest = std::min(lowest, std::get<attune::measurement>(bowl(one.at).result).value);
            CHECK(r.found.value == lowest);
        }
}

TEST_CASE("a space smaller than the budget is walked to its end by any number of slots")
{
    for (std::size_t count : {std::size_t{1}, std::size_t{4}, std::size_t{200}}) {
        scripted_slots slots(std::vector<double>(count, 0.0), bowl, heavy_tailed);
        minimum_on_slots const r = minimize_on_slots(space(), slots, {}, quiet(), never);
        CHECK(r.found.evaluations == all_points);
        CHECK(different(slots) == all_points);
        CHECK(r.found.value == 2);
        CHECK(r.found.ended == "space");
    }
}

TEST_CASE("no slot waits for another: of equal durations all slots are always at work")
{
    scripted_slots slots({0, 0, 0, 0}, bowl);
    (void)minimize_on_slots(space(), slots, {.evaluations = 80}, quiet(walk()), never);
    // 80 evaluations of 1 s on 4 slots take 20 s.
    CHECK(slots.now() == doctest::Approx(20));
    // One slot is 50 times slower: the other three take its share, 79 / 3 s and the end.
    scripted_slots unlike({0, 0, 0, 0}, bowl, [](std::size_t slot, std::size_t) {
        return scripted_act{.seconds = slot == 2 ? 50.0 : 1.0};
    });
    minimum_on_slots const r =
        minimize_on_slots(space(), unlike, {.evaluations = 80}, quiet(walk()), never);
    CHECK(r.workers[2].evaluations == 1);
    CHECK(r.found.evaluations == 80);
    CHECK(unlike.now() == doctest::Approx(50)); // it is waited for: there is no limit
}

TEST_CASE("a slot that joins late holds nothing, and one that never joins is not waited for")
{
    scripted_slots slots({0, 10.5, never}, bowl);
    minimum_on_slots const r =
        minimize_on_slots(space(), slots, {.evaluations = 30}, quiet(walk()), never);
    CHECK(r.found.evaluations == 30);
    // From 10.5 s on there are two.
    CHECK(r.workers[0].evaluations == 20);
    CHECK(r.workers[1].evaluations == 10);
    CHECK(r.workers[2].evaluations == 0);
    CHECK(r.workers[2].name == "slot 2");
}

TEST_CASE("an objective that throws costs one evaluation, and people hear of its slot once")
{
    attune_test::recorded_progress heard;
    attune::minimize_options options = quiet(walk());
    options.progress = heard.sink();
    scripted_slots slots({0, 0, 0}, bowl, [](std::size_t slot, std::size_t) {
        return scripted_act{.throws = slot == 1};
    });
    minimum_on_slots const r =
        minimize_on_slots(space(), slots, {.evaluations = 30}, options, never);
    CHECK(r.found.evaluations == 30);
    CHECK(different(slots) == 30);
    CHECK(r.workers[1].evaluations == 10);
    CHECK(attune::total(r.workers[1].failures) == 10);
    CHECK(r.workers[1].first_fault == "slot 1: scripted");
    CHECK(r.workers[0].first_fault.empty());
    CHECK(attune::total(r.found.failures) == 10);
    CHECK(heard.count(attune::progress_event::notice) == 1);
    CHECK(has(heard.texts(attune::progress_event::notice), "slot 1: scripted, at X="));
    CHECK(heard.count(attune::progress_event::evaluated) == 30);
}

TEST_CASE(
    "nonsense is a failure that names its slot; a failure that was returned is the objective's")
{
    attune_test::recorded_progress heard;
    attune::minimize_options options = quiet(walk());
    options.progress = heard.sink();
    scripted_slots slots({0}, [](point const& at) -> attune::evaluation {
        if (at[0].index == 0) return never; // as objectives say that something does not work
        if (at[0].index == 1) return attune::measurement::exact(std::nan(""));
        if (at[0].index == 2) return attune::failure{attune::failure_stage::verify, "as it says"};
        return bowl(at);
    });
    minimum_on_slots const r = minimize_on_slots(space(), slots, {}, options, never);
    CHECK(r.found.evaluations == all_points);
    CHECK(r.found.value == 2);
    // x = 0, 1, 2 have y from 5, 4, 3 to 10.
    CHECK(attune::total(r.found.failures) == 6 + 7 + 8);
    CHECK(r.workers[0].first_fault == "slot 0: the value is not finite");
    CHECK(heard.count(attune::progress_event::notice) == 1);
    CHECK(has(heard.texts(attune::progress_event::notice), ", at X=1"));
}

TEST_CASE(
    "an overdue evaluation is a timeout; its late outcome is dropped and its slot works again")
{
    attune_test::recorded_progress heard;
    attune::minimize_options options = quiet(walk());
    options.progress = heard.sink();
    // The first submission to slot 1 takes 20.5 s; the limit is 3 s.
    bool slow = true;
    scripted_slots slots({0, 0}, bowl, [&](std::size_t slot, std::size_t) {
        return scripted_act{.seconds = slot == 1 && std::exchange(slow, slot != 1) ? 20.5 : 1.0};
    });
    minimum_on_slots const r = minimize_on_slots(space(), slots, {.evaluations = 40}, options, 3);
    CHECK(r.found.evaluations == 40);
    CHECK(different(slots) == 40);
    CHECK(slots.submissions.size() == 40);
    CHECK(slots.wrong_submissions == 0);
    CHECK(r.found.failures[static_cast<std::size_t>(attune::failure_stage::timeout)] == 1);
    CHECK(r.workers[1].first_fault == "slot 1: no outcome within 3 s");
    CHECK(has(heard.texts(attune::progress_event::notice), "slot 1: no outcome within 3 s, at X="));
    CHECK(r.workers[1].evaluations > 1); // after 20.5 s it works again
    CHECK(r.workers[0].evaluations + r.workers[1].evaluations == 40);
}

TEST_CASE("a slot that never answers does not hold the end")
{
    scripted_slots slots({0, 0}, bowl, [](std::size_t slot, std::size_t) {
        return scripted_act{.seconds = slot == 1 ? never : 1.0};
    });
    minimum_on_slots const r =
        minimize_on_slots(space(), slots, {.evaluations = 10}, quiet(walk()), 60);
    CHECK(r.found.evaluations == 10);
    CHECK(r.workers[0].evaluations == 9);
    CHECK(r.workers[1].evaluations == 1);
    CHECK(slots.now() == doctest::Approx(60)); // until it was overdue, the last of ten was open
}

TEST_CASE("when all slots that joined never answer, the search ends and says so")
{
    attune_test::recorded_progress heard;
    attune::minimize_options options = quiet(walk());
    options.progress = heard.sink();
    // A step of the script that moves no clock cannot end: the seconds bound a wrong loop.
    attune::search_limits const limits{.evaluations = 10, .seconds = 20};
    scripted_slots slots({0, 2, never}, bowl, [](std::size_t, std::size_t number) {
        return scripted_act{.seconds = number < 3 ? 1.0 : never};
    });
    minimum_on_slots const r = minimize_on_slots(space(), slots, limits, options, 60);
    CHECK(r.found.ended == "no worker");
    CHECK(!r.found.interrupted);
    CHECK(r.found.evaluations == slots.submissions.size());
    CHECK(r.found.failures[static_cast<std::size_t>(attune::failure_stage::timeout)] == 2);
    // The last submission, and twice the limit.
    CHECK(slots.now() == doctest::Approx(slots.submissions.back().begun_s + 120).epsilon(1e-3));
    CHECK(has(heard.texts(attune::progress_event::notice),
              "every worker has been overdue for a further 60 s"));
}

TEST_CASE("what arrived while the sink was at work is not overdue")
{
    // Both outcomes are there after 1.5 s. The sink is told the first after 1 s and takes 10 s.
    scripted_slots slots({0, 0}, bowl, [](std::size_t slot, std::size_t) {
        return scripted_act{.seconds = slot == 0 ? 1.0 : 1.5};
    });
    attune::minimize_options options = quiet(walk());
    options.progress = [&](attune::progress const& p) {
        if (p.event == attune::progress_event::evaluated) slots.pass(10);
    };
    minimum_on_slots const r = minimize_on_slots(space(), slots, {.evaluations = 12}, options, 3);
    CHECK(r.found.evaluations == 12);
    CHECK(attune::total(r.found.failures) == 0);
}

TEST_CASE("an evaluation may not take 0 seconds, less, or NaN")
{
    for (double const most : {0.0, -1.0, std::nan("")}) {
        scripted_slots slots({0}, bowl);
        CHECK_THROWS_AS(
            (void)minimize_on_slots(space(), slots, {.evaluations = 3}, quiet(walk()), most),
            attune::error);
        CHECK(slots.submissions.empty());
    }
}

TEST_CASE("stop rules end the search, and what is pending is told")
{
    scripted_slots slots({0, 0, 0, 0}, bowl, heavy_tailed);
    minimum_on_slots const r =
        minimize_on_slots(space(), slots, {.target = 2}, quiet(walk()), never);
    CHECK(r.found.ended == "stop rule");
    CHECK(r.found.value == 2);
    CHECK(r.found.evaluations == slots.submissions.size());
    CHECK(r.found.evaluations < all_points);
}

TEST_CASE("without a budget the first configuration is evaluated, by one slot of many")
{
    for (attune::search_limits const& limits :
         {attune::search_limits{.evaluations = 0}, attune::search_limits{.seconds = 0}}) {
        scripted_slots slots({0, 0, 0, 0}, bowl);
        minimum_on_slots const r = minimize_on_slots(space(), slots, limits, quiet(), never);
        CHECK(r.found.evaluations == 1);
        CHECK(slots.submissions.size() == 1);
    }
}

TEST_CASE("Ctrl-C here, and at a slot: no more is asked, what is pending is told")
{
    SUBCASE("here")
    {
        scripted_slots slots({0, 0, 0}, bowl, [](std::size_t, std::size_t number) {
            if (number == 10) std::raise(SIGINT);
            return scripted_act{};
        });
        minimum_on_slots const r = minimize_on_slots(space(), slots, {}, quiet(walk()), never);
        CHECK(r.found.interrupted);
        CHECK(r.found.ended == "interrupted");
        CHECK(r.found.evaluations == slots.submissions.size());
        CHECK(r.found.evaluations <= 13);
    }
    SUBCASE("at a slot")
    {
        scripted_slots slots({0, 0, 0}, bowl, [](std::size_t, std::size_t number) {
            return scripted_act{.wants_stop = number == 10};
        });
        minimum_on_slots const r = minimize_on_slots(space(), slots, {}, quiet(walk()), never);
        CHECK(r.found.interrupted);
        CHECK(r.found.ended == "interrupted");
        CHECK(r.found.evaluations == slots.submissions.size());
        CHECK(r.found.evaluations <= 13);
    }
    SUBCASE("at a slot that had not begun: what it gives back does not count")
    {
        scripted_slots slots({0, 0, 0}, bowl, [](std::size_t, std::size_t number) {
            return scripted_act{.wants_stop = number == 10, .gives_back = number == 10};
        });
        minimum_on_slots const r =
            minimize_on_slots(space(), slots, {.seconds = 20}, quiet(walk()), 60);
        CHECK(r.found.interrupted);
        CHECK(r.found.ended == "interrupted");
        CHECK(r.found.evaluations == slots.submissions.size() - 1);
        CHECK(attune::total(r.found.failures) == 0);
        CHECK(r.found.evaluations <= 12);
    }
}

TEST_CASE("bounds: what breaks one is never the best, in the report of its slot too")
{
    attune::minimize_options options = quiet(walk());
    options.bounds = {attune::at_most("bytes", 5)};
    auto const weighed = [](point const& at) -> attune::evaluation {
        auto const x_value = static_cast<double>(at[0].index);
        return {std::get<attune::measurement>(bowl(at).result).value, {{"bytes", x_value}}};
    };
    scripted_slots slots({0, 0, 0}, weighed, heavy_tailed);
    minimum_on_slots const r = minimize_on_slots(space(), slots, {}, options, never);
    REQUIRE(r.found.best);
    CHECK((*r.found.best)[0].index == 5);
    CHECK((*r.found.best)[1].index == 3);
    CHECK(r.found.value == 2 + 4);
    REQUIRE(r.found.quantities.size() == 1);
    CHECK(r.found.quantities[0].value == 5);
    std::uint32_t broken = 0;
    for (attune::worker_use const& one : r.workers)
        broken += one.failures[static_cast<std::size_t>(attune::failure_stage::bound)];
    CHECK(broken == 5 * 11); // x from 6 to 10
    CHECK(r.found.failures[static_cast<std::size_t>(attune::failure_stage::bound)] == 5 * 11);
}

TEST_CASE("what an objective throws is a failure with its text")
{
    auto const thrown = attune::detail::evaluate_guarded(
        [](point const&) -> attune::evaluation { throw std::runtime_error("no licence"); }, {});
    CHECK(thrown.is_fault);
    CHECK(std::get<attune::failure>(thrown.seen.result).reason == "no licence");
    auto const fine = attune::detail::evaluate_guarded(bowl, point{{.index = 7}, {.index = 3}});
    CHECK(!fine.is_fault);
    CHECK(std::get<attune::measurement>(fine.seen.result).value == 2);
}
