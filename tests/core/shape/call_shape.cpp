// tests/core/shape/call_shape.cpp - what of a call is its shape.
// SPDX-License-Identifier: MIT
#include <attune/core/shape/call_shape.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <vector>

using attune::detail::place_bits;
using attune::detail::shape_choice;
using attune::detail::shape_of_call;
using attune::detail::shape_part;

namespace {

enum class mode : std::uint8_t { plain = 3, other = 4 };
struct point3 {
    float x, y, z;
};
using in = std::span<float const>;
using out = std::span<float>;

struct alignas(64) floats {
    std::array<float, 256> values{};
    float* at(std::size_t i) { return values.data() + i; }
};

} // namespace

TEST_CASE("lengths, integers, flags and places are words, in the order of the arguments")
{
    using shape = shape_of_call<in, int, out, bool, mode, double>;
    auto const layout = shape::layout();
    REQUIRE(layout.size() == shape::size);
    REQUIRE(shape::size == 7);
    std::vector<shape_part> const parts{shape_part::elements,
                                        shape_part::number,
                                        shape_part::elements,
                                        shape_part::flag,
                                        shape_part::flag,
                                        shape_part::real,
                                        shape_part::places};
    for (std::size_t i = 0; i < parts.size(); ++i)
        CHECK(layout[i].part == parts[i]);
    CHECK(layout[2].argument == 2);
    CHECK(layout[6].argument == 2); // arrays
    floats x;
    floats y;
    auto const key = shape{{}}(in{x.at(0), 10}, -7, out{y.at(1), 20}, true, mode::other, 0.5);
    CHECK(key == shape::key{10, -7, 20, 1, 4, 2, 4 << place_bits::per_array});
}

TEST_CASE("a place is the address modulo 64; pairs of which one is written may overlap")
{
    using shape = shape_of_call<in, in, out>;
    shape const of{{}};
    floats x;
    floats y;
    auto const places = [&](in a, in b, out c) {
        return static_cast<std::uint64_t>(of(a, b, c).back());
    };
    auto const overlaps = [&](in a, in b, out c) {
        return places(a, b, c) >> place_bits::overlaps;
    };
    CHECK(overlaps({x.at(0), 8}, {x.at(0), 8}, {y.at(0), 8}) == 0); // both are only read
    CHECK(overlaps({x.at(0), 8}, {y.at(0), 8}, {x.at(7), 8}) == 1); // the first and the third
    CHECK(overlaps({x.at(0), 8}, {y.at(0), 8}, {x.at(8), 8}) == 0); // they touch
    CHECK(overlaps({x.at(0), 8}, {y.at(4), 8}, {y.at(0), 8}) == 2); // the second and the third
    CHECK(overlaps({x.at(0), 0}, {y.at(4), 8}, {x.at(0), 8}) == 0); // nothing overlaps nothing
    CHECK((places({x.at(1), 8}, {x.at(2), 8}, {y.at(15), 8}) & 0x3ffff) ==
          (4u | 8u << 6 | 60u << 12));
}

TEST_CASE("what is ignored does not count; what is bound does, also under any_shape")
{
    using shape = shape_of_call<in, int, int, double>;
    floats x;
    shape_choice choice;
    choice.ignored = {true, true};
    auto const some = shape{choice}(in{x.at(3), 10}, 5, 6, 1.0);
    CHECK(some == shape::key{0, 0, 6, 1, 0});
    choice.bound = {false, true, false, true};
    auto const bound = shape{choice}(in{x.at(3), 10}, 5, 6, 1.5);
    CHECK(bound == shape::key{0, 5, 6, std::bit_cast<std::int64_t>(1.5), 0});
    choice.any_shape = true;
    auto const any = shape{choice}(in{x.at(3), 10}, 5, 6, 1.5);
    CHECK(any == shape::key{0, 5, 0, std::bit_cast<std::int64_t>(1.5), 0});
}

TEST_CASE("any_alignment leaves out where arrays lie in a cache line, not which of them overlap")
{
    using shape = shape_of_call<in, in, out>;
    shape const of{{.any_alignment = true}};
    floats x;
    floats y;
    auto const apart = of({x.at(0), 8}, {y.at(0), 8}, {y.at(8), 8});
    CHECK(of({x.at(3), 8}, {y.at(1), 8}, {y.at(9), 8}) == apart);
    CHECK(of({x.at(3), 8}, {x.at(1), 8}, {y.at(9), 8}) == apart);
    CHECK(of({x.at(0), 8}, {y.at(4), 8}, {y.at(0), 8}) != apart); // the second and the third
    CHECK(of({x.at(0), 7}, {y.at(0), 8}, {y.at(8), 8}) != apart);
}

TEST_CASE("addresses count modulo what the choice leaves of them, which of them overlap counts")
{
    using shape = shape_of_call<in, out>;
    shape const of{{.modulus = 16}};
    floats x;
    floats y;
    auto const apart = of({x.at(0), 8}, {y.at(0), 8});
    CHECK(of({x.at(4), 8}, {y.at(8), 8}) == apart);
    CHECK(of({x.at(5), 8}, {y.at(8), 8}) == of({x.at(1), 8}, {y.at(12), 8}));
    CHECK(of({x.at(5), 8}, {y.at(8), 8}) != apart);
    CHECK(of({x.at(0), 8}, {x.at(4), 8}) != apart);
}

TEST_CASE("floating-point numbers are told apart as zero, one, and others; other types by bytes")
{
    using shape = shape_of_call<float, point3>;
    shape const of{{}};
    auto const real = [&](float f) { return of(f, point3{1, 2, 3})[0]; };
    CHECK(real(0.0f) == 0);
    CHECK(real(-0.0f) == 0);
    CHECK(real(1.0f) == 1);
    CHECK(real(2.0f) == 2);
    CHECK(real(-3.5f) == 2);
    CHECK(of(1.0f, {1, 2, 3})[1] == of(1.0f, {1, 2, 3})[1]);
    CHECK(of(1.0f, {1, 2, 3})[1] != of(1.0f, {1, 2, 4})[1]);
}

TEST_CASE("many arrays share the last bits, and none is lost")
{
    using shape = shape_of_call<out, out, out, out, out, out, out, out, out>;
    shape const of{{}};
    std::array<floats, 9> arrays;
    auto const key = [&](std::size_t ninth, std::size_t from) {
        auto const at = [&](std::size_t i) { return out{arrays[i].at(0), 8}; };
        return of(at(0),
                  at(1),
                  at(2),
                  at(3),
                  at(4),
                  at(5),
                  at(6),
                  at(7),
                  out{arrays[ninth].at(from), 8})
            .back();
    };
    CHECK(key(8, 0) == 0);
    CHECK(key(7, 4) != 0);
    CHECK(key(6, 4) != 0);
}
