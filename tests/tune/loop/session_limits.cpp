// tests/tune/loop/session_limits.cpp - when a session begins no further step.
// SPDX-License-Identifier: MIT
#include <attune/tune/loop/detail/session_limits.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <vector>

#include "../../support/ignored_interrupts.hpp"
#include "../../support/scripted_others.hpp"
#include "../../support/texts.hpp"

using namespace attune_test;
using attune::measurement;
using attune::search_limits;
using attune::detail::run_state;
using attune::detail::session_limits;

namespace {

attune::point at(std::uint32_t index) { return {attune::coordinate{index, 0}}; }

/// A session without anything to try.
struct bench {
    explicit bench(search_limits const& limits, attune::detail::trials_elsewhere* others = nullptr)
        : state("k", limits, 1'000, {})
        , of({state, interrupt, others, [this] { return final_s; },
              [this] {
                  ++asked;
                  return expected_gain;
              },
              [this](std::string text) { said.push_back(std::move(text)); }})
    {
    }
    void evaluate(double seconds)
    {
        state.add(at(state.evaluations()), measurement::exact(seconds), "one");
    }

    run_state state;
    attune::detail::interrupt_guard interrupt{};
    double final_s = 0;
    std::optional<double> expected_gain{};
    int asked = 0;
    std::vector<std::string> said{};
    session_limits of;
};

} // namespace

TEST_CASE(
    "a step is begun if it, those after it and the final fit, were each as long as the longest")
{
    for (double const elapsed_s : {5.0, 505.0, 905.0})
        for (double const longest_s : {0.0, 40.0, 190.0})
            for (double const final_s : {0.0, 120.0}) {
                bench b{{.seconds = 1'000}};
                b.state.count_earlier(elapsed_s);
                b.final_s = final_s;
                b.of.note_step(longest_s);
                b.of.note_step(longest_s / 2);
                CHECK(b.of.longest_step_s() == longest_s);
                for (int later = 0; later < 3; ++later) {
                    double const end_s = elapsed_s + final_s + longest_s * (1 + later);
                    CHECK(b.of.may_begin(later) == (end_s < 1'000));
                }
                CHECK(b.of.may_wait() == (elapsed_s + final_s + longest_s < 1'000));
            }
}

TEST_CASE("no step is begun when the evaluations are spent, and what is under way is waited for")
{
    bench b{{.evaluations = 2, .seconds = 100}};
    b.evaluate(3);
    CHECK(b.of.may_begin());
    b.evaluate(2);
    CHECK(!b.of.may_begin());
    CHECK(b.of.may_wait());
    b.of.allow(1, 100);
    CHECK(b.of.may_begin());
    b.evaluate(2);
    CHECK(!b.of.may_begin());
}

TEST_CASE("seconds that are allowed count from now on")
{
    bench b{{.evaluations = search_limits::any_number, .seconds = 10}};
    b.state.count_earlier(20);
    CHECK(!b.of.may_begin());
    b.of.allow(search_limits::any_number, 50);
    CHECK(b.of.may_begin());
    CHECK(b.state.left_s() > 40);
    CHECK(b.state.left_s() <= 50);
    CHECK(b.state.judge().limits().evaluations == search_limits::any_number);
}

TEST_CASE("Ctrl-C ends it, here and at another process")
{
    ignored_interrupts const interrupts;
    scripted_others others{1};
    {
        bench b{{.seconds = 100}, &others};
        CHECK(!b.of.is_interrupted());
        others.is_stopped = true;
        CHECK(b.of.is_interrupted());
        CHECK(!b.of.may_begin());
        CHECK(!b.of.may_wait());
    }
    bench b{{.seconds = 100}};
    CHECK(b.of.may_begin());
    ::raise(SIGINT);
    CHECK(b.of.is_interrupted());
    CHECK(!b.of.may_begin());
    CHECK(!b.of.may_wait());
}

TEST_CASE("reading counts, and leaves half of the seconds at least")
{
    for (double const read_s : {10.0, 490.0, 510.0, 10'000.0}) {
        bench b{{.seconds = 1'000}};
        b.of.count_reading(read_s);
        CHECK(b.state.elapsed_s() >= read_s);
        double const left_s = read_s < 500 ? 1'000 - read_s : 500;
        CHECK(b.state.left_s() <= left_s);
        CHECK(b.state.left_s() > left_s - 9);
        CHECK(b.said.size() == (read_s < 500 ? 0U : 1U));
    }
    bench endless{{}};
    endless.of.count_reading(1'000);
    CHECK(endless.of.may_begin());
    CHECK(endless.said.empty());
}

TEST_CASE("a reference counts only for what it takes beyond all of the seconds")
{
    for (double const reference_s : {0.5, 20.0, 80.0, 300.0}) {
        bench b{{.seconds = 100}};
        b.state.count_earlier(reference_s); // it has passed
        b.of.forgive_reference(reference_s);
        double const counted_s = reference_s > 100 ? reference_s - 100 : 0;
        CHECK(b.state.elapsed_s() >= counted_s);
        CHECK(b.state.elapsed_s() < counted_s + 15);
        REQUIRE(b.said.size() == (reference_s >= 1 ? 1U : 0U));
        if (reference_s >= 1)
            CHECK(has(b.said[0], reference_s > 100 ? "beyond its own value" : "does not count"));
    }
}

TEST_CASE("a rule ends it, is told once, and has no say in a budget")
{
    bench b{{.seconds = 100, .patience = 2}};
    b.evaluate(3);
    b.evaluate(2);
    CHECK(!b.of.meets_rule());
    b.evaluate(2.5);
    b.evaluate(2.5);
    CHECK(b.of.may_begin());
    CHECK(!b.of.has_met_rule());
    CHECK(b.of.meets_rule());
    CHECK(b.of.meets_rule());
    CHECK(b.of.has_met_rule());
    REQUIRE(b.said.size() == 1);
    CHECK(has(b.said[0], "no improvement in 2 evaluations"));
}

TEST_CASE("the model is asked what it expects every five evaluations, and only for a rule of it")
{
    bench without{{.seconds = 100}};
    bench b{{.seconds = 100, .expected_gain = 0.01}};
    b.expected_gain = 0.001;
    int ended_after = 0;
    for (int i = 1; i <= 20 && ended_after == 0; ++i) {
        without.evaluate(1);
        CHECK(!without.of.meets_rule());
        b.evaluate(1);
        if (b.of.meets_rule()) ended_after = i;
    }
    CHECK(without.asked == 0);
    CHECK(b.asked == 2); // twice in a row, five outcomes apart
    CHECK(ended_after == 10);
}
