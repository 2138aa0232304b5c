// tests/declare/parameters.cpp - one factory per kind of parameter.
// SPDX-License-Identifier: MIT
#include <attune/declare/parameters.hpp>

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <string_view>
#include <type_traits>

using attune::declaration_error;
using attune::parameter_kind;
using attune::scale;

namespace {

enum class schedule { fixed, dynamic };

template <class P>
constexpr parameter_kind kind_of(P const&)
{
    return P::domain_type::kind;
}

template <class T, class P>
constexpr bool holds(P const&)
{
    return std::is_same_v<typename P::value_type, T>;
}

} // namespace

TEST_CASE("every factory gives the kind and the value type it stands for")
{
    constexpr auto ordinal = attune::ordinal<"A">(attune::values(1, 2));
    CHECK(kind_of(ordinal) == parameter_kind::ordinal);
    CHECK(holds<int>(ordinal));
    constexpr auto fractions = attune::ordinal<"A">(attune::values(0.5F, 1.5F));
    CHECK(holds<float>(fractions));
    constexpr auto integer = attune::integer<"B">(std::int64_t{1}, 9);
    CHECK(kind_of(integer) == parameter_kind::integer);
    CHECK(holds<std::int64_t>(integer));
    constexpr auto real = attune::real<"C">(0.0, 1.0);
    CHECK(kind_of(real) == parameter_kind::real);
    CHECK(holds<double>(real));
    constexpr auto texts = attune::categorical<"D">("static", "dynamic");
    CHECK(kind_of(texts) == parameter_kind::categorical);
    CHECK(holds<std::string_view>(texts));
    constexpr auto widths = attune::categorical<"E">(4, 16, 8);
    CHECK(holds<int>(widths));
    constexpr auto enums = attune::categorical<"F">(schedule::fixed, schedule::dynamic);
    CHECK(holds<schedule>(enums));
    constexpr auto boolean = attune::boolean<"G">();
    CHECK(kind_of(boolean) == parameter_kind::boolean);
    CHECK(holds<bool>(boolean));
    constexpr auto order = attune::permutation<"H", 4>();
    CHECK(kind_of(order) == parameter_kind::permutation);
    CHECK((holds<std::array<int, 4>>(order)));
    constexpr auto tile = attune::tile<"T", 3>(96);
    CHECK(kind_of(tile) == parameter_kind::tile);
    CHECK((holds<std::array<int, 3>>(tile)));
}

TEST_CASE("ranges that multiply stand on a log scale, the others on a linear one")
{
    CHECK(attune::ordinal<"A">(attune::powers_of_two(1, 8)).on == scale::log);
    CHECK(attune::ordinal<"A">(attune::divisors_of(12)).on == scale::log);
    CHECK(attune::ordinal<"A">(attune::range(1, 8)).on == scale::linear);
    CHECK(attune::ordinal<"A">(attune::values(1, 2)).on == scale::linear);
}

TEST_CASE("a wrong declaration made at run time throws its sentence")
{
    int first = 8;
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::ordinal<"A">(attune::values(first, 4))),
                         "attune: an ordinal must ascend; sort it or use categorical",
                         declaration_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::ordinal<"A">(attune::values(first, 8))),
                         "attune: an ordinal must ascend; sort it or use categorical",
                         declaration_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::categorical<"A">(first, 4, 8)),
                         "attune: a categorical lists the same value twice", declaration_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::integer<"A">(first, 4)),
                         "attune: this range is empty; its end is below its start",
                         declaration_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(attune::real<"A">(1.0, 1.0)),
                         "attune: the interval of a real is empty", declaration_error);
    int extent = -4;
    CHECK_THROWS_WITH_AS((static_cast<void>(attune::tile<"A", 2>(extent))),
                         "attune: the extent of a tile must be positive", declaration_error);
}

TEST_CASE("a bound may be known only at run time")
{
    int device_limit = 1024;
    auto const tile = attune::ordinal<"TILE">(attune::powers_of_two(8, device_limit));
    CHECK(tile.domain.high.value == 1024);
    CHECK(tile.with_default(512).default_value == 512);
}

TEST_CASE("flags and compilers are texts with a role, and the first is the default")
{
    constexpr auto flags = attune::flags<"FLAGS">("-O3", "-O2 -ffast-math");
    CHECK(kind_of(flags) == parameter_kind::categorical);
    CHECK(holds<std::string_view>(flags));
    CHECK(decltype(flags)::domain_type::role == attune::parameter_role::flags);
    CHECK(flags.default_value == "-O3");
    CHECK(flags.with_default("-O2 -ffast-math").default_value == "-O2 -ffast-math");
    CHECK_THROWS_AS((void)flags.with_default("-O1"), declaration_error);
    constexpr auto cxx = attune::compilers<"CXX">("clang", "g++");
    CHECK(decltype(cxx)::domain_type::role == attune::parameter_role::compiler);
    CHECK(cxx.default_value == "clang");
    CHECK_THROWS_AS((void)attune::flags<"FLAGS">("-O3", "-O3"), declaration_error);
}

