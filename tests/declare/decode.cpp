// tests/declare/decode.cpp - points and typed configurations stand for each other.
// SPDX-License-Identifier: MIT
#include <attune/declare/decode.hpp>

#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/lower.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <numeric>
#include <string_view>
#include <vector>

#include "every_point.hpp"

using attune::point;
using attune_tests::any_point;

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

constexpr auto cuts = attune::array_of<4>(attune::integer<"CUT">(-2, 3));
constexpr auto uses = attune::array_of<3>(attune::boolean<"USE">());
constexpr auto modes = attune::array_of<2>(attune::categorical<"MODES">("fast", "safe"));
constexpr auto rates = attune::array_of<2>(rate);
constexpr auto long_order = attune::permutation<"LONG", 20>();
constexpr auto shapes =
    attune::array_of<2>(attune::categorical<"SHAPES">(layout::rows, layout::columns));
constexpr auto with_groups = attune::space(size, cuts, uses, modes, rates, long_order, shapes, vec);

using attune::description;

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

TEST_CASE(
    "arrays of every kind and a long order decode to std::arrays and encode to the same point")
{
    description const space = attune::bind_inputs(attune::lower(with_groups));
    REQUIRE(space.parameters.size() == 1 + 4 + 3 + 2 + 2 + 19 + 2 + 1);
    attune::random_engine engine(3);
    for (int draw = 0; draw < 200; ++draw) {
        point const p = any_point(space, engine);
        auto const c = attune::decode(with_groups, space, p);
        CHECK(attune::encode(with_groups, space, c) == p);
        CHECK(c[size] == 8 << p[0].index);
        for (std::size_t i = 0; i < 4; ++i)
            CHECK(c[cuts][i] == static_cast<int>(p[1 + i].index) - 2);
        CHECK(c[uses][1] == (p[6].index == 1));
        CHECK(c[modes][1] == (p[9].index == 0 ? "fast" : "safe"));
        CHECK(c[rates][0] == p[10].real);
        CHECK(c[shapes][1] == (p[32].index == 0 ? layout::rows : layout::columns));
        std::vector<std::uint16_t> const items = attune::detail::order_of(space, 12, p);
        std::array<int, 20> const read = c[long_order];
        CHECK(std::equal(items.begin(), items.end(), read.begin(), read.end()));
    }
}

TEST_CASE("arrays and orders with a value outside their tables are no point")
{
    constexpr auto pack = attune::space(cuts, long_order);
    description const space = attune::bind_inputs(attune::lower(pack));
    using config = decltype(pack)::config_type;
    std::array<int, 20> items{};
    std::iota(items.begin(), items.end(), 0);
    CHECK(attune::encode(pack, space, config{{-2, 0, 1, 3}, items}));
    CHECK_FALSE(attune::encode(pack, space, config{{-2, 0, 1, 4}, items}));
    CHECK_FALSE(attune::encode(pack, space, config{{-3, 0, 1, 3}, items}));
    items[3] = 4; // twice
    CHECK_FALSE(attune::encode(pack, space, config{{-2, 0, 1, 3}, items}));
    items[3] = 20;
    CHECK_FALSE(attune::encode(pack, space, config{{-2, 0, 1, 3}, items}));
}

TEST_CASE("an order and an array of 1024 decode and encode")
{
    constexpr auto pack =
        attune::space(attune::permutation<"P", 1024>(),
                      attune::array_of<1024>(attune::integer<"A">(0, 1'000'000'000)));
    description const space = attune::bind_inputs(attune::lower(pack));
    REQUIRE(space.parameters.size() == 1023 + 1024);
    attune::random_engine engine(9);
    point const p = any_point(space, engine);
    auto const c = attune::decode(pack, space, p);
    CHECK(attune::encode(pack, space, c) == p);
    std::array<int, 1024> items = c[attune::permutation<"P", 1024>()];
    std::sort(items.begin(), items.end());
    for (int i = 0; i < 1024; ++i)
        CHECK(items[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("a predicate is given arrays as they are declared")
{
    constexpr auto pack =
        attune::space(vec, cuts, uses)
            .where(attune::predicate(
                uses, vec, cuts, [](std::array<bool, 3> const& u, bool v, std::array<int, 4> c) {
                    return u[0] == v && c[0] < c[3];
                }));
    description const space = attune::bind_inputs(attune::lower(pack));
    REQUIRE(space.constraints.size() == 1);
    CHECK(space.constraints[0].scope == std::vector<std::uint32_t>{5, 6, 7, 0, 1, 2, 3, 4});
    CHECK(space.constraints[0].text == "predicate(USE, VEC, CUT)");
    attune::random_engine engine(4);
    for (int draw = 0; draw < 100; ++draw) {
        point const p = any_point(space, engine);
        bool const expected = p[5].index == p[0].index && p[1].index < p[4].index;
        CHECK(attune::detail::evaluator{space}.holds(space.constraints[0], p) == expected);
    }
}
