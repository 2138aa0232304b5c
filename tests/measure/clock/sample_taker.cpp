// tests/measure/clock/sample_taker.cpp : mirrors include/attune/measure/clock/sample_taker.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/sample_taker.hpp>
// and what the test needs besides
#include <attune/measure/clock/adaptive_timer.hpp>
#include <attune/measure/clock/time_in_turns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../scripted_clocks.hpp"

using attune::clock_choice;
using attune::time_sample;
using attune::detail::clocked_runs;
using attune_test::scripted_clocks;

namespace {

/// Takes samples of nothing: each has the length it is told, by a clock of its own.
struct scripted_taker {
    std::vector<double> seconds; ///< of one run of each
    double launch_s = 0;         ///< of every sample: what a batch spreads over its runs
    std::vector<std::string> calls{};
    double now_s = 0;
    double first_extra_s = 0; ///< of the first sample: a page fault

    double wall_s() const { return now_s; }
    void warm_up(std::size_t i)
    {
        calls.push_back("warm " + std::to_string(i));
        now_s += seconds[i];
    }
    double warm_up_s(std::size_t i) const { return seconds[i] + launch_s; }
    void calibrate() { calls.emplace_back("calibrate"); }
    time_sample take(std::size_t i, std::uint32_t runs)
    {
        calls.push_back(std::to_string(i) + " x" + std::to_string(runs));
        double const all_s = seconds[i] * runs + launch_s + std::exchange(first_extra_s, 0);
        now_s += all_s;
        return {all_s / runs, false};
    }
    std::uint32_t runs_for(double run_s) const
    {
        return static_cast<std::uint32_t>(std::max(1.0, 100 * launch_s / run_s));
    }
    double far_rate() const { return 0.05; }
    void describe(attune::timing_record& record) const { record.clock = "scripted"; }
};

static_assert(attune::detail::sample_taker<scripted_taker>);
static_assert(attune::detail::sample_taker<clocked_runs<scripted_clocks>>);

std::function<void()> const nothing = [] {};

} // namespace

TEST_CASE("the clock is thread CPU time where it suits the latest warm-up run of each")
{
    scripted_clocks clocks;
    std::function<void()> const works = [&] { clocks.pass(1e-3); };
    std::function<void()> const waits = [&] {
        ++clocks.given_up;
        clocks.wall += 1;
        clocks.pass(1e-3);
    };
    std::vector<std::function<void()>> const runs{works, waits};
    clocked_runs both(clocks, clock_choice::automatic, nothing, runs);
    both.warm_up(0);
    both.warm_up(1);
    CHECK(both.warm_up_s(1) == doctest::Approx(1.001)); // by the wall
    both.calibrate();
    CHECK(both.far_rate() == 1);

    clocked_runs one(clocks, clock_choice::automatic, nothing, std::span(&works, 1));
    one.warm_up(0);
    one.calibrate();
    CHECK(one.far_rate() == attune::detail::far_rate_of_cpu_time);
    CHECK(one.take(0, 4).seconds == doctest::Approx(1e-3));
}

TEST_CASE("a disturbed run is repeated where it may be, but not for ever")
{
    scripted_clocks clocks;
    int runs = 0;
    int prepares = 0;
    std::function<void()> const prepare = [&] { ++prepares; };
    bool is_always = false;
    std::function<void()> const run = [&] {
        bool const is_disturbed = ++runs == 1 || is_always;
        clocks.taken_away += is_disturbed ? 1U : 0U;
        clocks.pass(is_disturbed ? 9 : 2);
    };
    clocked_runs taker(clocks, clock_choice::wall, prepare, std::span(&run, 1));
    taker.calibrate();
    bool may_repeat = true;
    auto const asked = [&] { return may_repeat; };
    CHECK(take_undisturbed(taker, 0, 1, asked) == doctest::Approx(2));
    CHECK(runs == 2);
    CHECK(prepares == 2);
    runs = 0;
    is_always = true;
    CHECK(take_undisturbed(taker, 0, 1, asked) == doctest::Approx(9));
    CHECK(runs == 3);
    may_repeat = false;
    CHECK(take_undisturbed(taker, 0, 1, asked) == doctest::Approx(9));
    CHECK(runs == 4);
}

TEST_CASE("runs of nothing are made once, when it calibrates, and after a preparation")
{
    scripted_clocks clocks;
    std::string order;
    std::function<void()> const prepare = [&] { order += 'p'; };
    std::function<void()> const idle = [&] {
        if (order.back() != 'i') order += 'i';
        clocks.pass(0.5);
    };
    std::function<void()> const run = [&] {
        order += 'r';
        clocks.pass(2.5);
    };
    clocked_runs taker(clocks, clock_choice::wall, prepare, std::span(&run, 1), &idle);
    taker.calibrate();
    CHECK(taker.take(0, 1).seconds == doctest::Approx(2));
    CHECK(taker.take(0, 2).seconds == doctest::Approx(2));
    CHECK(order == "piprprr");
}

TEST_CASE("whatever takes samples can be timed adaptively")
{
    scripted_taker taker{{2.0}};
    attune::adaptive_timer_options options;
    options.max_s = 1e9;
    attune::measurement const m = attune::detail::time_adaptively(taker, options);
    CHECK(m.value == 2);
    CHECK(m.samples == attune::detail::fewest_for_confidence);
    CHECK(taker.calls.front() == "warm 0");
    CHECK(taker.calls[1] == "calibrate");
    CHECK(taker.calls.back() == "0 x1");
}

TEST_CASE("runs that are short for the clock share a sample where they may follow one another")
{
    scripted_taker taker{{1.0}, 0.25};
    attune::adaptive_timer_options options;
    options.max_s = 1e9;
    options.is_repeatable = [] { return true; };
    CHECK(attune::detail::time_adaptively(taker, options).value ==
          doctest::Approx(1.0).epsilon(0.02));
    CHECK(taker.calls.back() == "0 x20"); // 100 * 0.25 / (1 + 0.25)
    options.is_repeatable = [] { return false; };
    CHECK(attune::detail::time_adaptively(taker, options).value == doctest::Approx(1.25));
    CHECK(taker.calls.back() == "0 x1");
}

TEST_CASE("a first timed run that is slow for once does not keep samples short")
{
    scripted_taker taker{{1.0}, 0.25};
    taker.first_extra_s = 500;
    CHECK(attune::detail::good_sample_of(taker, 0) == 20);
    CHECK(taker.calls == std::vector<std::string>{"0 x1", "0 x1"});
}

TEST_CASE("in rounds, each contestant has samples as long as it needs")
{
    scripted_taker taker{{1.0, 30.0}, 0.25};
    attune::time_in_turns_options options;
    options.max_s = 1e9;
    options.is_repeatable = [](std::size_t) { return true; };
    attune::round_times const times = attune::detail::time_in_turns_with(taker, 2, options);
    CHECK(times.time(0).value == doctest::Approx(1.0).epsilon(0.02));
    CHECK(times.time(1).value == doctest::Approx(30.25));
    CHECK(std::count(taker.calls.begin(), taker.calls.end(), "0 x20") >= 10);
    CHECK(std::count(taker.calls.begin(), taker.calls.end(), "1 x1") >= 10);
    CHECK(std::count(taker.calls.begin(), taker.calls.end(), "calibrate") == 1);
}
