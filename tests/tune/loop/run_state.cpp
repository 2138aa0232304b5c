// tests/tune/loop/run_state.cpp - counts, the best, the clock.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/run_state.hpp>

#include <attune/declare/pack.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/build_pack.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

#include "../../support/recorded_progress.hpp"

using attune::failure;
using attune::failure_stage;
using attune::measurement;
using attune::detail::run_state;
using attune_test::recorded_progress;

namespace {

constexpr std::uint32_t many = std::numeric_limits<std::uint32_t>::max();

attune::point at(std::uint32_t index) { return {attune::coordinate{index, 0}}; }

} // namespace

TEST_CASE("the run_state keeps the lowest value and where it stands")
{
    run_state board{"k", {10, 60}, many, {}};
    CHECK(!board.best());
    board.add(at(0), measurement::exact(5), "a");
    board.add(at(1), failure{failure_stage::crash, "boom"}, "b");
    board.add(at(2), measurement::exact(3), "c");
    board.add(at(3), measurement::exact(4), "d");
    board.add(at(4), measurement::exact(3), "e"); // a tie does not replace what came first
    REQUIRE(board.best());
    CHECK(board.best()->first == at(2));
    CHECK(board.best()->second.value == 3);
    CHECK(board.evaluations() == 5);
}

TEST_CASE("failures are counted by stage, and the first of each stage is kept in order")
{
    run_state board{"k", {10, 60}, many, {}};
    board.add(at(0), failure{failure_stage::verify, "v1"}, "");
    board.add(at(1), failure{failure_stage::compile, "c1"}, "");
    board.add(at(2), failure{failure_stage::verify, "v2"}, "");
    CHECK(attune::total(board.failures()) == 3);
    CHECK(board.failures()[static_cast<std::size_t>(failure_stage::verify)] == 2);
    REQUIRE(board.first_failures().size() == 2);
    CHECK(board.first_failures()[0].reason == "v1");
    CHECK(board.first_failures()[1].reason == "c1");
}

TEST_CASE("the budget ends with the evaluations, with the time, or when the reserve is reached")
{
    run_state two{"k", attune::search_limits::of_evaluations(2), many, {}};
    CHECK(two.budget_left());
    two.add(at(0), measurement::exact(1), "");
    CHECK(two.budget_left());
    two.add(at(1), failure{}, ""); // failures count
    CHECK(!two.budget_left());

    CHECK(!run_state{"k", attune::search_limits::of_seconds(1e-12), many, {}}.budget_left());
    run_state const hour{"k", attune::search_limits::of_seconds(3600), many, {}};
    CHECK(hour.budget_left());
    CHECK(!hour.budget_left(3601));
    CHECK(hour.elapsed_s() >= 0);
}

TEST_CASE("a value that is no number is never the best")
{
    run_state board{"k", {10, 60}, many, {}};
    board.add(at(0), measurement::exact(std::nan("")), "");
    board.add(at(1), measurement::exact(2), "");
    REQUIRE(board.best());
    CHECK(board.best()->second.value == 2);
    CHECK(attune::total(board.failures()) == 1);
}

TEST_CASE("every evaluation reaches the sink with the state after it")
{
    recorded_progress heard;
    run_state board{"sgemm", {10, 60}, 4, heard.sink()};
    board.set_default(8);
    board.announce(attune::progress_event::started, "4 configurations");
    board.add(at(0), failure{failure_stage::timeout, "slow"}, "A=0");
    board.add(at(1), measurement::exact(2), "A=1");
    board.add(at(2), measurement::exact(6), "A=2");
    REQUIRE(heard.events().size() == 4);
    auto const& [started, failed, better, worse] =
        std::tie(heard.events()[0], heard.events()[1], heard.events()[2], heard.events()[3]);
    CHECK(started.event == attune::progress_event::started);
    CHECK(started.name == "sgemm");
    CHECK(started.text == "4 configurations");
    CHECK(started.evaluations == 4); // of the space, which is smaller than the budget
    CHECK(!failed.improved);
    CHECK(!failed.has_best);
    CHECK(failed.failures[static_cast<std::size_t>(failure_stage::timeout)] == 1);
    CHECK(better.improved);
    CHECK(better.best_value == 2);
    CHECK(better.default_value == 8);
    CHECK(better.text == "A=1");
    CHECK(better.evaluation == 2);
    CHECK(better.objective.is_seconds);
    CHECK(!worse.improved);
    CHECK(worse.best_value == 2);
    CHECK(worse.left_s <= 60);
}

TEST_CASE("without any limit of evaluations none is told, and other units than seconds are marked")
{
    recorded_progress heard;
    run_state board{"f", attune::search_limits::of_seconds(60), many, heard.sink()};
    board.set_objective({.is_seconds = false});
    board.add(at(0), measurement::exact(1), "");
    CHECK(heard.events().at(0).evaluations == 0);
    CHECK(!heard.events().at(0).objective.is_seconds);
}

TEST_CASE("failures that hit all but the default are said in one sentence, with the first reason")
{
    auto const missing = [](char const* reason) { return failure{failure_stage::compile, reason}; };
    run_state board{"f", {}, many, {}};
    board.add(at(0), measurement::exact(1), "");
    CHECK(board.common_failure().empty());
    board.add(at(1), missing("'omp.h' file not found"), "");
    CHECK(board.common_failure().empty()); // one is no rule
    board.add(at(2), missing("another"), "");
    CHECK(board.common_failure() == "all 2 configurations but the default did not compile; the "
                                    "first reason: 'omp.h' file not found");
    board.add(at(3), failure{failure_stage::crash, "SIGSEGV"}, "");
    CHECK(board.common_failure().empty());

    run_state one_works{"f", {}, many, {}};
    for (std::uint32_t i = 0; i < 2; ++i) {
        one_works.add(at(i), measurement::exact(1), "");
        one_works.add(at(i + 2), missing("no"), "");
    }
    CHECK(one_works.common_failure().empty());
    run_state none{"f", {}, many, {}};
    none.add(at(0), missing("no"), "");
    none.add(at(1), missing("no"), "");
    CHECK(none.common_failure() == "all 2 configurations did not compile; the first reason: no");
}

TEST_CASE("the possible evaluations are the configurations of a finite space")
{
    constexpr auto a = attune::ordinal<"A">(attune::values(1, 2, 3));
    constexpr auto b = attune::ordinal<"B">(attune::values(1, 2));
    constexpr auto x = attune::real<"X">(0.0, 1.0);
    CHECK(attune::detail::possible_evaluations(attune::build(attune::space(a, b).where(a != b))) ==
          4);
    CHECK(attune::detail::possible_evaluations(attune::build(attune::space(a, x))) == many);
}
