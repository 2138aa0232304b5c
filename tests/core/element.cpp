// tests/core/element.cpp - numbers by their form in memory.
// SPDX-License-Identifier: MIT
#include <attune/core/element.hpp>

#include <attune/core/kernel_type.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <string_view>
#include <type_traits>

using attune::element_type;

namespace {

/// What the C++ type of a row says of it.
template <class T>
void check_row(std::string_view name)
{
    auto const& row = attune::detail::element_types[attune::detail::element_type_of_number<T>()];
    CAPTURE(name);
    CHECK(row.cpp_name == name);
    CHECK(row.bytes == sizeof(T));
    CHECK(row.is_real == std::is_floating_point_v<T>);
    CHECK(row.is_signed == std::is_signed_v<T>);
    // A sum has the promoted type: it is undefined there if that type is the number's own.
    constexpr bool is_own = std::is_same_v<decltype(T{} + T{}), T>;
    CHECK(attune::detail::can_overflow(row.of) ==
          (std::is_integral_v<T> && std::is_signed_v<T> && is_own));
    // Some roundings, and no tolerance where nothing is rounded.
    CHECK(attune::detail::default_tolerance(row.of).absolute == 0);
    if constexpr (std::is_integral_v<T>)
        CHECK(row.relative == 0);
    else
        CHECK(row.relative > 8 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

} // namespace

TEST_CASE("the table of element types agrees with the C++ types it names")
{
#define CHECK_ROW(TYPE) check_row<TYPE>(#TYPE) // clang-format off
    CHECK_ROW(float); CHECK_ROW(double); CHECK_ROW(long double);
    CHECK_ROW(signed char); CHECK_ROW(unsigned char); CHECK_ROW(short); CHECK_ROW(unsigned short);
    CHECK_ROW(int); CHECK_ROW(unsigned); CHECK_ROW(long); CHECK_ROW(unsigned long);
#undef CHECK_ROW // clang-format on
    using attune::detail::is_real_type;
    CHECK(is_real_type(element_type::f16));
    CHECK(is_real_type(element_type::bf16));
    CHECK(!is_real_type(element_type::opaque));
}

TEST_CASE("element types have different names")
{
    std::set<std::string_view> names;
    for (auto const& row : attune::detail::element_types)
        names.insert(row.name);
    CHECK(names.size() == attune::detail::element_types.size);
    CHECK(!names.contains(""));
}

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
    for (auto const& [type, rounding] :
         {precision{element_type::f16, 0x1p-11}, precision{element_type::bf16, 0x1p-8},
          precision{element_type::f32, 0x1p-24}, precision{element_type::f64, 0x1p-53}}) {
        CHECK(attune::detail::default_tolerance(type).relative > 8 * rounding);
        CHECK(attune::detail::default_tolerance(type).relative <= 0.05);
        CHECK(attune::detail::default_tolerance(type).absolute == 0);
    }
    CHECK(attune::detail::default_tolerance(element_type::i32).relative == 0);
    CHECK(attune::detail::default_tolerance(element_type::opaque).relative == 0);
}
