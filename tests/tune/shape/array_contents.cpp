// tests/tune/shape/array_contents.cpp - arrays of one type each, filled with every kind of contents.
// SPDX-License-Identifier: MIT
#include <attune/tune/shape/array_contents.hpp>

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <span>
#include <vector>

using attune::array_contents;
using attune::detail::fill_contents;

namespace {

template <class T>
std::vector<T> filled(std::vector<T> values, array_contents with, bool expected = true)
{
    CHECK(fill_contents(attune::detail::as_buffer(std::span<T>(values), 0), with) == expected);
    return values;
}

} // namespace

TEST_CASE_TEMPLATE("numbers become special ones", T, float, double)
{
    std::vector<T> const own{3, -1, 2};
    using limits = std::numeric_limits<T>;
    CHECK(filled(own, array_contents::own) == own);
    CHECK(filled(own, array_contents::zero) == std::vector<T>(3, 0));
    CHECK(std::signbit(filled(own, array_contents::negative_zero)[2]));
    CHECK(filled(own, array_contents::denormal) == std::vector<T>(3, limits::denorm_min()));
    CHECK(filled(own, array_contents::equal) == std::vector<T>(3, 3));
    CHECK(filled(own, array_contents::sorted) == std::vector<T>{-1, 2, 3});
    CHECK(filled(own, array_contents::least) == std::vector<T>(3, limits::lowest()));
    CHECK(filled(own, array_contents::infinite) == std::vector<T>(3, limits::infinity()));
    CHECK(std::isnan(filled(own, array_contents::not_a_number)[0]));
    std::vector<T> const with_nan{limits::quiet_NaN(), 2, 1};
    CHECK(filled(with_nan, array_contents::sorted).size() == 3);
}

TEST_CASE_TEMPLATE("whole numbers have no NaN, and keep their own", T, signed char, unsigned, long)
{
    std::vector<T> const own{3, 1, 2};
    CHECK(filled(own, array_contents::not_a_number, false) == own);
    CHECK(filled(own, array_contents::infinite, false) == own);
    CHECK(filled(own, array_contents::least, false) == own); // they may be indices
    CHECK(filled(own, array_contents::sorted) == std::vector<T>{1, 2, 3});
    CHECK(filled(std::vector<T>{}, array_contents::equal).empty());
}

TEST_CASE_TEMPLATE("declared contents of whole numbers include their least", T, signed char,
                   unsigned, long)
{
    std::vector<T> all{3, 1, 2};
    auto const array = attune::detail::as_buffer(std::span<T>(all), 0);
    CHECK(attune::detail::knows_elements(array));
    CHECK(fill_contents(array, array_contents::least, true));
    CHECK(all == std::vector<T>(3, std::numeric_limits<T>::lowest()));
}

TEST_CASE_TEMPLATE("an array of one number gets others near it", T, float, double)
{
    auto const is_one = [](std::vector<T> all) {
        return attune::detail::is_one_number(attune::detail::as_buffer(std::span<T>(all), 0));
    };
    CHECK(is_one(std::vector<T>(2, 7)));
    CHECK_FALSE(is_one({}));
    CHECK_FALSE(is_one({7}));
    CHECK_FALSE(is_one({7, 7, 8}));
    for (T const number : {T{0}, T{7}, T{-7}, std::numeric_limits<T>::max()}) {
        std::vector<T> all(100, number);
        attune::detail::vary(attune::detail::as_buffer(std::span<T>(all), 0));
        for (T const one : all) {
            CHECK(std::signbit(one) == std::signbit(number));
            CHECK(std::abs(one) <= (number == 0 ? T{0.25} : std::abs(number)));
            CHECK(std::abs(one) >= std::abs(number) * T{0.75});
        }
        std::sort(all.begin(), all.end());
        CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
    }
    constexpr T inf = std::numeric_limits<T>::infinity();
    std::vector<T> infinite(2, inf);
    attune::detail::vary(attune::detail::as_buffer(std::span<T>(infinite), 0));
    CHECK(infinite == std::vector<T>(2, inf));
    std::vector<int> ones(2, 1); // may be indices
    CHECK_FALSE(attune::detail::is_one_number(attune::detail::as_buffer(std::span<int>(ones), 0)));
}
