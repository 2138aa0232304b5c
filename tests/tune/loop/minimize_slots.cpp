// tests/tune/loop/minimize_slots.cpp - what ends a loop over an objective, and the loop over scripted slots.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/minimize_slots.hpp>

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/local/populations.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/random.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <doctest/doctest.h>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/bowl.hpp"
#include "../../support/recorded_progress.hpp"
#include "../../support/scripted_slots.hpp"
#include "../../support/texts.hpp"

using attune::failure;
using attune::failure_stage;
using attune::measurement;
using attune::outcome;
using attune::point;
using attune::search_limits;
using attune::detail::minimize_on_slots;
using attune::detail::minimum_on_slots;
using attune::detail::objective_board;
using attune::detail::run_minimize_loop;
using attune::detail::run_state;
using attune_test::has;
using attune_test::never;
using attune_test::scripted_act;
using attune_test::scripted_slots;
using attune_test::plane_with_bowl::all_points;
using attune_test::plane_with_bowl::bowl;
using attune_test::plane_with_bowl::space;

namespace {

attune::minimize_options quiet(attune::search_factory search = attune::default_search(),
                               std::uint64_t seed = 7)
{
    return {.seed = seed, .search = std::move(search), .progress = attune::silent_progress()};
}
attune::search_factory walk() { return attune::search_with<attune::exhaustive_searcher>(); }
minimum_on_slots run(scripted_slots& slots, attune::search_limits const& limits,
                     attune::search_factory search = walk(), double most_s = never)
{
    return minimize_on_slots(space(), slots, limits, quiet(std::move(search)), most_s);
}
attune::minimize_options told_to(attune_test::recorded_progress& heard)
{
    return {.seed = 7, .search = walk(), .progress = heard.sink()};
}
std::vector<attune::search_factory> searches()
{
    return {attune::default_search(), attune::search_with<attune::random_searcher>(),
            attune::search_with<attune::genetic>(), walk()};
}

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

/// Counts from 0; has `size` trials.
struct counting_search {
    using trial = int;
    int size = 1000;
    int rule_after = 1000;
    int signal_at = -1;
    int asked = 0;
    int taken = 0;

    std::optional<int> ask() { return asked < size ? std::optional<int>(asked++) : std::nullopt; }
    void take(int value, run_state& board)
    {
        ++taken;
        if (value == signal_at) (void)std::raise(SIGINT);
        board.add({}, measurement::exact(value), "");
    }
    [[nodiscard]] bool meets_a_rule() const { return taken >= rule_after; }
    [[nodiscard]] bool is_exhausted() const { return asked >= size; }
};

/// How it ended, and after how many trials: "budget 3".
std::string ended(counting_search search, search_limits const& limits)
{
    run_state board = objective_board("loop", limits, 1000, attune::silent_progress());
    auto const end = run_minimize_loop(search, board);
    CHECK(end.interrupted == (end.ended == "interrupted"));
    CHECK(board.evaluations() == static_cast<std::uint32_t>(search.taken));
    return end.ended + " " + std::to_string(search.taken);
}

} // namespace

TEST_CASE("one slot gives the sequence of ask, evaluate, tell, bit for bit")
{
    for (auto const& search : searches()) {
        attune::detail::optimizer_core core(space(), search, 7, false);
        std::vector<point> expected;
        for (int i = 0; i < 40; ++i) {
            std::vector<point> const next = core.ask(1);
            REQUIRE(next.size() == 1);
            core.tell(next.front(), bowl(next.front()));
            expected.push_back(next.front());
        }
        scripted_slots slots({0}, bowl);
        minimum_on_slots const r = run(slots, {.evaluations = 40}, search);
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
    for (std::size_t count : {2UL, 3UL, 8UL, 31UL})
        for (auto const& search : searches()) {
            scripted_slots slots(std::vector<double>(count, 0.0), bowl, heavy_tailed);
            minimum_on_slots const r = run(slots, {.evaluations = 60}, search);
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
    for (std::size_t count : {1UL, 4UL, 200UL}) {
        scripted_slots slots(std::vector<double>(count, 0.0), bowl, heavy_tailed);
        minimum_on_slots const r = run(slots, {}, attune::default_search());
        CHECK(r.found.evaluations == all_points);
        CHECK(different(slots) == all_points);
        CHECK(r.found.value == 2);
        CHECK(r.found.ended == "space");
    }
}

TEST_CASE("no slot waits for another: of equal durations all slots are always at work")
{
    scripted_slots slots({0, 0, 0, 0}, bowl);
    (void)run(slots, {.evaluations = 80});
    // 80 evaluations of 1 s on 4 slots take 20 s.
    CHECK(slots.now() == doctest::Approx(20));
    // One slot is 50 times slower: the other three take its share, 79 / 3 s and the end.
    scripted_slots unlike({0, 0, 0, 0}, bowl, [](std::size_t slot, std::size_t) {
        return scripted_act{.seconds = slot == 2 ? 50.0 : 1.0};
    });
    minimum_on_slots const r = run(unlike, {.evaluations = 80});
    CHECK(r.workers[2].evaluations == 1);
    CHECK(r.found.evaluations == 80);
    CHECK(unlike.now() == doctest::Approx(50)); // it is waited for: there is no limit
}

TEST_CASE("a slot that joins late holds nothing, and one that never joins is not waited for")
{
    scripted_slots slots({0, 10.5, never}, bowl);
    minimum_on_slots const r = run(slots, {.evaluations = 30});
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
    attune::minimize_options const options = told_to(heard);
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
    attune::minimize_options const options = told_to(heard);
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
    attune::minimize_options const options = told_to(heard);
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
    minimum_on_slots const r = run(slots, {.evaluations = 10}, walk(), 60);
    CHECK(r.found.evaluations == 10);
    CHECK(r.workers[0].evaluations == 9);
    CHECK(r.workers[1].evaluations == 1);
    CHECK(slots.now() == doctest::Approx(60)); // until it was overdue, the last of ten was open
}

TEST_CASE("when all slots that joined never answer, the search ends and says so")
{
    attune_test::recorded_progress heard;
    attune::minimize_options const options = told_to(heard);
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
        CHECK_THROWS_AS((void)run(slots, {.evaluations = 3}, walk(), most), attune::error);
        CHECK(slots.submissions.empty());
    }
}

TEST_CASE("stop rules end the search, and what is pending is told")
{
    scripted_slots slots({0, 0, 0, 0}, bowl, heavy_tailed);
    minimum_on_slots const r = run(slots, {.target = 2});
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
        minimum_on_slots const r = run(slots, limits, attune::default_search());
        CHECK(r.found.evaluations == 1);
        CHECK(slots.submissions.size() == 1);
    }
}

