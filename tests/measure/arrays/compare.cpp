// tests/measure/arrays/compare.cpp : mirrors include/attune/measure/arrays/compare.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/measure/arrays/compare.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <span>
#include <vector>

using attune::tolerance;
using attune::detail::brain_bits;
using attune::detail::compare;
using attune::detail::half_bits;
using attune::detail::mismatch;

namespace {

template <class T>
std::optional<mismatch> compared(std::vector<T> got, std::vector<T> const& want,
                                 std::optional<tolerance> within = {})
{
    attune::buffer b = attune::detail::as_buffer(std::span(got), 2);
    if (within) b.within = *within;
    return compare(b, std::as_bytes(std::span(want)));
}

double const not_a_number = std::numeric_limits<double>::quiet_NaN();
double const infinite = std::numeric_limits<double>::infinity();
double const denormal = std::numeric_limits<double>::denorm_min();
tolerance const exact{0, 0};

} // namespace

TEST_CASE("the first element that differs is named, with the argument and both values")
{
    std::vector<double> want(20, 3.25);
    std::vector<double> got = want;
    got[17] = 3.5;
    auto const found = compared(got, want);
    REQUIRE(found);
    CHECK(found->argument == 2);
    CHECK(found->element == 17);
    CHECK(found->text() == "argument 2, element 17: got 3.5, reference 3.25");
}

TEST_CASE("how many elements differ is told when it is more than one")
{
    auto const found = compared<int>({1, 5, 3, 6}, {1, 2, 3, 4});
    REQUIRE(found);
    CHECK(found->count == 2);
    CHECK(found->text() == "argument 2, element 1: got 5, reference 2 (2 of 4 differ)");
}

TEST_CASE("the largest distance is that of the elements that differ")
{
    CHECK(compared<int>({1, 5, 3, -6}, {1, 2, 3, 4})->farthest == 10);
    CHECK(compared<double>({1, 4, 1e3}, {1, 2, 1e3 + 1}, tolerance{0, 1e-3})->farthest == 2);
    CHECK(compared<double>({1, not_a_number}, {1, 2})->farthest == infinite);
}

TEST_CASE("numbers agree within absolute + relative * max(|element|, root mean square)")
{
    using list = std::vector<double>;
    constexpr tolerance of_both{0.25, 0.125}, half{0, 0.5}, whole{0, 1};
    std::optional<tolerance> const usual; // of double: room for another order of summation
    double const nan = not_a_number, inf = infinite, huge = 1e308;
    struct row {
        list got, want;
        std::optional<tolerance> within;
        bool agrees;
    };
    for (row const& r : {
             row{{}, {}, usual, true},
             {{1, 2, 3}, {1, 2, 3}, usual, true},
             {{1 + 9e-10}, {1}, usual, true},
             {{1 + 2e-9}, {1}, usual, false},
             {{-0.0, 0.0}, {0.0, -0.0}, exact, true},
             {{9.25, 6.75}, {8, 8}, of_both, true}, // 0.25 + 0.125 * 8 = 1.25
             {{9.2500001, 8}, {8, 8}, of_both, false},
             {{8, 6.7499999}, {8, 8}, of_both, false},
             {{3, 4, 1.25, -1.25}, {3, 4, 0, 0}, half, true}, // the mean is sqrt(25 / 4) = 2.5
             {{3, 4, 1.2500001, 0}, {3, 4, 0, 0}, half, false},
             {{0, denormal}, {0, 0}, usual, false}, // of zeros only `absolute` counts
             {{0, 1e-3}, {0, 0}, tolerance{1e-3, 0}, true},
             {{nan, 1}, {-nan, 1}, usual, true}, // NaN agrees with NaN alone
             {{nan, 1}, {1, 1}, usual, false},
             {{1, 1}, {nan, 1}, usual, false},
             {{inf}, {nan}, usual, false},
             {{nan}, {0}, tolerance{inf, inf}, false},
             {{inf, -inf}, {inf, -inf}, usual, true}, // an infinity with the same one alone
             {{-inf}, {inf}, usual, false},
             {{1e300}, {inf}, whole, false},
             {{inf}, {1e300}, whole, false},
             {{inf, 3, 4, 1.25, 0, nan}, {inf, 3, 4, 0, 0, nan}, half, true}, // the mean of finite
             {{inf, 3, 4, 1.2500001, 0, nan}, {inf, 3, 4, 0, 0, nan}, half, false},
             {{huge, huge, 1e298}, {huge, huge, 0}, usual, true}, // the mean does not overflow
             {{huge, huge, 1e300}, {huge, huge, 0}, usual, false},
             {{huge}, {-huge}, usual, false},
             {{4 * denormal}, {2 * denormal}, whole, true}, // nor vanish
             {{5 * denormal}, {2 * denormal}, whole, false},
             {{inf, nan, 1}, {1, 2, 1e300}, attune::any_value, true}, // but not another length
             {{1, 2}, {1}, attune::any_value, false},
         }) {
        CAPTURE(r.got);
        CAPTURE(r.want);
        CHECK(compared<double>(r.got, r.want, r.within).has_value() != r.agrees);
    }
    CHECK_FALSE(compared<float>({1.00009F, -0.0F}, {1.0F, 0.0F}));
    CHECK(compared<float>({1.0002F}, {1.0F}));
    CHECK_FALSE(compared<float>({1e-45F}, {0}, tolerance{1e-40, 0}));
    CHECK_FALSE(compared<std::byte>({std::byte{1}}, {std::byte{2}}, attune::any_value));
}

