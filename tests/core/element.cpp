// tests/core/element.cpp - numbers by their form in memory.
// SPDX-License-Identifier: MIT
#include <attune/core/element.hpp>

#include <doctest/doctest.h>
#include <initializer_list>

using attune::element_type;

TEST_CASE("every kind of number has the size of its C++ type")
{
    CHECK(attune::detail::element_bytes(element_type::f32) == sizeof(float));
    CHECK(attune::detail::element_bytes(element_type::f64) == sizeof(double));
    CHECK(attune::detail::element_bytes(element_type::extended) == sizeof(long double));
    CHECK(attune::detail::element_bytes(element_type::f16) == 2);
    CHECK(attune::detail::element_bytes(element_type::bf16) == 2);
    CHECK(attune::detail::element_bytes(element_type::i64) == 8);
    CHECK(attune::detail::element_bytes(element_type::opaque) == 1);
}

TEST_CASE("a default tolerance is some roundings of its type, and none of whole numbers")
{
    struct precision {
        element_type type;
        double rounding;
    };
    for (auto const& [type, rounding] : {precision{element_type::f16, 0x1p-11},
                                         precision{element_type::bf16, 0x1p-8},
                                         precision{element_type::f32, 0x1p-24},
                                         precision{element_type::f64, 0x1p-53}}) {
        CHECK(attune::detail::default_tolerance(type).relative > 8 * rounding);
        CHECK(attune::detail::default_tolerance(type).relative <= 0.05);
        CHECK(attune::detail::default_tolerance(type).absolute == 0);
    }
    CHECK(attune::detail::default_tolerance(element_type::i32).relative == 0);
    CHECK(attune::detail::default_tolerance(element_type::opaque).relative == 0);
}
