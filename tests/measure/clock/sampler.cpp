// tests/measure/clock/sampler.cpp : mirrors include/attune/measure/clock/sampler.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/sampler.hpp>

#include <attune/core/random.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>
#include <attune/measure/clock/time_in_turns.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../scripted_clocks.hpp"

using attune::clock_choice;
using attune::time_sample;
using attune::detail::clocked_runs;
using attune::detail::median_of;
using attune::detail::median_ranks;
using attune::detail::rank_interval;
using attune::detail::sampler;
using attune::detail::time_samples;
using attune_test::scripted_clocks;

TEST_CASE("a sample is one run or several after a prepare, less the cost of the clock")
{
    scripted_clocks clocks;
    clocks.cost_of_wall = 0.25;
    sampler taker(clocks, clock_choice::wall);
    std::string calls;
    time_sample const s = taker.take(
        [&] {
            calls += 'p';
            clocks.pass(7);
        },
        [&] {
            calls += 'r';
            clocks.pass(2);
        });
    CHECK(calls == "pr");
    CHECK(s.seconds == doctest::Approx(2));
    CHECK(!s.is_disturbed);
    auto const prepare = [&] { calls += 'p'; };
    auto const run = [&] {
        calls += 'r';
        clocks.pass(2);
    };
    CHECK(taker.take(prepare, run, 3).seconds == doctest::Approx(2));
    CHECK(calls == "prprrr");
}

TEST_CASE("there are as many runs in a sample as make it a hundred times what the clock costs")
{
    scripted_clocks clocks;
    clocks.cost_of_wall = 0.25;
    sampler taker(clocks, clock_choice::wall);
    CHECK(taker.runs_for(30) == 1);
    CHECK(taker.runs_for(25) == 1);
    CHECK(taker.runs_for(10) == 3);
    CHECK(taker.runs_for(1) == 25);
    CHECK(taker.runs_for(1e-9) == attune::detail::most_runs_per_sample);
    scripted_clocks costless;
    CHECK(sampler(costless, clock_choice::wall).runs_for(1e-9) == 1);
}

TEST_CASE("a preempted run is disturbed, one preempted in its prepare is not")
{
    scripted_clocks clocks;
    sampler taker(clocks, clock_choice::wall);
    CHECK(taker.take([] {}, [&] { ++clocks.taken_away; }).is_disturbed);
    CHECK(!taker.take([&] { ++clocks.taken_away; }, [] {}).is_disturbed);
}

TEST_CASE("disturbed samples do not count while they are the smaller part")
{
    time_samples samples;
    samples.add({3, false});
    samples.add({90, true});
    CHECK(!samples.counts_disturbed());
    CHECK(samples.sorted() == std::vector<double>{3});
    CHECK(samples.taken() == 2);
    samples.add({80, true});
    CHECK(samples.counts_disturbed());
    CHECK(samples.sorted() == std::vector<double>{3, 80, 90});
    CHECK(samples.estimate().value == 80);
    samples.add({1, false});
    samples.add({2, false});
    CHECK(samples.sorted() == std::vector<double>{1, 2, 3});
    CHECK(samples.estimate().value == 2);
    CHECK(samples.estimate().samples == 3);
}

TEST_CASE("a record of times leads to the estimate that the times themselves led to")
{
    attune::timing_record record;
    time_samples samples;
    for (std::uint32_t i = 0; i < 20; ++i) {
        double const seconds = 1.0 + (i * 7) % 20;
        bool const is_disturbed = i % 6 == 5;
        samples.add({seconds, is_disturbed});
        record.times.push_back(seconds);
        if (is_disturbed) record.disturbed.push_back(i);
        attune::measurement const want = samples.estimate();
        attune::measurement const got = attune::detail::estimate_of(record);
        CHECK(got.value == want.value);
        CHECK(got.low == want.low);
        CHECK(got.high == want.high);
        CHECK(got.samples == want.samples);
    }
    CHECK(samples.estimate().samples == 17); // three were disturbed
}

TEST_CASE("an exception of the run comes out as it is")
{
    scripted_clocks clocks;
    sampler taker(clocks, clock_choice::thread_cpu);
    auto const fails = [] { throw std::out_of_range("x"); };
    CHECK_THROWS_AS(static_cast<void>(taker.take([] {}, fails)), std::out_of_range);
    CHECK_THROWS_AS(static_cast<void>(taker.take([] {}, fails, 4)), std::out_of_range);
}

