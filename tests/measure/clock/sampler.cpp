// tests/measure/clock/sampler.cpp : mirrors include/attune/measure/clock/sampler.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/sampler.hpp>

#include <doctest/doctest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "../scripted_clocks.hpp"

using attune::clock_choice;
using attune::time_sample;
using attune::detail::sampler;
using attune::detail::time_samples;
using attune_test::scripted_clocks;

TEST_CASE("a sample is one run after its prepare, less the cost of the clock")
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
}

TEST_CASE("runs in a row share a sample, which tells the time of one of them")
{
    scripted_clocks clocks;
    clocks.cost_of_wall = 0.25;
    sampler taker(clocks, clock_choice::wall);
    std::string calls;
    auto const prepare = [&] { calls += 'p'; };
    auto const run = [&] {
        calls += 'r';
        clocks.pass(2);
    };
    CHECK(taker.take(prepare, run, 3).seconds == doctest::Approx(2));
    CHECK(calls == "prrr");
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
