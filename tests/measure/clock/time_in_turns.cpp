// tests/measure/clock/time_in_turns.cpp : mirrors include/attune/measure/clock/time_in_turns.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/time_in_turns.hpp>

#include <attune/core/random.hpp>

#include <doctest/doctest.h>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../scripted_clocks.hpp"

using attune::round_times;
using attune::time_in_turns_options;
using attune_test::scripted_clocks;

namespace {

time_in_turns_options unlimited()
{
    time_in_turns_options options{.precision = 0, .clear_by = 1e9, .max_rounds = 20, .max_s = 1e9};
    return options;
}

/// Runs of these durations, on clocks that only they move.
struct scripted_field {
    scripted_clocks clocks{};
    std::vector<std::function<void()>> runs{};

    explicit scripted_field(std::vector<double> const& durations_s)
    {
        for (double const s : durations_s)
            runs.emplace_back([this, s] { clocks.pass(s); });
    }
    round_times time(time_in_turns_options const& options)
    {
        return attune::detail::time_in_turns_with(clocks, options, [] {}, runs);
    }
};

} // namespace

TEST_CASE("all take turns, every second round goes backwards, each run after its own prepare")
{
    scripted_clocks clocks;
    std::string calls;
    std::vector<std::function<void()>> runs;
    for (char const name : {'a', 'b', 'c'})
        runs.emplace_back([&calls, &clocks, name] {
            calls += name;
            clocks.pass(1);
        });
    time_in_turns_options options = unlimited();
    options.max_rounds = 3;
    round_times const times =
        attune::detail::time_in_turns_with(clocks, options, [&] { calls += '.'; }, runs);
    CHECK(calls == ".a.b.c"
                   ".a.b.c.c.b.a.a.b.c");
    CHECK(times.size() == 3);
    CHECK(times.rounds(1) == 3);
}

TEST_CASE("times and ratios are those of the runs")
{
    round_times const times = scripted_field({2, 1, 3}).time(unlimited());
    CHECK(times.time(0).value == doctest::Approx(2));
    CHECK(times.time(0).samples == 20);
    CHECK(times.ratio(0, 1).value == doctest::Approx(0.5));
    CHECK(times.ratio(0, 2).value == doctest::Approx(1.5));
    CHECK(times.ratio(2, 0).high == doctest::Approx(2.0 / 3));
    CHECK(times.ratio(1, 1).value == 1);
    CHECK(times.fastest() == 1);
}

TEST_CASE("who is clearly slower runs no more, and its ratios are of the rounds it was in")
{
    time_in_turns_options options = unlimited();
    options.clear_by = 0.1;
    round_times const times = scripted_field({1.05, 1.5, 1, 1.2}).time(options);
    CHECK(times.rounds(0) == 20);
    CHECK(times.rounds(1) == options.min_rounds);
    CHECK(times.rounds(2) == 20);
    CHECK(times.rounds(3) == options.min_rounds);
    CHECK(times.ratio(2, 1).samples == options.min_rounds);
    CHECK(times.ratio(2, 1).value == doctest::Approx(1.5));
    CHECK(times.fastest() == 2);
}

TEST_CASE("when all are told apart, or as precisely as wanted, it stops")
{
    time_in_turns_options options = unlimited();
    options.clear_by = 0.1;
    CHECK(scripted_field({1, 2, 3}).time(options).rounds(0) == options.min_rounds);
    CHECK(scripted_field({1, 1.05}).time(options).rounds(0) == options.max_rounds);
    options.precision = 0.01;
    CHECK(scripted_field({1, 1.05}).time(options).rounds(0) == options.min_rounds);
    options.min_rounds = 2; // a 99 % interval needs eight
    options.confidence = 0.99;
    CHECK(scripted_field({1, 1.05}).time(options).rounds(0) == 8);
    CHECK(scripted_field({1}).time(options).rounds(0) == options.max_rounds);
}

