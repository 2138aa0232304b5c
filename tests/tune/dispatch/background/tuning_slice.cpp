// tests/tune/dispatch/background/tuning_slice.cpp - whose turn it is, and how much a slice may cost.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/background/tuning_slice.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

using namespace attune::detail;
using attune::search_limits;

namespace {

constexpr search_limits sixty{.evaluations = 60, .seconds = 60};

} // namespace

TEST_CASE("the best after each outcome never rises, and failures count")
{
    auto const took = [](double s) { return known_outcome{{}, attune::measurement::exact(s), {}}; };
    known_outcome const failed{{}, attune::failure{attune::failure_stage::crash, "no"}, {}};
    CHECK(best_after({}).empty());
    CHECK(best_after(std::vector{took(4), failed, took(5), took(2)}) ==
          std::vector<double>{4, 4, 4, 2});
}

TEST_CASE("first slices come first, then the most seconds to save")
{
    auto const flat = [](double s) { return std::vector<double>(15, s); };
    std::vector<double> falling = flat(1e-2);
    falling.back() = 0.9e-2;
    sliced_tuning const fresh{.calls = 3};
    sliced_tuning const fresh_called_more{.calls = 9};
    sliced_tuning const cheap{.evaluations = 15, .calls = 100, .best = flat(1e-3)};
    sliced_tuning const dear{.evaluations = 15, .calls = 100, .best = flat(1e-2)};
    sliced_tuning const rare{.evaluations = 15, .calls = 5, .best = flat(1e-2)};
    sliced_tuning const moving{.evaluations = 15, .calls = 100, .best = falling};
    CHECK(next_in_turn(std::vector{dear, fresh, fresh_called_more}) == 2);
    CHECK(next_in_turn(std::vector{fresh, fresh}) == 0);
    CHECK(next_in_turn(std::vector{cheap, rare, moving, dear}) == 2);
    CHECK(next_in_turn(std::vector{cheap, rare, dear}) == 2);
    CHECK(next_in_turn(std::vector{rare, cheap}) == 1);
    CHECK(next_in_turn(std::vector{rare, rare}) == 0);
    CHECK(next_in_turn(std::vector{sliced_tuning{.evaluations = 15}}) == 0); // none that worked
}

TEST_CASE("slices: a quarter, then as much again, until the limits")
{
    sliced_tuning of;
    std::vector<std::uint64_t> had;
    for (int slices = 0; !has_all(of, sixty); ++slices) {
        REQUIRE(slices < 10);
        tuning_slice const next = next_slice(of, sixty, {}, 1);
        CHECK(next.seconds_before == of.spent_s);
        CHECK(next.seconds + of.spent_s <= 60);
        of.evaluations = next.evaluations;
        of.spent_s += 1;
        had.push_back(of.evaluations);
    }
    CHECK(had == std::vector<std::uint64_t>{15, 30, 60});
    CHECK(next_slice({}, {.evaluations = 5}, {}, 1).evaluations == 5);
    CHECK(next_slice({}, {.evaluations = 10}, {}, 1).evaluations == 10);
    CHECK(next_slice({}, {.seconds = 60}, {}, 1).seconds == 15);
    CHECK(next_slice({}, {}, {}, 1).evaluations < 100);
}

TEST_CASE("slices that are ended by the clock get all of it, and no more")
{
    sliced_tuning of;
    int slices = 0;
    while (!has_all(of, sixty)) {
        REQUIRE(++slices < 10);
        tuning_slice const next = next_slice(of, sixty, {}, 1);
        of.evaluations = static_cast<std::uint64_t>(slices); // few were tried
        of.spent_s += next.seconds;
    }
    CHECK(of.spent_s == doctest::Approx(60));
    CHECK(has_all({.evaluations = 20, .spent_s = 59}, sixty));
    CHECK(!has_all({.evaluations = 20, .spent_s = 59}, {.evaluations = 60}));
}

TEST_CASE("where the total would not last, first slices are shorter")
{
    auto const first = [](std::uint64_t left, std::size_t waiting) {
        return next_slice({}, sixty, {.evaluations = left}, waiting).evaluations;
    };
    CHECK(first(480, 1) == 15);
    CHECK(first(480, 32) == 15);
    CHECK(first(320, 32) == 10);
    CHECK(first(320, 1'000) == 4);
    CHECK(first(0, 0) > 0);
}
