// tests/measure/clock/noise.cpp : mirrors include/attune/measure/clock/noise.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/noise.hpp>

#include <doctest/doctest.h>
#include <string>

using attune::machine_noise;
using attune::measurement;
using attune::detail::noise_of;
using attune::detail::warning_of;

namespace {

bool has(std::string const& text, std::string const& part)
{
    return text.find(part) != std::string::npos;
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
