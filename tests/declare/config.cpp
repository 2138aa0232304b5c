// tests/declare/config.cpp - a configuration is read by parameter, with the parameter's own type.
// SPDX-License-Identifier: MIT
#include <attune/declare/config.hpp>

#include <attune/declare/parameters.hpp>

#include <array>
#include <doctest/doctest.h>
#include <string_view>
#include <type_traits>

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
