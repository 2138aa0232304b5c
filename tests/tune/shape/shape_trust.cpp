// tests/tune/shape/shape_trust.cpp - what a class of shapes has to show before it is trusted.
// SPDX-License-Identifier: MIT
#include <attune/tune/shape/shape_trust.hpp>

#include <attune/core/matrix_view.hpp>
#include <attune/core/shape/call_shape.hpp>

#include <bit>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <vector>

using attune::detail::place_bits;
using attune::detail::shape_part;
using attune::detail::shape_trust;
using attune::detail::shape_word;
using words = std::vector<std::int64_t>;

namespace {

std::vector<shape_word> const one_size{{shape_part::number, 0}};
std::vector<shape_word> const two_sizes{{shape_part::number, 0}, {shape_part::number, 1}};

/// Verifies every shape in order that is not covered yet, if `is_right`; returns what was covered
/// and wrong.
std::vector<words> escapes_of(shape_trust& trust, std::vector<words> const& calls,
                              std::function<bool(words const&)> const& is_right,
                              std::size_t& verified)
{
    std::vector<words> out;
    for (words const& call : calls) {
        if (trust.covers(call)) {
            if (!is_right(call)) out.push_back(call);
        } else {
            ++verified;
            if (is_right(call))
                trust.add(call);
            else
                trust.distrust();
        }
    }
    return out;
}

std::vector<words> random_sizes(unsigned seed, std::size_t count, std::int64_t most)
{
    std::mt19937_64 random(seed);
    std::vector<words> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back({1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most))});
    return out;
}

} // namespace

TEST_CASE("nothing is trusted before it was verified; a shape that was verified is")
{
    shape_trust trust(one_size, {16});
    CHECK_FALSE(trust.covers(words{100}));
    trust.add(words{100});
    CHECK(trust.covers(words{100}));
    CHECK_FALSE(trust.covers(words{101}));
    trust.distrust();
    CHECK(trust.is_distrusted());
    CHECK_FALSE(trust.covers(words{100}));
}

TEST_CASE(
    "code that is wrong for one remainder never serves: by every number to 64, and parameters")
{
    auto const check = [](std::int64_t by, std::int64_t divisor, std::int64_t step,
                          std::size_t calls) {
        for (std::int64_t r = 0; r < by; r += step) {
            CAPTURE(by);
            CAPTURE(r);
            shape_trust trust(one_size, {divisor});
            std::size_t verified = 0;
            auto const escapes = escapes_of(
                trust, random_sizes(static_cast<unsigned>(97 * by + r), calls, 1 << 20),
                [&](words const& c) { return c[0] % by != r; }, verified);
            CHECK(escapes.empty());
        }
    };
    for (std::int64_t const by : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 32, 64})
        check(by, 16, by > 16 ? 5 : 1, 600);
    for (std::int64_t const tile : {24, 48, 100}) // of the variant
        check(tile, tile, 7, 800);
}

