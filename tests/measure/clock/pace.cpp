// tests/measure/clock/pace.cpp - how fast the machine is, by a run of known time.
// SPDX-License-Identifier: MIT
#include <attune/core/random.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

using attune::time_sample;
using attune::detail::disturbance;
using attune::detail::machine_pace;

namespace {

void probe(machine_pace& pace, std::vector<double> const& seconds)
{
    std::vector<time_sample> samples;
    for (double const s : seconds)
        samples.push_back({s, false});
    pace.probe(samples);
}

machine_pace begun(double seconds = 1)
{
    machine_pace out;
    out.begin(std::vector<double>(10, seconds));
    return out;
}

} // namespace

TEST_CASE("nothing is disturbed before there is a probe")
{
    machine_pace const none;
    CHECK(!none.has_begun());
    CHECK(none.slowness() == 1);
    CHECK(none.disturbed().share == 0);
    CHECK(none.disturbed().samples == 0);
    CHECK(begun().has_begun());
    CHECK(begun(4).undisturbed_s() == 4);
    CHECK(begun().disturbed().share == 0);
}

TEST_CASE("a probe is slow by its median, and what ran between two by both")
{
    machine_pace pace = begun(2);
    probe(pace, {2.0});
    CHECK(pace.slowness() == doctest::Approx(1));
    probe(pace, {9.0, 3.0, 2.0});
    CHECK(pace.slowness() == doctest::Approx(1.5));
    CHECK(pace.slowness_between() == doctest::Approx(1.25));
    probe(pace, {3.0});
    CHECK(pace.slowness_between() == doctest::Approx(1.5));
}

TEST_CASE("undisturbed is the higher of two speeds, also where that is the rarer one")
{
    attune::random_engine engine(5);
    machine_pace pace;
    pace.begin(std::vector<double>(6, 1.4)); // it was slow to begin with
    for (int i = 0; i < 60; ++i) {
        bool const is_slow = attune::uniform_unit(engine) < 0.6;
        probe(pace, {(is_slow ? 1.4 : 1.0) * (0.98 + 0.04 * attune::uniform_unit(engine))});
    }
    CHECK(pace.undisturbed_s() == doctest::Approx(1).epsilon(0.03));
    disturbance const seen = pace.disturbed();
    CHECK(seen.samples == 60);
    CHECK(seen.share == doctest::Approx(0.6).epsilon(0.25));
    CHECK(seen.slowdown == doctest::Approx(1.4).epsilon(0.05));
}

TEST_CASE("a machine whose times differ by a tenth is not disturbed")
{
    attune::random_engine engine(7);
    machine_pace pace = begun();
    for (int i = 0; i < 200; ++i)
        probe(pace, {0.95 + 0.1 * attune::uniform_unit(engine)});
    CHECK(pace.disturbed().share == 0);
    CHECK(pace.disturbed().slowdown == 1);
}

TEST_CASE("another known run goes on in the units of the first, and its past counts")
{
    machine_pace pace = begun(8);
    probe(pace, {12.0}); // 1.5 times as long
    CHECK(pace.disturbed().share == 1);
    pace.begin(std::vector<double>(10, 1.5), pace.slowness()); // takes 1 undisturbed
    CHECK(pace.undisturbed_s() == doctest::Approx(1));
    probe(pace, {1.0});
    CHECK(pace.slowness() == doctest::Approx(1));
    CHECK(pace.slowness_between() == doctest::Approx(1.25));
    CHECK(pace.disturbed().samples == 2);
    CHECK(pace.disturbed().share == doctest::Approx(0.5));
    CHECK(pace.disturbed().slowdown == doctest::Approx(1.5));
}

TEST_CASE("a quiet machine is probed after every run at first, and ever more rarely")
{
    machine_pace pace = begun();
    std::vector<int> probed_at;
    double const spent_s = 10; // of each run; a probe takes 1
    for (int i = 0; i < 400; ++i)
        if (pace.wants_probe(spent_s, 1, false)) {
            probed_at.push_back(i);
            probe(pace, {1.0});
        }
    // A quarter, an eighth ... of the time, that is, after each of the first three runs of 10.
    REQUIRE(probed_at.size() > 4);
    CHECK(std::vector<int>(probed_at.begin(), probed_at.begin() + 5) ==
          std::vector<int>{0, 1, 2, 4, 6});
    CHECK(probed_at.back() - probed_at[probed_at.size() - 2] == 4); // every 40 of the time
    CHECK(static_cast<double>(probed_at.size()) <= 0.03 * 400 * spent_s);
    CHECK(pace.disturbed().samples == 400); // a run without a probe was at full speed
}

TEST_CASE("a doubtful run is probed however quiet the machine was, and after a slow probe each is")
{
    machine_pace pace = begun();
    for (int i = 0; i < 100; ++i)
        if (pace.wants_probe(10, 1, false)) probe(pace, {1.0});
    while (pace.wants_probe(10, 1, false))
        probe(pace, {1.0});
    CHECK(pace.wants_probe(1e-3, 1, true));
    probe(pace, {1.4});
    for (int i = 0; i < 5; ++i) {
        CHECK(pace.wants_probe(1e-3, 1, false)); // however short it was
        probe(pace, {1.4});
    }
    CHECK(pace.wants_probe(1e-3, 1, false));
    probe(pace, {1.0});
    CHECK(!pace.wants_probe(1e-3, 1, false)); // quiet again
}

TEST_CASE("the share of slow time is told although a quiet machine is probed more rarely")
{
    // Runs as fast as the best, at a machine that is slow for 5 to 20 of them at a time: then they
    // take 1.4 times as long as the best, which is doubtful.
    attune::random_engine engine(23);
    machine_pace pace = begun();
    int slow_left = 0;
    int quiet_left = 30;
    int slow = 0;
    int const runs = 600;
    for (int i = 0; i < runs; ++i) {
        bool const is_slow = quiet_left == 0;
        slow += is_slow ? 1 : 0;
        double const took_s = is_slow ? 1.4 : 1.0;
        bool const is_doubtful = took_s > 1 + machine_pace::much / 2; // the best takes 1
        if (pace.wants_probe(10, 1, is_doubtful)) probe(pace, {took_s});
        int& left = is_slow ? slow_left : quiet_left;
        if (--left > 0) continue;
        int& next = is_slow ? quiet_left : slow_left;
        next = (is_slow ? 10 : 5) + static_cast<int>(15 * attune::uniform_unit(engine));
        left = 0;
    }
    REQUIRE(slow > runs / 5);
    double const share = slow / double{runs};
    CHECK(std::abs(pace.disturbed().share - share) <= 0.05 * share);
    CHECK(pace.disturbed().slowdown == doctest::Approx(1.4));
}

TEST_CASE("what became known while the machine was slow is probed until that is noticed")
{
    machine_pace pace;
    pace.begin(std::vector<double>(24, 1.5)); // undisturbed it takes 1
    for (int i = 0; i < 5; ++i) {
        CHECK(pace.wants_probe(1e-3, 1, false)); // however short the run was
        probe(pace, {1.0});
    }
    while (pace.undisturbed_s() > 1)
        probe(pace, {1.0});
    probe(pace, {1.0});
    CHECK(!pace.wants_probe(1e-3, 1, false));
}