TEST_CASE_TEMPLATE("integers are compared exactly, up to the ends of their range", T, std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t)
{
    T const least = std::numeric_limits<T>::min();
    T const most = std::numeric_limits<T>::max();
    CHECK_FALSE(compared<T>({least, most}, {least, most}));
    CHECK(compared<T>({static_cast<T>(most - 1)}, {most}));
    CHECK(compared<T>({least}, {most}, tolerance{static_cast<double>(most) / 2, 0}));
    auto const found = compared<T>({least}, {most});
    REQUIRE(found);
    CHECK(found->got == std::to_string(least));
    CHECK(found->want == std::to_string(most));
}

TEST_CASE("integers may be given room")
{
    CHECK_FALSE(compared<std::uint8_t>({254, 1}, {255, 0}, tolerance{1, 0}));
    CHECK(compared<std::uint8_t>({253, 0}, {255, 0}, tolerance{1, 0}));
    CHECK_FALSE(compared<std::int32_t>({-110}, {-100}, tolerance{0, 0.1}));
}

TEST_CASE("opaque elements are bytes")
{
    class opaque { // nobody sees its members
        float x = 1;

    public:
        float y = x + 1;
    };
    std::vector<opaque> got(2);
    std::vector<opaque> want = got;
    attune::buffer const b = attune::detail::as_buffer(std::span(got), 0);
    CHECK_FALSE(compare(b, std::as_bytes(std::span(want))));
    unsigned char bytes[sizeof(opaque) * 2];
    std::memcpy(bytes, got.data(), sizeof bytes);
    bytes[9] = static_cast<unsigned char>(bytes[9] ^ 0xff);
    std::memcpy(got.data(), bytes, sizeof bytes);
    auto const found = compare(b, std::as_bytes(std::span(want)));
    REQUIRE(found);
    CHECK(found->element == 9);
    CHECK(found->got.substr(0, 2) == "0x");
    CHECK(found->got.size() == 4);
}

TEST_CASE("memory may be unaligned")
{
    std::vector<std::byte> got(1 + 3 * sizeof(double));
    std::vector<std::byte> want(3 + 3 * sizeof(double));
    double const values[] = {1, 2, 3};
    double const others[] = {1, 2, 4};
    std::memcpy(got.data() + 1, values, sizeof values);
    std::memcpy(want.data() + 3, others, sizeof others);
    attune::buffer b{
        .data = got.data() + 1, .bytes = sizeof values, .type = attune::element_type::f64};
    auto const found = compare(b, std::span(want).subspan(3));
    REQUIRE(found);
    CHECK(found->element == 2);
}

TEST_CASE("a reference of another length is a mismatch, not an overrun")
{
    auto const found = compared<int>({1, 2, 3}, {1, 2});
    REQUIRE(found);
    CHECK(found->element == 2);
    CHECK(found->text() == "argument 2, element 2: got 3 elements, reference 2 elements");
}

TEST_CASE("structures differ by field, each with a tolerance and a scale of its own")
{
    struct body {
        double mass;  // 1e30
        float charge; // 1e-19
        std::int8_t kind;
    };
    std::vector<body> const want{{1e30, 1e-19F, 1}, {2e30, 2e-19F, 2}};
    std::vector<body> got = want;
    auto const bytes = std::as_writable_bytes(std::span(got));
    bytes[15] = std::byte{77}; // padding
    auto const difference = [&] {
        auto const right = std::as_bytes(std::span(want));
        auto const found =
            attune::detail::compare(attune::detail::as_buffer(std::span(got), 1), right);
        return found ? found->text() : "";
    };
    CHECK(difference().empty());
    got[1].charge = 3e-19F;
    CHECK(difference().find("argument 1, element 1, field 1: got 3e-19, reference 2e-19") == 0);
    got[1].charge = 2.00001e-19F;
    CHECK(difference().empty());
    got[0].kind = 0;
    CHECK(difference() == "argument 1, element 0, field 2: got 0, reference 1");
    attune::buffer b = attune::detail::as_buffer(std::span(got), 1);
    attune::detail::tolerate(b, attune::any_value);
    CHECK(!attune::detail::compare(b, std::as_bytes(std::span(want))));
}