TEST_CASE("Ctrl-C here, and at a slot: no more is asked, what is pending is told")
{
    struct act {
        char const* what;
        scripted_act tenth; ///< what the tenth submission does
        std::uint32_t most;
    };
    for (act const& one :
         {act{"here", {}, 13}, act{"at a slot", {.wants_stop = true}, 13},
          // what a slot that had not begun gives back does not count
          act{"at a slot that had not begun", {.wants_stop = true, .gives_back = true}, 12}}) {
        CAPTURE(one.what);
        scripted_slots slots({0, 0, 0}, bowl, [&](std::size_t, std::size_t number) {
            if (number == 10 && !one.tenth.wants_stop) std::raise(SIGINT);
            return number == 10 ? one.tenth : scripted_act{};
        });
        minimum_on_slots const r = run(slots, {.seconds = 20}, walk(), 60);
        CHECK(r.found.interrupted);
        CHECK(r.found.ended == "interrupted");
        CHECK(r.found.evaluations == slots.submissions.size() - (one.tenth.gives_back ? 1 : 0));
        CHECK(attune::total(r.found.failures) == 0);
        CHECK(r.found.evaluations <= one.most);
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

TEST_CASE("a loop ends by its budget, its space, a rule or Ctrl-C, whichever is first")
{
    CHECK(ended({}, {.evaluations = 3}) == "budget 3");
    CHECK(ended({}, {.evaluations = 0}) == "budget 1");
    CHECK(ended({}, {.seconds = 0}) == "budget 1");
    CHECK(ended({.size = 5}, {}) == "space 5");
    CHECK(ended({.size = 5}, {.evaluations = 5}) == "space 5");
    CHECK(ended({.rule_after = 4}, {}) == "stop rule 4");
    CHECK(ended({.size = 4, .rule_after = 4}, {}) == "stop rule 4");
    CHECK(ended({.signal_at = 6}, {}) == "interrupted 7");
    CHECK(ended({.size = 0}, {}) == "space 0");
}

TEST_CASE("what is good enough is not what it costs")
{
    search_limits const given{.evaluations = 3, .seconds = 4, .target = 5, .patience = 6};
    CHECK(attune::detail::without_cost(given) == search_limits{.target = 5, .patience = 6});
}

TEST_CASE("the sentence on failures counts them and quotes the first")
{
    run_state board = objective_board("loop", {}, 1000, attune::silent_progress());
    CHECK(attune::detail::text_of_failures(board) == "no configuration was evaluated");
    board.add({}, failure{failure_stage::crash, "at once"}, "");
    board.add({}, failure{failure_stage::crash, "again"}, "");
    CHECK(attune::detail::text_of_failures(board) ==
          "every configuration failed: 2 crashed; the first reason: at once");
}

TEST_CASE("rules without effect are told, and only those that are set")
{
    attune_test::recorded_progress seen;
    run_state const board = objective_board("loop", {}, 1000, seen.sink());
    attune::detail::tell_rules_without_effect(board, search_limits::usual(), false, "f");
    attune::detail::tell_rules_without_effect(board, {.target = 1, .patience = 2}, true, "f");
    CHECK(seen.events().empty());
    attune::detail::tell_rules_without_effect(board, {.expected_gain = 0.1}, true, "f");
    REQUIRE(seen.events().size() == 1);
    CHECK(seen.events().front().text == "search_limits without an effect in f: expected_gain");
}
