// tests/declare/decode.cpp - points and typed configurations stand for each other.
// SPDX-License-Identifier: MIT
#include <attune/declare/decode.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <string_view>

#include "every_point.hpp"

using attune::point;

namespace {

enum class layout : std::uint8_t { rows = 3, columns = 250 };

constexpr auto size = attune::ordinal<"SIZE">(attune::powers_of_two(8, 64));
constexpr auto factor = attune::ordinal<"FACTOR">(attune::values(0.1F, 0.3F));
constexpr auto mode = attune::categorical<"MODE">("fast", "safe", "very safe");
constexpr auto shape = attune::categorical<"SHAPE">(layout::rows, layout::columns);
constexpr auto vec = attune::boolean<"VEC">();
constexpr auto order = attune::permutation<"ORDER", 3>();
constexpr auto split = attune::tile<"SPLIT", 2>(12);
constexpr auto typed = attune::space(size, factor, mode, shape, vec, order, split);
constexpr auto rate = attune::real<"RATE">(0.0, 1.0);

} // namespace

TEST_CASE("every point decodes to a configuration that encodes to the same point")
{
    attune::description const space = attune::bind_inputs(attune::lower(typed));
    auto const points = attune_tests::every_point(space);
    REQUIRE(points.size() == 4U * 2 * 3 * 2 * 2 * 6 * 6);
    for (point const& at : points)
        CHECK(attune::encode(typed, space, attune::decode(typed, space, at)) == at);
}

TEST_CASE("a point decodes to the values that stand there")
{
    attune::description const space = attune::bind_inputs(attune::lower(typed));
    auto const c =
        attune::decode(typed, space, point{{2, 0}, {1, 0}, {2, 0}, {1, 0}, {1, 0}, {4, 0}, {1, 0}});
    CHECK(c[size] == 32);
    CHECK(c[factor] == 0.3F);
    CHECK(c[mode] == "very safe");
    CHECK(c[shape] == layout::columns);
    CHECK(c[vec]);
    CHECK(c[order] == std::array{2, 0, 1}); // the fifth order of three items
    CHECK(c[split] == std::array{2, 6});
}

TEST_CASE("a real value decodes and encodes without loss")
{
    constexpr auto real_space = attune::space(rate, vec);
    attune::description const space = attune::bind_inputs(attune::lower(real_space));
    for (double const v : {0.0, 0.1, 1.0 / 3.0, 0.999999999999999, 1.0}) {
        point const at{{0, v}, {1, 0}};
        auto const c = attune::decode(real_space, space, at);
        CHECK(c[rate] == v);
        CHECK(attune::encode(real_space, space, c) == at);
    }
}

TEST_CASE("a configuration with a value outside its table is no point")
{
    attune::description const space = attune::bind_inputs(attune::lower(typed));
    using config = decltype(typed)::config_type;
    config const good{8, 0.1F, "fast", layout::rows, false, {0, 1, 2}, {3, 4}};
    CHECK(attune::encode(typed, space, good));
    config const wrong_size{9, 0.1F, "fast", layout::rows, false, {0, 1, 2}, {3, 4}};
    CHECK_FALSE(attune::encode(typed, space, wrong_size));
    config const wrong_mode{8, 0.1F, "slow", layout::rows, false, {0, 1, 2}, {3, 4}};
    CHECK_FALSE(attune::encode(typed, space, wrong_mode));
    config const wrong_order{8, 0.1F, "fast", layout::rows, false, {0, 1, 1}, {3, 4}};
    CHECK_FALSE(attune::encode(typed, space, wrong_order));
    config const wrong_split{8, 0.1F, "fast", layout::rows, false, {0, 1, 2}, {3, 5}};
    CHECK_FALSE(attune::encode(typed, space, wrong_split));
}

TEST_CASE("a single value is read with the type asked for")
{
    attune::description const space = attune::bind_inputs(attune::lower(typed));
    CHECK(attune::value_at<int>(space.parameters[0], {0, 0}) == 8);
    CHECK(attune::value_at<std::string_view>(space.parameters[2], {1, 0}) == "safe");
    CHECK(attune::value_at<bool>(space.parameters[4], {1, 0}));
    CHECK((attune::value_at<std::array<int, 2>>(space.parameters[6], {0, 0}) == std::array{1, 12}));
}