TEST_CASE("halves are compared as numbers")
{
    std::vector<std::uint16_t> const want{0x3c00, 0x4000, 0x7c00, 0x7e00}; // 1, 2, infinity, NaN
    std::vector<std::uint16_t> got{0x3c02, 0x4000, 0x7c00, 0x7e01};
    attune::buffer b = attune::detail::as_buffer(std::span(got), 0);
    b.type = attune::element_type::f16;
    b.within = attune::detail::default_tolerance(b.type);
    CHECK(!attune::detail::compare(b, std::as_bytes(std::span(want))));
    got[1] = 0x4030;
    auto const found = attune::detail::compare(b, std::as_bytes(std::span(want)));
    REQUIRE(found);
    CHECK(found->text() == "argument 0, element 1: got 2.09375, reference 2");
    got[1] = 0x4000;
    got[2] = 0x7bff;
    CHECK(attune::detail::compare(b, std::as_bytes(std::span(want))));
}

TEST_CASE("long doubles are numbers, whatever their padding holds")
{
    std::vector<long double> want{1, 2};
    std::vector<long double> got{1, 2 + 1e-12L};
    auto const bytes = std::as_writable_bytes(std::span(got));
    if (std::numeric_limits<long double>::digits == 64) bytes[15] ^= std::byte{1};
    CHECK(!attune::detail::compare(attune::detail::as_buffer(std::span(got), 0),
                                   std::as_bytes(std::span(want))));
    got[1] = 2.1L;
    CHECK(attune::detail::compare(attune::detail::as_buffer(std::span(got), 0),
                                  std::as_bytes(std::span(want))));
}

TEST_CASE("a result has no element, and what is behind a pointer says which")
{
    double const want = 2;
    double got = 3;
    attune::buffer b = attune::detail::as_buffer(std::span(&got, 1), attune::buffer::result);
    CHECK(attune::detail::compare(b, std::as_bytes(std::span(&want, 1)))->text() ==
          "the result: got 3, reference 2");
    b.argument = 1;
    b.target = 7;
    CHECK(attune::detail::compare(b, std::as_bytes(std::span(&want, 1)))->text() ==
          "argument 1, array 7, element 0: got 3, reference 2");
}

TEST_CASE("every half that is a number survives the way to double and back")
{
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        half_bits one;
        one.bits = static_cast<std::uint16_t>(bits);
        auto const value = static_cast<double>(one);
        if (std::isnan(value)) continue;
        if (half_bits(value).bits != one.bits) FAIL_CHECK("half " << bits);
        brain_bits other;
        other.bits = static_cast<std::uint16_t>(bits);
        auto const wide = static_cast<double>(other);
        if (!std::isnan(wide) && brain_bits(wide).bits != other.bits) FAIL_CHECK("bf16 " << bits);
    }
}

TEST_CASE("known halves")
{
    CHECK(half_bits(1).bits == 0x3c00);
    CHECK(half_bits(-2).bits == 0xc000);
    CHECK(half_bits(65504).bits == 0x7bff);
    CHECK(half_bits(65520).bits == 0x7c00);
    CHECK(half_bits(0x1p-24).bits == 1);
    CHECK(half_bits(0x1p-26).bits == 0);
    CHECK(half_bits(1 + 0x1p-11).bits == 0x3c00); // a tie goes to even
    CHECK(half_bits(1 + 3 * 0x1p-11).bits == 0x3c02);
    CHECK(std::isnan(static_cast<double>(half_bits(std::numeric_limits<double>::quiet_NaN()))));
    CHECK(brain_bits(1).bits == 0x3f80);
    CHECK(static_cast<double>(brain_bits(3.140625)) == 3.140625);
    CHECK(std::isinf(static_cast<double>(brain_bits(1e300))));
}

#ifdef ATTUNE_HAS_FLOAT16
TEST_CASE("rounding to a half is the compiler's")
{
    for (int i = -20000; i < 20000; ++i) {
        double const x = i * 0.0137 * (i % 7 == 0 ? 1e-4 : 1);
        auto const right = std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
        if (half_bits(x).bits != right) FAIL_CHECK("at " << x);
    }
}
#endif
