// tests/declare/evaluate_integers.cpp - rounding divisions and the ends of 64 bits, exactly.
// SPDX-License-Identifier: MIT
#include <attune/declare/expression/evaluate.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

using attune::op;

namespace {

using wide = std::int64_t;
constexpr wide lowest = std::numeric_limits<wide>::min();
constexpr wide highest = std::numeric_limits<wide>::max();

} // namespace

TEST_CASE("divisions that round down or up do so for every pair of signs")
{
    auto const exact = [](op code, wide p, wide q) {
        wide v = 0;
        REQUIRE(attune::detail::rules_of(code).on_integers(p, q, v));
        return v;
    };
    for (wide p = -40; p <= 40; ++p)
        for (wide q = -12; q <= 12; ++q) {
            if (q == 0) {
                wide none = 0;
                for (op const code : {op::floor_divide, op::floor_modulo, op::ceil_divide})
                    CHECK_FALSE(attune::detail::rules_of(code).on_integers(p, q, none));
                continue;
            }
            // p / q as a fraction with a positive denominator.
            wide const top = q < 0 ? -p : p;
            wide const bottom = q < 0 ? -q : q;
            wide const down = exact(op::floor_divide, p, q);
            CHECK((down * bottom <= top && top < (down + 1) * bottom));
            wide const up = exact(op::ceil_divide, p, q);
            CHECK(((up - 1) * bottom < top && top <= up * bottom));
            CHECK(exact(op::floor_modulo, p, q) == p - q * down);
            CHECK(exact(op::divide, p, q) == (top < 0 ? up : down));
            CHECK(exact(op::modulo, p, q) == p - q * exact(op::divide, p, q));
            auto const real = [&](op code) {
                double v = 0;
                REQUIRE(attune::detail::rules_of(code).on_reals(static_cast<double>(p),
                                                                static_cast<double>(q), v));
                return v;
            };
            CHECK(real(op::floor_divide) == static_cast<double>(down));
            CHECK(real(op::ceil_divide) == static_cast<double>(up));
            CHECK(real(op::floor_modulo) == static_cast<double>(p - q * down));
        }
}

TEST_CASE("real quotients and remainders that round down are those of Python, digit for digit")
{
    struct example {
        double p, q, quotient, remainder;
    };
    // Printed by Python 3.11: p // q and p % q.
    for (example const& e :
         {example{64, 64.0 / 3, 3, 3.552713678800501e-15}, example{1, 0.1, 9, 0.09999999999999995},
          example{64, 1024.0 / 3, 0, 64}, example{0.3, 0.1, 2, 0.09999999999999998},
          example{-1, 0.1, -10, 5.551115123125783e-17}, example{7.5, -2, -4, -0.5},
          example{-7.5, -2, 3, -1.5}, example{-6, 3, -2, 0},
          example{1e300, 3, 3.3333333333333335e+299, 0}}) {
        CAPTURE(e.p);
        CAPTURE(e.q);
        double v = 0;
        CHECK(attune::detail::rules_of(op::floor_divide).on_reals(e.p, e.q, v));
        CHECK(v == e.quotient);
        CHECK(attune::detail::rules_of(op::floor_modulo).on_reals(e.p, e.q, v));
        CHECK(v == e.remainder);
    }
}

TEST_CASE("whole-number arithmetic at the ends of 64 bits agrees with 128-bit arithmetic")
{
    __extension__ typedef __int128 exact;
    std::vector<wide> ends;
    for (wide const near : {lowest, lowest / 2, wide{0}, highest / 2, highest})
        for (wide d = -2; d <= 2; ++d)
            if (d < 0 ? near >= lowest - d : near <= highest - d) ends.push_back(near + d);
    auto const check = [](op code, wide p, wide q, exact want) {
        wide got = 0;
        bool const has_value = attune::detail::rules_of(code).on_integers(p, q, got);
        bool const fits = want >= exact{lowest} && want <= exact{highest};
        CHECK(has_value == fits);
        if (has_value && fits) CHECK(got == static_cast<wide>(want));
    };
    for (wide const p : ends)
        for (wide const q : ends) {
            check(op::add, p, q, exact{p} + q);
            check(op::subtract, p, q, exact{p} - q);
            check(op::multiply, p, q, exact{p} * q);
            if (q != 0) check(op::divide, p, q, exact{p} / q);
        }
}
