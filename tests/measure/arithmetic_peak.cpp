// tests/measure/arithmetic_peak.cpp : what is counted as a fused multiply-add is one, include/attune/measure/roofline/detail/arithmetic_peak.hpp
// SPDX-License-Identifier: MIT
#include <attune/measure/roofline/detail/arithmetic_peak.hpp>

#include <cmath>
#include <doctest/doctest.h>

namespace {

/// One lane of the twelve chains, each step rounded once or twice.
template <class T>
T twelve_chains(long rounds, bool is_fused)
{
    T const x = T(0.999), y = T(0.001);
    T sum = 0;
    T start = 0;
    for (int chain = 0; chain < 12; ++chain) {
        start += y;
        T value = start;
        for (long n = 0; n < rounds; ++n) {
            T const volatile product = value * x; // volatile: this one must not be fused
            value = is_fused ? std::fma(value, x, y) : product + y;
        }
        sum = chain == 0 ? value : sum + value;
    }
    return sum;
}

} // namespace

TEST_CASE_TEMPLATE("the peak is that of fused multiply-adds, at any optimisation", T, float, double)
{
    constexpr long rounds = 37;
    T const fused = twelve_chains<T>(rounds, true);
    REQUIRE(fused != twelve_chains<T>(rounds, false)); // else the next line could not tell
    if (!attune::detail::peaks_are_optimised || attune::detail::vector_bytes() == 16) {
        MESSAGE("skipped: not optimised, or no fused multiply-add for vectors");
        return;
    }
    CHECK(attune::detail::multiply_add<T>(rounds) == fused);
}