TEST_CASE("the fewest samples for a confidence are those whose range has it")
{
    CHECK(attune::detail::fewest_for(0.95) == attune::detail::fewest_for_confidence);
    for (double const confidence : {0.5, 0.9, 0.95, 0.975, 0.9875, 0.99, 0.999}) {
        CAPTURE(confidence);
        std::size_t const n = attune::detail::fewest_for(confidence);
        CHECK(attune::detail::median_ranks(n, confidence).coverage >= confidence);
        CHECK(attune::detail::median_ranks(n - 1, confidence).coverage < confidence);
    }
    CHECK(attune::detail::is_below_one({0.9, 0.8, 0.99, 6}));
    CHECK_FALSE(attune::detail::is_below_one({0.9, 0.8, 0.99, 5}));
    CHECK_FALSE(attune::detail::is_below_one({0.9, 0.8, 1.0, 6}));
    CHECK_FALSE(attune::detail::is_below_one({0.9, 0.8, 0.99, 7}, 0.99));
}

TEST_CASE("the intervals of a ratio hold it as often as they say, though the machine drifts")
{
    attune::random_engine engine(5);
    auto const noise = [&] { return 0.04 * attune::uniform_unit(engine); };
    int hits = 0;
    int const trials = 1000;
    for (int t = 0; t < trials; ++t) {
        scripted_clocks clocks;
        double speed = 1;
        auto const run = [&] {
            speed *= 1.001; // by the last of the forty runs, 4 %
            clocks.pass(speed * (1 + noise()));
        };
        std::vector<std::function<void()>> const runs{run, run};
        time_in_turns_options options = unlimited();
        options.confidence = 0.98;
        round_times const times = attune::detail::time_in_turns_with(clocks, options, [] {}, runs);
        attune::measurement const ratio = times.ratio(0, 1, 0.98);
        hits += ratio.low <= 1 && 1 <= ratio.high ? 1 : 0;
    }
    CHECK(hits >= 0.97 * trials);
}

TEST_CASE("however busy the machine is, there is time for the rounds that prove something")
{
    scripted_field field({2, 1});
    for (std::function<void()>& run : field.runs)
        run = [&field, calm = run] {
            calm();
            ++field.clocks.taken_away;
        };
    time_in_turns_options options = unlimited();
    double const round_s = 3;
    auto const fewest = static_cast<double>(attune::detail::fewest_for(options.confidence));
    for (double const spare_s : {0.5, 4.0, 7.0, 20.0}) {
        CAPTURE(spare_s);
        options.max_s = round_s * (1 + fewest) + spare_s; // one to warm up
        double const begun_s = field.clocks.wall;
        round_times const times = field.time(options);
        CHECK(times.rounds(0) >= attune::detail::fewest_for(options.confidence));
        CHECK(attune::detail::is_below_one(times.ratio(0, 1)));
        CHECK(field.clocks.wall - begun_s <= options.max_s);
        CHECK(field.clocks.wall - begun_s >= options.max_s - round_s);
    }
}

TEST_CASE("rounds longer than the time there is are made once")
{
    scripted_field field({30, 20});
    time_in_turns_options options = unlimited();
    options.max_s = 1;
    round_times const times = field.time(options);
    CHECK(times.rounds(0) == 1);
    CHECK(times.time(1).value == doctest::Approx(20));
    CHECK(times.seconds(1).size() == 1);
    CHECK(times.seconds(1).front() == times.time(1).value);
}

TEST_CASE("on the clocks of the machine, without prepare, exceptions come out")
{
    std::vector<std::function<void()>> runs{[] {}, [] {}};
    time_in_turns_options options = unlimited();
    options.max_rounds = 7;
    CHECK(attune::time_in_turns({}, runs, options).rounds(1) == 7);
    runs.emplace_back([] { throw std::logic_error("c"); });
    CHECK_THROWS_AS(static_cast<void>(attune::time_in_turns({}, runs, options)), std::logic_error);
}

TEST_CASE("a passenger far ahead drives nobody out, and leaves itself when that is clear")
{
    time_in_turns_options options = unlimited();
    options.clear_by = 0.1;
    options.min_rounds = 6;
    options.passengers = 1;
    round_times const times = scripted_field({1.05, 1, 0.1}).time(options);
    CHECK(times.rounds(0) == 20);
    CHECK(times.rounds(1) == 20);
    CHECK(times.rounds(2) < 20);
    CHECK(times.ratio(1, 2).value == doctest::Approx(0.1));
    CHECK(times.fastest(1) == 1);
    CHECK(times.fastest() == 1); // of those that ran longest
    // One that is slow leaves like any other.
    round_times const slow = scripted_field({1.05, 1, 7}).time(options);
    CHECK(slow.rounds(0) == 20);
    CHECK(slow.rounds(2) < 20);
}
