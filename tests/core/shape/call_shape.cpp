// tests/core/shape/call_shape.cpp - what of a call is its shape.
// SPDX-License-Identifier: MIT
#include <attune/core/shape/call_shape.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

using attune::detail::place_bits;
using attune::detail::shape_choice;
using attune::detail::shape_of_call;
using attune::detail::shape_part;
using attune::detail::special_real;

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
    REQUIRE(shape::size == 8);
    std::vector<shape_part> const parts{
        shape_part::elements, shape_part::number, shape_part::elements, shape_part::flag,
        shape_part::flag,     shape_part::real,   shape_part::overlaps, shape_part::places};
    for (std::size_t i = 0; i < parts.size(); ++i)
        CHECK(layout[i].part == parts[i]);
    CHECK(layout[2].argument == 2);
    CHECK(layout[7].argument == 2); // arrays
    floats x;
    floats y;
    auto const key = shape{{}}(in{x.at(0), 10}, -7, out{y.at(1), 20}, true, mode::other, 0.5);
    std::int64_t const half = attune::detail::real_class(std::bit_cast<std::int64_t>(0.5));
    CHECK(key == shape::key{10, -7, 20, 1, 4, half, 0, 4 << place_bits::per_array});
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
    auto const overlaps = [&](in a, in b, out c) { return of(a, b, c)[3]; };
    CHECK(overlaps({x.at(0), 8}, {x.at(1), 8}, {y.at(0), 8}) == 0);        // both are only read
    CHECK(overlaps({x.at(0), 8}, {x.at(0), 6}, {y.at(0), 8}) != 0);        // and begin at one place
    CHECK(overlaps({x.at(0), 0}, {x.at(0), 8}, {y.at(0), 8}) == 0);        // one is empty
    auto const first = overlaps({x.at(0), 8}, {y.at(0), 8}, {x.at(7), 8}); // and the third
    CHECK(first != 0);
    CHECK(overlaps({x.at(1), 8}, {y.at(0), 8}, {x.at(8), 8}) == first); // the same distance
    for (std::size_t other = 0; other < 7; ++other)
        CHECK(overlaps({x.at(0), 8}, {y.at(0), 8}, {x.at(other), 8}) != first);
    CHECK(overlaps({x.at(0), 8}, {y.at(0), 8}, {x.at(8), 8}) == 0); // they touch
    CHECK(overlaps({x.at(0), 8}, {y.at(4), 8}, {y.at(0), 8}) != 0); // the second and the third
    CHECK(overlaps({y.at(4), 8}, {x.at(0), 8}, {y.at(0), 8}) !=
          overlaps({x.at(0), 8}, {y.at(4), 8}, {y.at(0), 8}));      // other arrays, same distance
    CHECK(overlaps({x.at(0), 0}, {y.at(4), 8}, {x.at(0), 8}) == 0); // nothing overlaps nothing
    CHECK((places({x.at(1), 8}, {x.at(2), 8}, {y.at(15), 8}) & 0x3ffff) ==
          (4u | 8u << 6 | 60u << 12));
}

