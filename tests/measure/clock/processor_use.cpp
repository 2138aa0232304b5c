// tests/measure/clock/processor_use.cpp : mirrors include/attune/measure/clock/processor_use.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/processor_use.hpp>

#include <csignal>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using attune::detail::busy_ticks;
using attune::detail::held_by_others;
using attune::detail::processor_reading;

namespace {

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
