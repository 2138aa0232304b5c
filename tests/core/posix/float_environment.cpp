// tests/core/posix/float_environment.cpp - what a scope changes in the floating-point unit is undone.
// SPDX-License-Identifier: MIT
#include <attune/core/posix/float_environment.hpp>

#include <doctest/doctest.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

TEST_CASE("rounding, exception flags, flushing and precision are as before the scope")
{
    std::feclearexcept(FE_ALL_EXCEPT);
    {
        attune::detail::kept_float_environment const kept;
        std::fesetround(FE_UPWARD);
        std::feraiseexcept(FE_INVALID);
#if defined(__x86_64__)
        _mm_setcsr(_mm_getcsr() | 0x8040U);
        unsigned short const single = 0x007F; // 24 bits
        asm volatile("fldcw %0" : : "m"(single));
#endif
    }
    CHECK(std::fegetround() == FE_TONEAREST);
    CHECK(std::fetestexcept(FE_ALL_EXCEPT) == 0);
#if defined(__x86_64__)
    CHECK((_mm_getcsr() & 0x8040U) == 0);
    long double volatile three = 3;
    CHECK(static_cast<double>(1 / three * 3 - 1) == 0.0);
    CHECK(static_cast<long double>(static_cast<double>(1 / three)) != 1 / three);
#endif
}
