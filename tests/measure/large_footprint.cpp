// tests/measure/large_footprint.cpp : memory for a measurement, include/attune/measure/roofline/detail/large_footprint.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/roofline/detail/large_footprint.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <new>

using attune::detail::large_footprint;

namespace {

constexpr double mebibyte = 1 << 20;
constexpr double endless = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("arrays far beyond the caches take a quarter of what is to spare at most")
{
    double const beyond = 32 * mebibyte;
    CHECK(large_footprint(1, endless, beyond) == 192 * mebibyte);
    CHECK(large_footprint(8, endless, beyond) == 1536 * mebibyte);
    CHECK(large_footprint(16, endless, beyond) == 1536 * mebibyte);
    CHECK(large_footprint(128, endless, beyond) == 3072 * mebibyte);
    CHECK(large_footprint(128, 4096 * mebibyte, beyond) == 1024 * mebibyte);
    CHECK(large_footprint(1, 400 * mebibyte, beyond) == 100 * mebibyte);
    CHECK(large_footprint(1, 128 * mebibyte, beyond) == beyond);
    CHECK_THROWS_AS((void)large_footprint(1, 127 * mebibyte, beyond), std::bad_alloc);
}
