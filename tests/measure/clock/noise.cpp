// tests/measure/clock/noise.cpp : mirrors include/attune/measure/clock/noise.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/noise.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using attune::machine_noise;
using attune::measurement;
using attune::detail::busy_ticks;
using attune::detail::held_by_others;
using attune::detail::noise_of;
using attune::detail::processor_reading;
using attune::detail::warning_of;

namespace {

bool has(std::string const& text, std::string const& part)
{
    return text.find(part) != std::string::npos;
}

constexpr char const* stat = "cpu  1000 1000 1000 1000 1000 1000 1000 1000 0 0\n"
                             "cpu0 100 20 30 4000 500 6 7 8 90 0\n"
                             "cpu1 1 2 3 4 5 6 7 8 0 0\n"
                             "cpu10 50 0 0 9 9 0 0 0 0 0\n"
                             "intr 12 0 0\n";

std::optional<double> ticks(std::string const& text, std::vector<int> const& processors)
{
    return busy_ticks(text, processors);
}

} // namespace

TEST_CASE("drift is how much longer the same run takes later, resolution half an interval")
{
    machine_noise const n =
        noise_of(measurement::exact(2), measurement::exact(2.5), {0.8, 0.76, 0.84, 20});
    CHECK(n.drift == doctest::Approx(0.25));
    CHECK(n.resolution == doctest::Approx(0.05));
}

TEST_CASE("a comparison that stays open is warned of only when it is coarse")
{
    CHECK(warning_of({0, 0.01}, {1.0, 0.99, 1.01, 50}).empty());
    std::string const text = warning_of({0, 0.08}, {0.97, 0.89, 1.05, 10});
    CHECK(has(text, "too noisy to tell"));
    CHECK(has(text, "below 8 %"));
    // Coarse, but it decided.
    CHECK(warning_of({0, 0.08}, {0.5, 0.46, 0.54, 10}).empty());
    CHECK(warning_of({0, 0.08}, {1.5, 1.4, 1.6, 10}).empty());
}

TEST_CASE("a machine that changed its speed is warned of, either way")
{
    measurement const clear{0.5, 0.49, 0.51, 20};
    CHECK(warning_of({0.1, 0.01}, clear).empty());
    CHECK(has(warning_of({0.3, 0.01}, clear), "30 % longer"));
    CHECK(has(warning_of({-0.25, 0.01}, clear), "25 % less"));
}

TEST_CASE("a machine is too disturbed where much was slow, or the final is too unsure")
{
    machine_noise n;
    CHECK(!attune::detail::is_too_disturbed(n));
    n.slow_share = 0.5;
    n.slowdown = 1.17; // slower, but not by much
    CHECK(!attune::detail::is_too_disturbed(n));
    n.slowdown = 1.4;
    CHECK(attune::detail::is_too_disturbed(n));
    n.slow_share = 0.1; // rarely
    CHECK(!attune::detail::is_too_disturbed(n));
    n.unsure = 0.08;
    CHECK(attune::detail::is_too_disturbed(n));
}

TEST_CASE("a disturbance is told with its evidence")
{
    machine_noise n;
    n.slow_share = 0.4;
    n.slowdown = 1.37;
    CHECK(attune::detail::disturbance_text(n).empty());
    n.is_disturbed = true;
    std::string const slow = attune::detail::disturbance_text(n);
    CHECK(has(slow, "took 1.37 times as long beside 40 % of the trials;"));
    CHECK(has(slow, "does not count as finished"));
    CHECK(!has(slow, "held its processor"));
    n.unsure = 0.12;
    n.waited = 0.3;
    std::string const all = attune::detail::disturbance_text(n);
    CHECK(has(all, ", what took part in the final may be faster by 12 %"));
    CHECK(has(all, "held its processor for 30 % of the time;"));
    n.slow_share = 0;
    CHECK(has(attune::detail::disturbance_text(n), "while tuning: what took part in the final"));
}

