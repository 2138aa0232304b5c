// tests/measure/clock/estimate.cpp : mirrors include/attune/measure/clock/estimate.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/measure/clock/estimate.hpp>
// and what the test needs besides
#include <attune/core/random.hpp>

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

using attune::detail::median_of;
using attune::detail::median_ranks;
using attune::detail::rank_interval;

namespace {

/// P(low < X <= high) for X ~ binomial(n, 1/2), by Pascal's triangle in long double.
double brute_force_coverage(std::size_t n, std::size_t low, std::size_t high)
{
    std::vector<long double> row{1.0L};
    for (std::size_t i = 1; i <= n; ++i) {
        std::vector<long double> next(i + 1, 0.0L);
        for (std::size_t k = 0; k < i; ++k) {
            next[k] += row[k] / 2;
            next[k + 1] += row[k] / 2;
        }
        row = next;
    }
    long double sum = 0;
    for (std::size_t k = low + 1; k <= high; ++k)
        sum += row[k];
    return static_cast<double>(sum);
}

} // namespace

TEST_CASE("the coverage of the interval is the binomial sum")
{
    for (std::size_t n = 1; n <= 300; ++n) {
        rank_interval const ranks = median_ranks(n);
        CAPTURE(n);
        CHECK(ranks.low + ranks.high == n - 1);
        CHECK(ranks.coverage ==
              doctest::Approx(brute_force_coverage(n, ranks.low, ranks.high)).epsilon(1e-12));
    }
}

TEST_CASE("the interval is the narrowest that covers what was asked")
{
    for (double const confidence : {0.5, 0.8, 0.95, 0.99}) {
        for (std::size_t n = 1; n <= 200; ++n) {
            rank_interval const ranks = median_ranks(n, confidence);
            CAPTURE(n);
            CAPTURE(confidence);
            bool const is_range = ranks.low == 0;
            if (!is_range) CHECK(ranks.coverage >= confidence);
            if (ranks.low + 1 <= ranks.high - std::size_t{ranks.high > 0})
                CHECK(brute_force_coverage(n, ranks.low + 1, ranks.high - 1) < confidence);
        }
    }
}

TEST_CASE("six samples are the fewest for 95 percent")
{
    CHECK(median_ranks(attune::detail::fewest_for_confidence).coverage ==
          doctest::Approx(1 - std::pow(2.0, -5)).epsilon(1e-15));
    CHECK(median_ranks(attune::detail::fewest_for_confidence - 1).coverage ==
          doctest::Approx(1 - std::pow(2.0, -4)).epsilon(1e-15));
    CHECK(median_ranks(1).coverage == 0);
}

TEST_CASE("the ranks agree with printed tables")
{
    // Ranks from 1 in the tables of the sign test: n = 10: 2..9, n = 20: 6..15, n = 100: 40..61.
    CHECK(median_ranks(10).low + 1 == 2);
    CHECK(median_ranks(20).low + 1 == 6);
    CHECK(median_ranks(100).low + 1 == 40);
    CHECK(median_ranks(100).high + 1 == 61);
}

TEST_CASE("many samples neither overflow nor take long")
{
    // Normal approximation: half the interval is 0.98 * sqrt(n) ranks.
    std::size_t const n = 1000000;
    rank_interval const ranks = median_ranks(n);
    CHECK(static_cast<double>(n) / 2 - static_cast<double>(ranks.low) ==
          doctest::Approx(0.98 * std::sqrt(static_cast<double>(n))).epsilon(0.01));
    CHECK(ranks.coverage >= 0.95);
    CHECK(ranks.coverage < 0.952);
}

TEST_CASE("the median of an odd number is the middle, of an even number the mean of the two")
{
    std::vector<double> odd{5, 1, 3};
    std::vector<double> even{4, 1, 3, 2};
    std::vector<double> one{7};
    CHECK(median_of(odd).value == 3);
    CHECK(median_of(even).value == 2.5);
    CHECK(median_of(one).value == 7);
    CHECK(median_of(one).low == 7);
    CHECK(median_of(one).high == 7);
    CHECK(median_of(one).samples == 1);
}

TEST_CASE("the interval is made of samples")
{
    std::vector<double> twenty(20);
    for (std::size_t i = 0; i < 20; ++i)
        twenty[i] = static_cast<double>(20 - i);
    attune::measurement const m = median_of(twenty);
    CHECK(m.value == 10.5);
    CHECK(m.low == 6);
    CHECK(m.high == 15);
    CHECK(m.samples == 20);
}

TEST_CASE("the interval covers the true median of a skewed distribution as often as it says")
{
    attune::random_engine engine(20240501);
    double const truth = std::log(2.0); // of the exponential distribution
    for (std::size_t const n : {std::size_t{6}, std::size_t{10}, std::size_t{25}}) {
        int const trials = 20000;
        int hits = 0;
        std::vector<double> samples(n);
        for (int t = 0; t < trials; ++t) {
            for (double& x : samples)
                x = -std::log1p(-attune::uniform_unit(engine));
            attune::measurement const m = median_of(samples);
            hits += m.low <= truth && truth <= m.high ? 1 : 0;
        }
        // Five standard deviations of a binomial proportion.
        double const expected = median_ranks(n).coverage;
        double const margin = 5 * std::sqrt(expected * (1 - expected) / trials);
        CAPTURE(n);
        CHECK(std::abs(static_cast<double>(hits) / trials - expected) < margin);
    }
}

TEST_CASE("narrow means half the interval over the value, and a real interval")
{
    attune::measurement const wide{1.0, 0.9, 1.1, 10};
    CHECK(attune::detail::is_narrow(wide, 0.11));
    CHECK_FALSE(attune::detail::is_narrow(wide, 0.09));
    attune::measurement const few{1.0, 1.0, 1.0, 5};
    CHECK_FALSE(attune::detail::is_narrow(few, 0.5));
    attune::measurement const equal{1.0, 1.0, 1.0, 10};
    CHECK(attune::detail::is_narrow(equal, 1e-9));
    CHECK_FALSE(attune::detail::is_narrow(equal, 0));
}
