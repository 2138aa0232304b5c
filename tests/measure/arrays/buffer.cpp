// tests/measure/arrays/buffer.cpp : mirrors include/attune/measure/arrays/buffer.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/measure/arrays/buffer.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <vector>

using attune::element_type;
using attune::detail::as_buffer;
using attune::detail::element_type_of;

namespace {

struct pair_of_floats {
    float x;
    float y;
};

enum class colour : std::uint16_t { red };

} // namespace

TEST_CASE("the type of the elements follows from the type of the span")
{
    static_assert(element_type_of<float>() == element_type::f32);
    static_assert(element_type_of<double const>() == element_type::f64);
    static_assert(element_type_of<signed char>() == element_type::i8);
    static_assert(element_type_of<unsigned char>() == element_type::u8);
    static_assert(element_type_of<std::int16_t>() == element_type::i16);
    static_assert(element_type_of<std::uint16_t>() == element_type::u16);
    static_assert(element_type_of<int>() == element_type::i32);
    static_assert(element_type_of<unsigned>() == element_type::u32);
    static_assert(element_type_of<long long>() == element_type::i64);
    static_assert(element_type_of<std::uint64_t>() == element_type::u64);
    static_assert(element_type_of<bool>() == element_type::u8);
    static_assert(element_type_of<colour>() == element_type::u16);
    static_assert(element_type_of<std::byte>() == element_type::u8);
    static_assert(element_type_of<pair_of_floats>() == element_type::opaque);
    static_assert(element_type_of<long double>() == element_type::extended);
    CHECK(element_type_of<float>() == element_type::f32);
}

TEST_CASE("a complex number is two elements of its part")
{
    static_assert(element_type_of<std::complex<float>>() == element_type::f32);
    std::vector<std::complex<double>> z(3);
    attune::buffer const b = as_buffer(std::span(z), 0);
    CHECK(b.type == element_type::f64);
    CHECK(b.bytes / attune::detail::element_bytes(b.type) == 6);
}

TEST_CASE("the bytes of an element are those of its type")
{
    std::vector<std::int16_t> values(5);
    attune::buffer const b = as_buffer(std::span(values), 0);
    CHECK(attune::detail::element_bytes(b.type) == sizeof(std::int16_t));
    CHECK(b.bytes == 10);
    CHECK(attune::detail::element_bytes(element_type::opaque) == 1);
    CHECK(attune::detail::element_bytes(element_type::f64) == sizeof(double));
    CHECK(attune::detail::element_bytes(element_type::u32) == 4);
}

TEST_CASE("a span to const is read only, any other may be written")
{
    std::vector<float> values{1, 2};
    CHECK(as_buffer(std::span<float>(values), 0).writable);
    CHECK_FALSE(as_buffer(std::span<float const>(values), 0).writable);
}

TEST_CASE("a buffer refers to the memory of the span and knows its argument")
{
    std::array<std::uint32_t, 4> values{};
    attune::buffer const b = as_buffer(std::span(values), 3);
    CHECK(static_cast<void*>(b.data) == static_cast<void*>(values.data()));
    CHECK(b.argument == 3);
    CHECK(b.bytes == 16);
}

TEST_CASE("an empty span is a buffer of no bytes")
{
    CHECK(as_buffer(std::span<double>(), 1).bytes == 0);
}

TEST_CASE("floating point has room for rounding by default, integers have none")
{
    std::vector<float> f(1);
    std::vector<double> d(1);
    std::vector<int> n(1);
    CHECK(as_buffer(std::span(f), 0).within.relative == 1e-4);
    CHECK(as_buffer(std::span(d), 0).within.relative == 1e-9);
    CHECK(as_buffer(std::span(n), 0).within.relative == 0);
    CHECK(as_buffer(std::span(d), 0).within.absolute == 0);
}

TEST_CASE("what another process says of structures is looked at")
{
    std::vector<pair_of_floats> all(3);
    attune::buffer const good = as_buffer(std::span(all), 0);
    CHECK(attune::detail::is_sound(good));
    auto const with = [&](auto change) {
        attune::buffer b = good;
        change(b);
        return attune::detail::is_sound(b);
    };
    CHECK(!with([](attune::buffer& b) { b.run_count = 33; }));
    CHECK(!with([](attune::buffer& b) { b.structure = 0; }));
    CHECK(!with([](attune::buffer& b) { b.bytes -= 1; }));
    CHECK(!with([](attune::buffer& b) { b.runs[1].offset = 5; }));
    CHECK(!with([](attune::buffer& b) { b.runs[0].count = 3; }));
    CHECK(!with([](attune::buffer& b) { b.runs[1].type = static_cast<element_type>(99); }));
    CHECK(!with([](attune::buffer& b) { b.type = static_cast<element_type>(99); }));
}
