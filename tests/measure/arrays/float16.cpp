// tests/measure/arrays/float16.cpp - half precision, against the definition of its bits.
// SPDX-License-Identifier: MIT
#include <attune/measure/arrays/float16.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>

using attune::detail::brain_bits;
using attune::detail::half_bits;

TEST_CASE("every half that is a number survives the way to double and back")
{
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        half_bits one;
        one.bits = static_cast<std::uint16_t>(bits);
        auto const value = static_cast<double>(one);
        if (std::isnan(value)) continue;
        if (half_bits(value).bits != one.bits) FAIL_CHECK("half " << bits);
        brain_bits other;
        other.bits = static_cast<std::uint16_t>(bits);
        auto const wide = static_cast<double>(other);
        if (!std::isnan(wide) && brain_bits(wide).bits != other.bits) FAIL_CHECK("bf16 " << bits);
    }
}

TEST_CASE("known halves")
{
    CHECK(half_bits(1).bits == 0x3c00);
    CHECK(half_bits(-2).bits == 0xc000);
    CHECK(half_bits(65504).bits == 0x7bff);
    CHECK(half_bits(65520).bits == 0x7c00);
    CHECK(half_bits(0x1p-24).bits == 1);
    CHECK(half_bits(0x1p-26).bits == 0);
    CHECK(half_bits(1 + 0x1p-11).bits == 0x3c00); // a tie goes to even
    CHECK(half_bits(1 + 3 * 0x1p-11).bits == 0x3c02);
    CHECK(std::isnan(static_cast<double>(half_bits(std::numeric_limits<double>::quiet_NaN()))));
    CHECK(brain_bits(1).bits == 0x3f80);
    CHECK(static_cast<double>(brain_bits(3.140625)) == 3.140625);
    CHECK(std::isinf(static_cast<double>(brain_bits(1e300))));
}

#ifdef __FLT16_MANT_DIG__
TEST_CASE("rounding to a half is the compiler's")
{
    for (int i = -20000; i < 20000; ++i) {
        double const x = i * 0.0137 * (i % 7 == 0 ? 1e-4 : 1);
        auto const right = std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
        if (half_bits(x).bits != right) FAIL_CHECK("at " << x);
    }
}
#endif