TEST_CASE("an array has the values, scale, default and condition of its element")
{
    constexpr auto sizes = attune::array_of<3>(
        attune::ordinal<"A">(attune::powers_of_two(1, 8)).with_default(4).prior_near(2, 1));
    CHECK(kind_of(sizes) == parameter_kind::ordinal);
    CHECK((holds<std::array<int, 3>>(sizes)));
    CHECK(sizes.on == scale::log);
    CHECK(sizes.has_default);
    CHECK(sizes.default_value == std::array{4, 4, 4});
    CHECK(sizes.belief.centre == 2);
    CHECK(sizes.with_default({1, 2, 8}).default_value == std::array{1, 2, 8});
    CHECK_THROWS_AS((void)sizes.with_default({1, 2, 3}), declaration_error);
    constexpr auto texts = attune::array_of<2>(attune::categorical<"B">("x", "y"));
    CHECK((holds<std::array<std::string_view, 2>>(texts)));
    CHECK_FALSE(texts.has_default);
    CHECK_THROWS_AS((void)attune::array_of<2>(attune::categorical<"B">("x,y", "z")),
                    declaration_error);
    constexpr auto flag = attune::boolean<"C">();
    constexpr auto some = attune::array_of<2>(attune::integer<"D">(1, 3).active_if(flag));
    CHECK(decltype(some)::is_conditional);
    using attune::detail::group_size;
    CHECK(group_size<decltype(sizes)::domain_type> == 3);
    CHECK(group_size<decltype(flag)::domain_type> == 0);
    CHECK(group_size<decltype(attune::permutation<"E", 12>())::domain_type> == 0);
    CHECK(group_size<decltype(attune::permutation<"E", 13>())::domain_type> == 12);
}

namespace {

enum class layout { rows, columns };

constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 2, 4));
constexpr auto rate = attune::real<"RATE">(0.0, 1.0);
constexpr auto vec = attune::boolean<"VEC">();
constexpr auto mode = attune::categorical<"MODE">("fast", "safe");
constexpr auto shape = attune::categorical<"SHAPE">(layout::rows, layout::columns);
constexpr auto order = attune::permutation<"ORDER", 3>();

using config =
    attune::config<std::remove_const_t<decltype(tile)>, std::remove_const_t<decltype(rate)>,
                   std::remove_const_t<decltype(vec)>, std::remove_const_t<decltype(mode)>,
                   std::remove_const_t<decltype(shape)>, std::remove_const_t<decltype(order)>>;

constexpr config sample{4, 0.25, true, "safe", layout::columns, {2, 0, 1}};

} // namespace

TEST_CASE("each parameter reads its own value with its own type")
{
    static_assert(std::is_same_v<decltype(sample[tile]), int>);
    static_assert(std::is_same_v<decltype(sample[rate]), double>);
    static_assert(std::is_same_v<decltype(sample[vec]), bool>);
    static_assert(std::is_same_v<decltype(sample[mode]), std::string_view>);
    static_assert(std::is_same_v<decltype(sample[shape]), layout>);
    static_assert(std::is_same_v<decltype(sample[order]), std::array<int, 3>>);
    static_assert(sample[tile] == 4);
    CHECK(sample[tile] == 4);
    CHECK(sample[rate] == 0.25);
    CHECK(sample[vec]);
    CHECK(sample[mode] == "safe");
    CHECK(sample[shape] == layout::columns);
    CHECK(sample[order] == std::array{2, 0, 1});
}

TEST_CASE("configurations are equal when every value is")
{
    config const same{4, 0.25, true, "safe", layout::columns, {2, 0, 1}};
    CHECK(sample == same);
    CHECK_FALSE(sample == config{2, 0.25, true, "safe", layout::columns, {2, 0, 1}});
    CHECK_FALSE(sample == config{4, 0.25, true, "safe", layout::columns, {2, 1, 0}});
}

TEST_CASE("a belief or a default about a parameter does not change how it is read")
{
    constexpr auto believed = tile.prior(1, 2, 3).with_default(2);
    attune::config<std::remove_const_t<decltype(believed)>> const c{2};
    CHECK(c[believed] == 2);
    CHECK(c[tile] == 2);
}

TEST_CASE("names are found and counted by the whole word")
{
    using names = attune::detail::names_of<std::remove_const_t<decltype(tile)>,
                                           std::remove_const_t<decltype(vec)>>;
    CHECK(names::find("VEC") == 1);
    CHECK(names::find("VE") == attune::detail::not_found);
    CHECK(names::count("TILE") == 1);
    CHECK(names::count("T") == 0);
}
