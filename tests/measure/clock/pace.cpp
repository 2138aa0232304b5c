// tests/measure/clock/pace.cpp - how fast the machine is, by a run of known time.
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/pace.hpp>
// and what the tests need besides
#include <attune/core/random.hpp>

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
