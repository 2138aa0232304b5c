// tests/search/bayes/features/level_scale.cpp - numbers become levels, and every number has one.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/features/level_scale.hpp>

#include <attune/core/random.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <vector>

using attune::detail::level_scale;
using attune::detail::spacing;

TEST_CASE("a few numbers are one level each, equally far where their ratios are equal")
{
    level_scale const scale(std::vector<double>{1, 4, 16, 256}, spacing::log, 60);
    REQUIRE(scale.places().size() == 4);
    CHECK(scale.places()[0] == 0);
    CHECK(scale.places()[1] == doctest::Approx(0.25));
    CHECK(scale.places()[2] == doctest::Approx(0.5));
    CHECK(scale.places()[3] == 1);
    CHECK(scale.level_of(1) == 0);
    CHECK(scale.level_of(4) == 1);
    CHECK(scale.level_of(16) == 2);
    CHECK(scale.level_of(256) == 3);
}

TEST_CASE("a number that did not occur takes the nearest level, none the lowest")
{
    level_scale const scale(std::vector<double>{1, 4, 16, 256}, spacing::log, 60);
    CHECK(scale.level_of(1.9) == 0); // the middle of 1 and 4 is 2
    CHECK(scale.level_of(2.1) == 1);
    CHECK(scale.level_of(-5) == 0);
    CHECK(scale.level_of(1e9) == 3);
    CHECK(scale.level_of(std::nullopt) == 0);
    level_scale const linear(std::vector<double>{-2, 0, 10}, spacing::linear, 60);
    CHECK(linear.level_of(4.9) == 1);
    CHECK(linear.level_of(5.1) == 2);
    CHECK(linear.places()[1] == doctest::Approx(1.0 / 6));
}

TEST_CASE("sizes that may be zero are spaced by the logarithm of one more")
{
    using attune::detail::spacing_for;
    CHECK(spacing_for(0.5) == spacing::log);
    CHECK(spacing_for(0) == spacing::log_plus);
    CHECK(spacing_for(-1) == spacing::linear);
    level_scale const scale(std::vector<double>{0, 1, 3}, spacing::log_plus, 60);
    CHECK(scale.places()[1] == doctest::Approx(0.5));
}

TEST_CASE("spacing has an inverse")
{
    for (auto const how : {spacing::linear, spacing::log, spacing::log_plus})
        for (double const v : {0.25, 1.0, 4096.0})
            CHECK(attune::detail::unspaced(attune::detail::spaced(v, how), how) ==
                  doctest::Approx(v));
}

TEST_CASE("many numbers share levels, and each has the level it was put in")
{
    std::vector<double> numbers;
    for (int i = 1; i <= 1000; ++i)
        numbers.push_back(i);
    level_scale const scale(numbers, spacing::linear, 10);
    REQUIRE(scale.places().size() == 10);
    for (int i = 0; i < 1000; ++i) // a hundred each
        CHECK(scale.level_of(numbers[static_cast<std::size_t>(i)]) ==
              static_cast<std::uint32_t>(i / 100));
    // the means of 1 .. 100, 401 .. 500 and 901 .. 1000 are 50.5, 450.5 and 950.5
    CHECK(scale.places()[4] == doctest::Approx(400.0 / 900));
}

TEST_CASE("the widest level is as narrow as can be, as brute force finds")
{
    attune::random_engine engine(3);
    for (int round = 0; round < 50; ++round) {
        std::vector<double> numbers;
        for (int i = 0; i < 9; ++i)
            numbers.push_back(std::floor(std::pow(1000, attune::uniform_unit(engine)) * 100));
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        std::size_t const n = numbers.size();
        level_scale const scale(numbers, spacing::linear, 4);
        CHECK(scale.places().size() <= 4);
        double widest = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i; j < n; ++j)
                if (scale.level_of(numbers[i]) == scale.level_of(numbers[j]))
                    widest = std::max(widest, numbers[j] - numbers[i]);
        double best = 1e300;
        for (std::size_t cuts = 0; cuts < (std::size_t{1} << (n - 1)); ++cuts) {
            if (std::popcount(cuts) > 3) continue;
            double width = 0;
            std::size_t first = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (i + 1 == n || (cuts >> i & 1U) != 0) {
                    width = std::max(width, numbers[i] - numbers[first]);
                    first = i + 1;
                }
            best = std::min(best, width);
        }
        CHECK(widest == best);
    }
}

TEST_CASE("neighbouring doubles and a single number are levels too")
{
    double const next = std::nextafter(1.0, 2.0);
    level_scale const close(std::vector<double>{1, next}, spacing::log, 60);
    CHECK(close.level_of(1) == 0);
    CHECK(close.level_of(next) == 1);
    level_scale const one(std::vector<double>{7}, spacing::log, 60);
    CHECK(one.places() == std::vector<double>{0});
    CHECK(one.level_of(9) == 0);
}
