// tests/bench/duel.cpp : mirrors bench/support/duel.hpp
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <functional>
#include <stdexcept>
#include <string>

#include "../../bench/support/duel.hpp"
#include "../measure/scripted_clocks.hpp"

using attune_test::scripted_clocks;
using bench::comparison;
using bench::duel_options;

namespace {

duel_options unlimited()
{
    duel_options options;
    options.precision = 0;
    options.clear_by = 1e9;
    options.max_s = 1e9;
    options.max_pairs = 20;
    return options;
}

} // namespace

TEST_CASE("the runs take turns in alternating order, each after its own prepare")
{
    scripted_clocks clocks;
    std::string calls;
    duel_options options = unlimited();
    options.max_pairs = 4;
    options.warm_up_runs = 1;
    comparison const c = bench::duel_with(
        clocks, options, [&] { calls += '.'; },
        [&] {
            calls += 'a';
            clocks.pass(1);
        },
        [&] {
            calls += 'b';
            clocks.pass(1);
        });
    CHECK(calls == ".a.b"
                   ".a.b"
                   ".b.a"
                   ".a.b"
                   ".b.a");
    CHECK(c.pairs == 4);
}

TEST_CASE("the ratio is b over a")
{
    scripted_clocks clocks;
    comparison const c = bench::duel_with(
        clocks, unlimited(), [] {}, [&] { clocks.pass(2); }, [&] { clocks.pass(1); });
    CHECK(c.ratio == doctest::Approx(0.5));
    CHECK(c.a.value == doctest::Approx(2));
    CHECK(c.b.value == doctest::Approx(1));
    CHECK(c.a.samples == c.pairs);
    CHECK(c.b_is_faster());
}

TEST_CASE("a machine that slows down during the duel does not change the ratio")
{
    scripted_clocks clocks;
    double slowdown = 1;
    int runs = 0;
    auto const work = [&](double seconds) {
        // Both runs of a pair see the same speed; it halves over and over.
        if (runs++ % 2 == 0) slowdown *= 1.5;
        clocks.pass(seconds * slowdown);
    };
    comparison const c =
        bench::duel_with(clocks, unlimited(), [] {}, [&] { work(1.0); }, [&] { work(0.97); });
    CHECK(c.pairs == 20);
    CHECK(c.ratio == doctest::Approx(0.97));
    CHECK(c.low == doctest::Approx(0.97));
    CHECK(c.high == doctest::Approx(0.97));
    CHECK(c.b_is_faster());
    CHECK(c.a.high / c.a.low > 10); // apart, the times would have told nothing
}

TEST_CASE("equal runs are not told apart")
{
    scripted_clocks clocks;
    int turn = 0;
    auto const jitter = [&] { clocks.pass(1 + 0.01 * (turn++ * 7 % 5)); };
    comparison const c = bench::duel_with(clocks, unlimited(), [] {}, jitter, jitter);
    CHECK(c.low <= 1);
    CHECK(c.high >= 1);
    CHECK_FALSE(c.b_is_faster());
}

TEST_CASE("a clear result or a precise one stops, a merely significant one does not")
{
    scripted_clocks clocks;
    auto const against = [&](double b_s, duel_options const& options) {
        int turn = 0;
        return bench::duel_with(
            clocks, options, [] {}, [&] { clocks.pass(1); },
            [&] { clocks.pass(b_s * (turn++ % 2 == 0 ? 0.98 : 1.02)); });
    };
    duel_options options = unlimited();
    options.clear_by = 0.1;
    CHECK(against(0.5, options).pairs == options.min_pairs);
    CHECK(against(2.0, options).pairs == options.min_pairs);
    CHECK(against(0.95, options).pairs == options.max_pairs);
    CHECK(against(0.95, options).b_is_faster());
    options.precision = 0.021;
    CHECK(against(0.95, options).pairs == options.min_pairs);
}

TEST_CASE("fewer than six pairs prove nothing")
{
    scripted_clocks clocks;
    duel_options options = unlimited();
    options.max_pairs = 5;
    auto const slow = [&] { clocks.pass(2); };
    auto const quick = [&] { clocks.pass(1); };
    CHECK_FALSE(bench::duel_with(clocks, options, [] {}, slow, quick).b_is_faster());
    options.max_pairs = 6;
    CHECK(bench::duel_with(clocks, options, [] {}, slow, quick).b_is_faster());
}

TEST_CASE("runs longer than the time there is run once each")
{
    scripted_clocks clocks;
    int runs = 0;
    duel_options options = unlimited();
    options.max_s = 1;
    auto const run = [&] {
        ++runs;
        clocks.pass(30);
    };
    comparison const c = bench::duel_with(clocks, options, [] {}, run, run);
    CHECK(runs == 2);
    CHECK(c.pairs == 1);
    CHECK_FALSE(c.b_is_faster());
}

TEST_CASE("both are timed by the same clock: CPU time only where it suits both")
{
    scripted_clocks clocks;
    auto const alone = [&] { // preempted for half of its time
        clocks.wall += 1;
        clocks.thread += 0.5;
        clocks.process += 0.5;
    };
    auto const with_other_threads = [&] {
        clocks.wall += 1;
        clocks.thread += 0.5;
        clocks.process += 1.5;
    };
    CHECK(duel_with(clocks, unlimited(), [] {}, alone, alone).a.value == doctest::Approx(0.5));
    CHECK(duel_with(
              clocks, unlimited(), [] {}, alone, with_other_threads)
              .a.value == doctest::Approx(1));
}

TEST_CASE("a duel on the clocks of the machine counts its pairs and lets exceptions out")
{
    duel_options options;
    options.max_pairs = 7;
    options.precision = 0;
    options.clear_by = 1e9;
    std::function<void()> const no_prepare;
    comparison const c = bench::duel(no_prepare, [] {}, [] {}, options);
    CHECK(c.pairs == 7);
    CHECK(c.low <= c.ratio);
    CHECK(c.ratio <= c.high);
    CHECK_THROWS_AS(
        static_cast<void>(bench::duel([] {}, [] {}, [] { throw std::logic_error("b"); })),
        std::logic_error);
}
