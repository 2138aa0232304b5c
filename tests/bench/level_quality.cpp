// tests/bench/level_quality.cpp : mirrors bench/search/level_quality.hpp
// SPDX-License-Identifier: MIT
#include <attune/core/outcome.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "../../bench/search/level_quality.hpp"

namespace {

using attune::point;
using attune::two_level_round;

/// The value of point i is values[i]; 0: it fails.
struct told_values {
    std::vector<double> values;
    attune::outcome operator()(point const& p) const
    {
        double const value = values[p[0].index];
        if (value > 0) return attune::measurement::exact(value);
        return attune::failure{attune::failure_stage::launch, "no"};
    }
};

two_level_round round_of(double best, std::vector<two_level_round::chosen> batch)
{
    two_level_round out;
    out.best = best;
    out.batch = std::move(batch);
    return out;
}

point nth(std::uint32_t i) { return {{i, 0}}; }

} // namespace

TEST_CASE("scores are judged by the best value of when their round began")
{
    // Each score is right for its round, although the second round halves the best value.
    told_values const values{{8, 4, 2, 8, 0}};
    std::vector<two_level_round> const rounds{
        round_of(4, {{nth(0), 0.5}, {nth(1), 1}, {nth(2), 1}}), // better than the best: at most 1
        round_of(2, {{nth(3), 0.25}, {nth(4), 0}})};
    bench::level_quality const all = bench::quality_of(rounds, values);
    CHECK(all.rmse == 0);
    CHECK(all.score == doctest::Approx(2.75 / 5));
    // In the order of the predicted values 4, 4, 8, 8 and none: of the best, 2, they reach 1/2, 1,
    // ...
    CHECK(all.peak == doctest::Approx((0.5 + 1 + 1 + 1 + 1) / 5));
}

TEST_CASE("the error is that of the scores of all rounds, the share that of all suggestions")
{
    told_values const values{{10, 20, 0}};
    std::vector<two_level_round> rounds{round_of(10, {{nth(0), 0.7}, {nth(1), 0.9}}),
                                        round_of(10, {{nth(2), 0.2}})};
    rounds[0].valid = 30;
    rounds[0].invalid = 10;
    rounds[1].valid = 50;
    rounds[1].invalid = 10;
    bench::level_quality const all = bench::quality_of(rounds, values);
    CHECK(all.rmse == doctest::Approx(std::sqrt((0.09 + 0.16 + 0.04) / 3)));
    CHECK(all.invalid == doctest::Approx(0.2));
    CHECK(bench::quality_of(std::span(rounds).first(1), values).invalid == doctest::Approx(0.25));
}

TEST_CASE("a round that began without a success has no scores, and no round has no quality")
{
    told_values const values{{10}};
    std::vector<two_level_round> const rounds{round_of(0, {{nth(0), 0.7}})};
    for (std::size_t const count : {0U, 1U}) {
        bench::level_quality const none = bench::quality_of(std::span(rounds).first(count), values);
        CHECK(none.rmse == 0);
        CHECK(none.score == 0);
        CHECK(none.peak == 0);
        CHECK(none.invalid == 0);
    }
}
