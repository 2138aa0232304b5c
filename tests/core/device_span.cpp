// tests/core/device_span.cpp : mirrors include/attune/core/device_span.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/core/device_span.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <type_traits>

using attune::device_span;

TEST_CASE("a span has its pointer and its size, and never touches what it points to")
{
    // An address that the host could not read.
    auto* const far = reinterpret_cast<double*>(std::uintptr_t{0x7f0000000008});
    device_span<double> const values{far, 5};
    CHECK(values.data() == far);
    CHECK(values.size() == 5);
    CHECK(values.size_bytes() == 40);
    device_span<double const> const read = values;
    CHECK(read.data() == far);
    CHECK(read.size() == 5);
}

TEST_CASE("an empty span has no pointer")
{
    constexpr device_span<float> none;
    static_assert(none.data() == nullptr && none.size() == 0 && none.size_bytes() == 0);
}

TEST_CASE("elements become const, and nothing else")
{
    static_assert(std::is_convertible_v<device_span<int>, device_span<int const>>);
    static_assert(!std::is_convertible_v<device_span<int const>, device_span<int>>);
    static_assert(!std::is_convertible_v<device_span<int>, device_span<float>>);
    static_assert(!std::is_convertible_v<device_span<int>, device_span<unsigned>>);
    struct base {};
    struct derived : base {};
    static_assert(!std::is_convertible_v<device_span<derived>, device_span<base>>);
    static_assert(std::is_trivially_copyable_v<device_span<int>>);
}