namespace {

/// P(low < X <= high) for X ~ binomial(n, 1/2), by Pascal's triangle in long double.
double brute_force_coverage(std::size_t n, std::size_t low, std::size_t high)
{
    std::vector<long double> row{1.0L};
    for (std::size_t i = 1; i <= n; ++i) {
        std::vector<long double> next(i + 1, 0.0L);
        for (std::size_t k = 0; k < i; ++k) {
            next[k] += row[k] / 2;
            next[k + 1] += row[k] / 2;
        }
        row = next;
    }
    long double sum = 0;
    for (std::size_t k = low + 1; k <= high; ++k)
        sum += row[k];
    return static_cast<double>(sum);
}

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

TEST_CASE("the coverage of the interval is the binomial sum")
{
    for (std::size_t n = 1; n <= 300; ++n) {
        rank_interval const ranks = median_ranks(n);
        CAPTURE(n);
        CHECK(ranks.low + ranks.high == n - 1);
        CHECK(ranks.coverage ==
              doctest::Approx(brute_force_coverage(n, ranks.low, ranks.high)).epsilon(1e-12));
    }
}

TEST_CASE("the interval is the narrowest that covers what was asked")
{
    for (double const confidence : {0.5, 0.8, 0.95, 0.99}) {
        for (std::size_t n = 1; n <= 200; ++n) {
            rank_interval const ranks = median_ranks(n, confidence);
            CAPTURE(n);
            CAPTURE(confidence);
            bool const is_range = ranks.low == 0;
            if (!is_range) CHECK(ranks.coverage >= confidence);
            if (ranks.low + 1 <= ranks.high - std::size_t{ranks.high > 0})
                CHECK(brute_force_coverage(n, ranks.low + 1, ranks.high - 1) < confidence);
        }
    }
}

TEST_CASE("many samples neither overflow nor take long")
{
    // Normal approximation: half the interval is 0.98 * sqrt(n) ranks.
    std::size_t const n = 1000000;
    rank_interval const ranks = median_ranks(n);
    CHECK(static_cast<double>(n) / 2 - static_cast<double>(ranks.low) ==
          doctest::Approx(0.98 * std::sqrt(static_cast<double>(n))).epsilon(0.01));
    CHECK(ranks.coverage >= 0.95);
    CHECK(ranks.coverage < 0.952);
}

TEST_CASE("the median of an odd number is the middle, of an even number the mean of the two")
{
    std::vector<double> odd{5, 1, 3};
    std::vector<double> even{4, 1, 3, 2};
    std::vector<double> one{7};
    CHECK(median_of(odd).value == 3);
    CHECK(median_of(even).value == 2.5);
    CHECK(median_of(one).value == 7);
    CHECK(median_of(one).low == 7);
    CHECK(median_of(one).high == 7);
    CHECK(median_of(one).samples == 1);
}

TEST_CASE("the interval is made of samples")
{
    std::vector<double> twenty(20);
    for (std::size_t i = 0; i < 20; ++i)
        twenty[i] = static_cast<double>(20 - i);
    attune::measurement const m = median_of(twenty);
    CHECK(m.value == 10.5);
    CHECK(m.low == 6);
    CHECK(m.high == 15);
    CHECK(m.samples == 20);
}

TEST_CASE("narrow means half the interval over the value, and a real interval")
{
    attune::measurement const wide{1.0, 0.9, 1.1, 10};
    CHECK(attune::detail::is_narrow(wide, 0.11));
    CHECK_FALSE(attune::detail::is_narrow(wide, 0.09));
    attune::measurement const few{1.0, 1.0, 1.0, 5};
    CHECK_FALSE(attune::detail::is_narrow(few, 0.5));
    attune::measurement const equal{1.0, 1.0, 1.0, 10};
    CHECK(attune::detail::is_narrow(equal, 1e-9));
    CHECK_FALSE(attune::detail::is_narrow(equal, 0));
}

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
    attune::adaptive_timer_options options{.max_s = 1e9};
    attune::measurement const m = attune::detail::time_adaptively(taker, options);
    CHECK(m.value == 2);
    CHECK(m.samples == attune::detail::fewest_for_confidence);
    CHECK(taker.calls.front() == "warm 0");
    CHECK(taker.calls[1] == "calibrate");
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