TEST_CASE("a variant with two threads lacks the processor that another program holds")
{
    machine_noise n;
    n.processors = 2;
    n.held = 0.5;
    CHECK(n.lacking() == 0); // with one thread there is a free one
    CHECK(!attune::detail::is_too_disturbed(n));
    n.threads = 2;
    CHECK(n.lacking() == doctest::Approx(0.5));
    CHECK(attune::detail::is_too_disturbed(n));
    n.held = 0.1; // as any machine at rest
    CHECK(!attune::detail::is_too_disturbed(n));
    n.held = 3;
    n.processors = 8;
    n.threads = 4;
    CHECK(!attune::detail::is_too_disturbed(n)); // five are left
    n.threads = 64;                              // more than there are: they share eight
    CHECK(n.lacking() == doctest::Approx(3));
    n.processors = 0; // the system does not tell
    CHECK(!attune::detail::is_too_disturbed(n));
}

TEST_CASE("processors that are lacking are told")
{
    machine_noise n;
    n.processors = 2;
    n.held = 0.5;
    n.threads = 2;
    n.is_disturbed = true;
    CHECK(has(attune::detail::disturbance_text(n),
              "while tuning: other programs held 0.5 of 2 processors while variants ran with 2 "
              "threads;"));
    n.slow_share = 0.4;
    n.slowdown = 1.37;
    CHECK(has(attune::detail::disturbance_text(n), "of the trials, other programs held 0.5"));
}

TEST_CASE("the ticks of the named processors are added, less those of rest and of disks")
{
    CHECK(ticks(stat, {0}) == 100 + 20 + 30 + 6 + 7 + 8);
    CHECK(ticks(stat, {1}) == 1 + 2 + 3 + 6 + 7 + 8);
    CHECK(ticks(stat, {0, 10}) == 171 + 50);
}

TEST_CASE("nothing is told of processors without a line, or of a text that is none")
{
    CHECK(!ticks(stat, {0, 2}));
    CHECK(!ticks(stat, {}));
    CHECK(!ticks("", {0}));
    CHECK(!ticks("cpu0", {0}));
    CHECK(!ticks("cpu0 a b c d e", {0}));
    CHECK(!ticks("cpu0 1 2 3", {0}));
    CHECK(ticks("cpu0 1 2 3 4 5", {0}) == 6); // an old kernel has fewer columns
    CHECK(ticks("cpu0 1 2 3 4 5 6 7 8", {0}) == 1 + 2 + 3 + 6 + 7 + 8); // no end of the line
}

TEST_CASE("others held what was busy and not one's own")
{
    processor_reading const first{{0, 1}, 10, 100, 50};
    CHECK(held_by_others(first, {{0, 1}, 14, 107, 53}) == doctest::Approx(1));
    CHECK(held_by_others(first, {{0, 1}, 14, 103, 53.1}) == 0); // the ticks are coarse
    CHECK(held_by_others(first, {{0, 1}, 14, 200, 50}) == 2);   // no more than there are
    CHECK(!held_by_others(first, {{0}, 14, 107, 53}));
    CHECK(!held_by_others({}, {{0, 1}, 14, 107, 53}));
    CHECK(!held_by_others(first, {{0, 1}, 10.1, 100.2, 50})); // too short for ticks
}

TEST_CASE("this process's own work is not that of others")
{
    // Whether a second of work is seen at all depends on the system; that it is not counted as that
    // of others does not.
    processor_reading const first = attune::detail::read_processors({0});
    if (first.processors.empty()) {
        MESSAGE("the system does not tell the times of processor 0");
        return;
    }
    processor_reading later = first;
    while (later.wall_s - first.wall_s < 0.25)
        later = attune::detail::read_processors({0});
    CHECK(later.own_s > first.own_s);
    CHECK(later.busy_s >= first.busy_s);
    auto const held = held_by_others(first, later);
    REQUIRE(held);
    CHECK(*held >= 0);
    CHECK(*held <= 1);
}

TEST_CASE("nothing is told where the time of ended children is lost")
{
    auto* const before = std::signal(SIGCHLD, SIG_IGN);
    processor_reading const r = attune::detail::read_processors({0});
    std::signal(SIGCHLD, before);
    CHECK(r.processors.empty());
}