TEST_CASE("code that is wrong above or below a size never serves there")
{
    for (std::int64_t const limit : {3, 17, 1'000, 65'536, 100'000, 524'288}) {
        for (bool const above : {true, false}) {
            shape_trust trust(one_size, {8});
            std::size_t verified = 0;
            // Above: whatever lies beyond the largest size that was verified is verified.
            auto const calls = random_sizes(static_cast<unsigned>(limit), 3'000, 1 << 20);
            auto const escapes = escapes_of(
                trust, calls, [&](words const& c) { return (c[0] > limit) != above; }, verified);
            if (above) CHECK(escapes.empty());
            CHECK(escapes.size() <= 3); // below: within half an octave of the limit at most
        }
    }
}

TEST_CASE("a class is trusted in the end: shapes verified are far fewer than shapes met")
{
    shape_trust trust(one_size, {16, 4});
    std::size_t verified = 0;
    (void)escapes_of(
        trust, random_sizes(5, 20'000, 1 << 20), [](words const&) { return true; }, verified);
    CHECK(verified < 400);
    std::size_t later = 0;
    (void)escapes_of(
        trust, random_sizes(6, 10'000, 1 << 20), [](words const&) { return true; }, later);
    CHECK(later < 50);
}

TEST_CASE("the order of two sizes, and both below, on or off a tile, are properties")
{
    auto const shapes = [](unsigned seed) {
        std::mt19937_64 random(seed);
        std::vector<words> out;
        for (int i = 0; i < 4'000; ++i)
            out.push_back({static_cast<std::int64_t>(random() % 500),
                           static_cast<std::int64_t>(random() % 500)});
        return out;
    };
    std::vector<std::function<bool(words const&)>> const rights{
        [](words const& c) { return c[0] >= c[1]; },
        [](words const& c) { return c[0] <= c[1]; },
        [](words const& c) { return c[0] != c[1]; },
        [](words const& c) { return c[0] % 8 == 0 || c[1] % 8 == 0; },
        [](words const& c) { return c[0] % 8 != 0 || c[1] % 8 != 0; },
        [](words const& c) { return c[0] >= 8 || c[1] >= 8; },
        [](words const& c) { return c[0] < 8 || c[1] >= 8; },
    };
    for (std::size_t i = 0; i < rights.size(); ++i) {
        CAPTURE(i);
        shape_trust trust(two_sizes, {8});
        std::size_t verified = 0;
        CHECK(escapes_of(trust, shapes(static_cast<unsigned>(i)), rights[i], verified).empty());
    }
}

TEST_CASE("lengths that integers explain are no sizes of their own")
{
    std::vector<shape_word> const product{{shape_part::elements, 0},
                                          {shape_part::elements, 1},
                                          {shape_part::number, 2},
                                          {shape_part::number, 3}};
    shape_trust trust(product, {});
    for (std::int64_t m = 1; m <= 130; ++m) // every remainder of each
        trust.add(words{m * (131 - m), m, m, 131 - m});
    // Other products: their own remainders were never seen, those of m and n were.
    CHECK(trust.covers(words{65 * 66, 65, 65, 66}));
    CHECK_FALSE(trust.covers(words{64 * 67 + 1, 64, 64, 67})); // this length is no product
}

TEST_CASE("flags, overlaps and other types separate; alignments are properties")
{
    std::vector<shape_word> const layout{{shape_part::elements, 0}, {shape_part::elements, 1},
                                         {shape_part::flag, 2},     {shape_part::bytes, 3},
                                         {shape_part::overlaps, 2}, {shape_part::places, 2}};
    shape_trust trust(layout, {});
    trust.add(words{64, 64, 0, 99, 0, 0});
    CHECK(trust.covers(words{64, 64, 0, 99, 0, 0}));
    CHECK_FALSE(trust.covers(words{64, 64, 1, 99, 0, 0}));
    CHECK_FALSE(trust.covers(words{64, 64, 0, 98, 0, 0}));
    CHECK_FALSE(trust.covers(words{64, 64, 0, 99, 77, 0}));
    CHECK_FALSE(trust.covers(words{64, 64, 0, 99, 0, 16})); // the first array
    CHECK_FALSE(trust.covers(words{64, 64, 0, 99, 0, 16 << place_bits::per_array}));
    CHECK_FALSE(trust.covers(words{64, 63, 0, 99, 0, 0})); // equal lengths count once, not these
}

TEST_CASE("floating-point numbers are properties by their class; special ones separate")
{
    std::vector<shape_word> const layout{{shape_part::number, 0}, {shape_part::real, 1}};
    auto const of = [](double value) {
        return attune::detail::real_class(std::bit_cast<std::int64_t>(value));
    };
    shape_trust trust(layout, {});
    trust.add(words{64, of(0.3)});
    trust.add(words{32, of(-5.5)});
    CHECK(trust.covers(words{64, of(0.35)}));
    CHECK(trust.covers(words{32, of(0.35)})); // each by itself
    CHECK(trust.covers(words{64, of(-5.75)}));
    CHECK_FALSE(trust.covers(words{64, of(0.4)}));  // the other half of the octave
    CHECK_FALSE(trust.covers(words{64, of(0.6)}));  // another exponent
    CHECK_FALSE(trust.covers(words{64, of(0.25)})); // a power of two
    CHECK_FALSE(trust.covers(words{64, of(-5.0)})); // a whole number
    CHECK_FALSE(trust.covers(words{64, of(5.5)}));
    trust.add(words{64, of(0.0)});
    CHECK(trust.covers(words{64, of(0.0)}));
    CHECK_FALSE(trust.covers(words{32, of(0.0)})); // 32 was verified for other numbers
    CHECK_FALSE(trust.covers(words{64, of(std::numeric_limits<double>::quiet_NaN())}));
}

TEST_CASE("the sign of a number, and a power of two, meet each size below, on and off a tile")
{
    std::vector<shape_word> const layout{{shape_part::number, 0}, {shape_part::real, 1}};
    auto const of = [](double value) {
        return attune::detail::real_class(std::bit_cast<std::int64_t>(value));
    };
    shape_trust trust(layout, {8});
    for (std::int64_t n = 1; n <= 200; ++n)
        trust.add(words{n, of(1.5)});
    for (double const one : {-1.5, 2.0}) {
        trust.add(words{64, of(one)});
        CHECK(trust.covers(words{96, of(one)}));
        CHECK_FALSE(trust.covers(words{97, of(one)}));
        CHECK_FALSE(trust.covers(words{6, of(one)}));
        trust.add(words{71, of(one)});
        CHECK(trust.covers(words{97, of(one)}));
    }
}

TEST_CASE("negative numbers prove themselves: nothing of positive ones, and -32 not of -31")
{
    shape_trust trust(one_size, {8});
    for (std::int64_t n = 0; n < 4'000; ++n)
        trust.add(words{n});
    REQUIRE(trust.covers(words{13}));
    CHECK_FALSE(trust.covers(words{-5}));
    for (std::int64_t n = 1; n < 32; ++n)
        trust.add(words{-n});
    CHECK(trust.covers(words{-5}));
    CHECK_FALSE(trust.covers(words{-32}));
}

TEST_CASE("a product of two sizes that is larger than all that were verified is not covered")
{
    std::vector<shape_word> const layout{{shape_part::number, 0}, {shape_part::number, 1}};
    shape_trust trust(layout, {});
    for (std::int64_t m = 1; m <= 512; ++m)
        trust.add(words{m, 513 - m}); // a 16-bit count of m * n is right up to 256 * 257 - 1
    CHECK(trust.covers(words{256, 255}));
    CHECK(trust.covers(words{200, 300}));
    CHECK_FALSE(trust.covers(words{500, 400}));
    CHECK_FALSE(trust.covers(words{257, 258}));
}

TEST_CASE("a trusted class is checked again at a falling rate: 1, 2, 4, 8 ...")
{
    shape_trust trust(one_size, {});
    std::vector<int> checked;
    for (int i = 1; i <= 1'000; ++i)
        if (trust.wants_recheck()) checked.push_back(i);
    CHECK(checked == std::vector<int>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512});
}

TEST_CASE("a shape in words")
{
    std::vector<shape_word> const layout{
        {shape_part::elements, 0}, {shape_part::number, 2}, {shape_part::places, 1}};
    CHECK(attune::detail::text_of_shape(layout, words{513, -7, 4}) ==
          "argument 0 has 513 elements, argument 2 is -7");
    CHECK(attune::detail::text_of_shape({}, {}) == "this call");
    using matrix = attune::matrix_view<float>;
    using volume = attune::volume_view<float>;
    auto const views = attune::detail::shape_of_call<matrix, volume, std::span<float*>>::layout();
    words key(views.size());
    std::iota(key.begin(), key.end(), 1);
    CHECK(attune::detail::text_of_shape(views, key) ==
          "argument 0 has 1 rows, argument 0 has 2 columns, argument 0 has a row stride of 3, "
          "argument 1 has 4 slices, argument 1 has 5 rows, argument 1 has 6 columns, "
          "argument 1 has a slice stride of 7, argument 1 has a row stride of 8, "
          "argument 2 has 9 elements");
}

TEST_CASE("addresses count modulo what the compiler left of them")
{
    std::vector<shape_word> const layout{
        {shape_part::number, 0}, {shape_part::overlaps, 2}, {shape_part::places, 2}};
    auto const key = [](std::int64_t first, std::int64_t second, std::int64_t overlap = 0) {
        return words{100, overlap, first | second << place_bits::per_array};
    };
    for (std::int64_t const modulus : {1, 4, 16, 32, 64}) {
        shape_trust trust(layout, {16}, static_cast<std::uint32_t>(modulus));
        trust.add(key(0, 20));
        for (std::int64_t first = 0; first < 64; ++first)
            for (std::int64_t second = 0; second < 64; ++second)
                CHECK(trust.covers(key(first, second)) ==
                      (first % modulus == 0 && (second - 20) % modulus == 0));
        CHECK_FALSE(trust.covers(key(0, 20, 1)));
    }
}
