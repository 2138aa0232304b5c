// tests/declare/domain.cpp - which values a domain has, against plain loops.
// SPDX-License-Identifier: MIT
#include <attune/declare/domain.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <type_traits>

using attune::declaration_error;

namespace {

/// Calls with an argument the compiler does not know, so that a wrong one throws.
template <class F>
void check_refused(F const& declare, char const* sentence)
{
    CHECK_THROWS_WITH_AS(declare(), sentence, declaration_error);
}

} // namespace

TEST_CASE("a range holds its start and every step up to its end")
{
    constexpr auto domain = attune::range(-7, 20, 4);
    std::set<int> expected;
    for (int v = -7; v <= 20; v += 4)
        expected.insert(v);
    for (int v = -30; v <= 40; ++v)
        CHECK(domain.may_contain(v) == expected.contains(v));
}

TEST_CASE("powers of two start where they are told and double")
{
    constexpr auto domain = attune::powers_of_two(4, 100);
    std::set<int> const expected{4, 8, 16, 32, 64};
    for (int v = -10; v <= 200; ++v)
        CHECK(domain.may_contain(v) == expected.contains(v));
}

TEST_CASE("powers of two reach the largest of 64 bits without overflow")
{
    constexpr auto domain =
        attune::powers_of_two(std::int64_t{1}, std::numeric_limits<std::int64_t>::max());
    CHECK(domain.may_contain(std::int64_t{1} << 62));
    CHECK_FALSE(domain.may_contain(std::numeric_limits<std::int64_t>::max()));
}

TEST_CASE("the span of a range may exceed 63 bits")
{
    constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
    constexpr auto highest = std::numeric_limits<std::int64_t>::max();
    constexpr auto domain = attune::range(lowest, highest, highest);
    CHECK(domain.may_contain(lowest));
    CHECK(domain.may_contain(-1));
    CHECK(domain.may_contain(highest - 1));
    CHECK_FALSE(domain.may_contain(highest));
}

TEST_CASE("the divisors of an extent divide it")
{
    constexpr auto domain = attune::divisors_of(60);
    for (int v = -5; v <= 70; ++v)
        CHECK(domain.may_contain(v) == (v > 0 && 60 % v == 0));
}

TEST_CASE("a list holds its values, a real interval its ends, a boolean both")
{
    constexpr auto list = attune::values(1, 2, 4);
    CHECK(list.may_contain(4));
    CHECK_FALSE(list.may_contain(3));
    static_assert(std::is_same_v<decltype(attune::values(1.5, 2.5))::value_type, double>);
    attune::detail::real_domain const interval{0.25, 0.75};
    CHECK(interval.may_contain(0.25));
    CHECK(interval.may_contain(0.75));
    CHECK_FALSE(interval.may_contain(0.76));
    CHECK_FALSE(interval.may_contain(std::numeric_limits<double>::quiet_NaN()));
    CHECK(attune::detail::boolean_domain{}.may_contain(false));
}

TEST_CASE("a permutation domain holds exactly the orders of its items")
{
    attune::detail::permutation_domain<3> const domain;
    int orders = 0;
    for (int a = -1; a < 4; ++a)
        for (int b = -1; b < 4; ++b)
            for (int c = -1; c < 4; ++c)
                orders += domain.may_contain({a, b, c}) ? 1 : 0;
    CHECK(orders == 6);
}

TEST_CASE("a tile domain holds positive factors whose product is the extent")
{
    attune::detail::tile_domain<3> const domain{{12, {}}};
    int rows = 0;
    for (int a = -13; a <= 13; ++a)
        for (int b = -13; b <= 13; ++b)
            for (int c = -13; c <= 13; ++c) {
                bool const expected = a > 0 && b > 0 && c > 0 && a * b * c == 12;
                rows += domain.may_contain({a, b, c}) ? 1 : 0;
                CHECK(domain.may_contain({a, b, c}) == expected);
            }
    CHECK(rows == 18); // 12 = 2^2 * 3: C(4, 2) * C(3, 2)
    constexpr int big = std::numeric_limits<int>::max();
    CHECK_FALSE(domain.may_contain({big, big, big}));
}

TEST_CASE("an impossible range met at run time throws its sentence")
{
    int start = 64;
    check_refused([&] { static_cast<void>(attune::range(start, 8)); },
                  "attune: this range is empty; its end is below its start");
    check_refused([&] { static_cast<void>(attune::powers_of_two(start, 8)); },
                  "attune: this range is empty; its end is below its start");
    int step = 0;
    check_refused([&] { static_cast<void>(attune::range(1, 8, step)); },
                  "attune: the step of a range must be positive");
    int odd = 6;
    check_refused([&] { static_cast<void>(attune::powers_of_two(odd, 64)); },
                  "attune: powers_of_two must start at a power of two");
    int extent = 0;
    check_refused([&] { static_cast<void>(attune::divisors_of(extent)); },
                  "attune: this range is empty; its end is below its start");
    int end = 300;
    check_refused([&] { static_cast<void>(attune::range(std::uint8_t{1}, end)); },
                  "attune: a range ends beyond the type of its start; give the start a wider type");
}

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto rate = attune::input<"RATE", double>();

} // namespace

TEST_CASE("an input called with a value is that value under its name")
{
    CHECK(n(4096).value == 4096);
    CHECK(decltype(n(4096))::name == "N");
    CHECK(rate(0.5).value == 0.5);
}

TEST_CASE("an input is a formula of one instruction that yields its kind")
{
    CHECK(n.as_expression().yields == attune::value_kind::integer);
    CHECK(rate.as_expression().yields == attune::value_kind::real);
    CHECK(attune::input<"ON", bool>().as_expression().yields == attune::value_kind::boolean);
    CHECK(n.as_expression().code.size() == 1);
    CHECK(n.as_expression().code[0].code == attune::op::input);
    CHECK(n.as_expression().code[0].text == "N");
}

TEST_CASE("a range that an input ends does not know its end")
{
    constexpr auto domain = attune::powers_of_two(8, n);
    CHECK_FALSE(domain.high.is_known());
    CHECK(domain.high.input == "N");
    CHECK(domain.may_contain(1 << 20));
    CHECK_FALSE(domain.may_contain(4));
    CHECK_FALSE(domain.may_contain(12));
    CHECK(attune::divisors_of(n).may_contain(7));
    CHECK(attune::range(1, n, 2).may_contain(9));
}

TEST_CASE("inputs are told apart from everything else")
{
    CHECK(attune::detail::is_input<decltype(attune::input<"N", int>())>);
    CHECK_FALSE(attune::detail::is_input<int>);
}
