// tests/bench/replay_curve.cpp : mirrors bench/search/replay_curve.hpp
// SPDX-License-Identifier: MIT
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "../../bench/search/replay_curve.hpp"

namespace {

constexpr double none = std::numeric_limits<double>::infinity();

std::vector<bench::replay_curve> runs(std::vector<std::vector<double>> const& bests)
{
    std::vector<bench::replay_curve> out;
    for (std::vector<double> const& b : bests)
        out.push_back({b, {}, {}, 0, {}});
    return out;
}

} // namespace

TEST_CASE("a run keeps its best when it ends, and has none before the first success")
{
    bench::replay_curve const run = runs({{none, 4, 2}}).front();
    CHECK(std::isinf(run.best_after(0)));
    CHECK(std::isinf(run.best_after(1)));
    CHECK(run.best_after(2) == 4);
    CHECK(run.best_after(100) == 2);
}

TEST_CASE("searching, compilations and runs share the wall time")
{
    bench::replay_curve run;
    run.best_ms = {none, 40, 20, 20};
    run.own_ms = {0, 40, 20, 30}; // the first failed
    run.thought_s = {.1, .2, .3, .9};
    bench::evaluation_cost const compiled{500, 0};
    CHECK(run.evaluations_s(3, compiled) == doctest::Approx(1.5));
    CHECK(run.evaluations_s(9, compiled) == doctest::Approx(2)); // it ended
    bench::evaluation_cost const compiled_and_run{500, 10};
    CHECK(run.evaluations_s(1, compiled_and_run) == doctest::Approx(.5));
    CHECK(run.evaluations_s(4, compiled_and_run) == doctest::Approx(2.9));
    // They end after .6, 1.2, 1.8 and 2.9 seconds, or after .6, 1.6, 2.4 and 3.8.
    CHECK(run.evaluations_within(.59, compiled) == 0);
    CHECK(run.evaluations_within(1.79, compiled) == 2);
    CHECK(run.evaluations_within(1.81, compiled) == 3);
    CHECK(run.evaluations_within(99, compiled) == 4);
    CHECK(run.evaluations_within(1.59, compiled_and_run) == 1);
    CHECK(run.evaluations_within(2.41, compiled_and_run) == 3);
    CHECK(run.evaluations_within(3.79, compiled_and_run) == 3);
}

TEST_CASE("runs are compared with the expert one by one, then averaged")
{
    auto const two = runs({{none, 4, 2}, {8, 8, 1}});
    CHECK(bench::relative_to_expert(two, 1, 4) == doctest::Approx((0 + 0.5) / 2));
    CHECK(bench::relative_to_expert(two, 2, 4) == doctest::Approx((1 + 0.5) / 2));
    CHECK(bench::relative_to_expert(two, 3, 4) == doctest::Approx((2 + 4.0) / 2));
    CHECK(bench::reached_expert(two, 1, 4) == 0);
    CHECK(bench::reached_expert(two, 2, 4) == 1);
    CHECK(bench::reached_expert(two, 3, 4) == 2);
    CHECK(bench::relative_to_expert({}, 3, 4) == 0);
}

TEST_CASE("an end is reached by the mean of the runs")
{
    auto const fast = runs({{6, 2, 2, 1, 1, 1}, {none, 4, 2, 1, 1, 1}});
    auto const slow = runs({{9, 8, 7, 6, 5, 2}, {9, 8, 7, 6, 5, 4}});
    CHECK(bench::evaluations_to(fast, 3, 6) == 2);
    CHECK_FALSE(bench::evaluations_to(fast, 0.5, 6));
    CHECK_FALSE(bench::evaluations_to(slow, 3, 5));   // at 6 only
    CHECK(bench::times_sooner(fast, slow, 6) == 3.0); // 3 after 2 of 6
    CHECK_FALSE(bench::times_sooner(slow, fast, 6));
    CHECK(bench::times_sooner(slow, slow, 6) == 1.0);
}

TEST_CASE("an expert is as good as a share of the configurations")
{
    std::vector<double> times;
    for (int i = 200; i >= 1; --i)
        times.push_back(i);
    CHECK(bench::expert_among(times, 1) == 2);
    CHECK(bench::expert_among(times, 50) == 100);
    CHECK(bench::expert_among(times, 100) == 200);
    CHECK(bench::expert_among({7}, 1) == 7);
}
