// tests/tune/loop/minimize_loop.cpp - what ends a loop over an objective, and what it says.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/minimize_loop.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <limits>
#include <optional>
#include <string>
#include <variant>

#include "../../support/recorded_progress.hpp"

using attune::failure;
using attune::failure_stage;
using attune::measurement;
using attune::outcome;
using attune::search_limits;
using attune::detail::objective_board;
using attune::detail::run_minimize_loop;
using attune::detail::run_state;

namespace {

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

TEST_CASE("infinite values and NaN are failures; other values and failures stay")
{
    for (double const wrong :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()}) {
        outcome result = measurement::exact(wrong);
        attune::detail::refuse_not_finite(result);
        CHECK(std::holds_alternative<failure>(result));
    }
    outcome fine = measurement{2, 1, 3, 9};
    attune::detail::refuse_not_finite(fine);
    REQUIRE(std::holds_alternative<measurement>(fine));
    CHECK(std::get<measurement>(fine).samples == 9);
    outcome failed = failure{failure_stage::crash, "no"};
    attune::detail::refuse_not_finite(failed);
    CHECK(std::get<failure>(failed).reason == "no");
}

TEST_CASE("the sentence on failures counts them and quotes the first")
{
    run_state board = objective_board("loop", {}, 1000, attune::silent_progress());
    board.add({}, failure{failure_stage::crash, "at once"}, "");
    board.add({}, failure{failure_stage::crash, "again"}, "");
    CHECK(attune::detail::text_of_failures(board) ==
          "every configuration failed: 2 crashed; the first said: at once");
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
    CHECK(seen.events().front().text == "search_limits: expected_gain ends nothing in f");
}