TEST_CASE("what is ignored does not count; what is bound does, also under any_shape")
{
    using shape = shape_of_call<in, int, int, double>;
    floats x;
    shape_choice choice{.ignored = {true, true}};
    auto const some = shape{choice}(in{x.at(3), 10}, 5, 6, 1.0);
    std::int64_t const one = attune::detail::real_class(std::bit_cast<std::int64_t>(1.0));
    CHECK(some == shape::key{0, 0, 6, one, 0});
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

TEST_CASE(
    "floating-point numbers are told apart by sign, exponent and fraction; other types by bytes")
{
    using shape = shape_of_call<float, point3>;
    shape const of{{}};
    auto const real = [&](float f) { return of(f, point3{1, 2, 3})[0]; };
    float const endless = std::numeric_limits<float>::infinity();
    float const none = std::numeric_limits<float>::quiet_NaN();
    // Each line has its own class, and all numbers of a line have the same.
    std::vector<std::vector<float>> const lines{{0.0f},
                                                {-0.0f},
                                                {1.0f},
                                                {-1.0f},
                                                {2.0f},
                                                {3.0f},
                                                {2.5f, 2.75f, 2.0001f},
                                                {3.25f, 3.75f},
                                                {-2.5f, -2.25f},
                                                {5.0f},
                                                {6.0f, 7.0f},
                                                {5.5f, 4.75f},
                                                {0.25f},
                                                {0.3f, 0.35f},
                                                {0.4f, 0.45f},
                                                {1e30f, 1.1e30f},
                                                {endless},
                                                {-endless},
                                                {none}};
    std::set<std::int64_t> seen;
    for (std::vector<float> const& line : lines) {
        CHECK(seen.insert(real(line.front())).second);
        for (float const f : line)
            CHECK(real(f) == real(line.front()));
    }
    std::set<std::int64_t> special;
    for (float const f : {0.0f, 1.0f, -1.0f, endless, -endless, none, 0.3f})
        CHECK(special.insert(special_real(real(f))).second);
    CHECK(special_real(real(-0.0f)) == special_real(real(0.0f)));
    CHECK(special_real(real(-7.0f)) == special_real(real(0.3f)));
    CHECK(of(1.0f, {1, 2, 3})[1] == of(1.0f, {1, 2, 3})[1]);
    CHECK(of(1.0f, {1, 2, 3})[1] != of(1.0f, {1, 2, 4})[1]);
}

TEST_CASE("the address of each of many arrays counts")
{
    auto const check = []<std::size_t... I>(std::index_sequence<I...>) {
        using shape = shape_of_call<std::conditional_t<I == I, out, void>...>;
        constexpr std::size_t count = sizeof...(I);
        shape const of{{}};
        shape const any{{.any_alignment = true}};
        std::vector<floats> arrays(count);
        auto const key = [&](shape const& by, std::size_t moved) {
            return by(out{arrays[I].at(I == moved ? 4 : 0), 8}...);
        };
        for (std::size_t i = 0; i < count; ++i) {
            CHECK(key(of, i) != key(of, count));
            CHECK(key(any, i) == key(any, count));
            for (std::size_t j = 0; j < i; ++j)
                CHECK(key(of, i) != key(of, j));
        }
        CHECK(shape::layout().size() == shape::size);
    };
    check(std::make_index_sequence<9>{});
    check(std::make_index_sequence<10>{});
    check(std::make_index_sequence<23>{});
}

TEST_CASE("rows that are one array count among the targets of pointers, neighbours or not")
{
    std::array<float, 64> memory{};
    using pointers = std::array<float*, 3>;
    auto const place = [](pointers const& of) {
        return attune::detail::place_of_targets(std::span(of)) & 64;
    };
    float* const a = memory.data();
    float* const b = a + 16;
    float* const c = a + 32;
    CHECK(place({a, b, c}) == 0);
    CHECK(place({a, a, c}) != 0);
    CHECK(place({a, b, a}) != 0);
    CHECK(place({nullptr, b, nullptr}) == 0);
}

TEST_CASE("a target of pointers that begins in another array counts if one of them is written")
{
    using rows = std::span<float const* const>;
    using outs = std::span<float* const>;
    std::array<float, 64> memory{};
    std::array<float, 64> other{};
    float* const a = memory.data();
    auto const of_rows = [&](std::array<float const*, 2> const& read, out y) {
        return shape_of_call<rows, out>{{.any_alignment = true}}(rows(read), y);
    };
    auto const apart = of_rows({a, a + 16}, {other.data(), 16});
    CHECK(of_rows({a, a + 16}, {a, 16}) != apart);
    CHECK(of_rows({a, a + 16}, {a + 16, 16}) != apart);
    CHECK(of_rows({a, a + 16}, {a + 16, 16}) != of_rows({a, a + 16}, {a, 16}));
    CHECK(of_rows({a, a + 16}, {a + 32, 16}) == apart);
    auto const read_alone = [&](float const* at) {
        std::array<float const*, 1> const read{a};
        return shape_of_call<rows, in>{{.any_alignment = true}}(rows(read), in(at, 16));
    };
    CHECK(read_alone(a) == read_alone(other.data()));
    auto const of_tables = [&](float const* read, float* written) {
        std::array<float const*, 1> const from{read};
        std::array<float*, 1> const to{written};
        return shape_of_call<rows, outs>{{.any_alignment = true}}(rows(from), outs(to));
    };
    CHECK(of_tables(a, a) != of_tables(a, a + 16));
    CHECK(of_tables(a + 16, a) == of_tables(a, a + 16));
}

TEST_CASE("each pair of many arrays may overlap, and none is taken for another")
{
    using shape = shape_of_call<out, out, out, out, out, out, out, out, out>;
    shape const of{{}};
    floats shared;
    std::vector<floats> own(9);
    std::set<std::int64_t> seen;
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = i + 1; j < 9; ++j) {
            auto const at = [&](std::size_t array) {
                return array == i || array == j ? out{shared.at(0), 8} : out{own[array].at(0), 8};
            };
            auto const key = of(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8));
            CHECK(seen.insert(key[9]).second);
        }
    CHECK(!seen.contains(0));
}
