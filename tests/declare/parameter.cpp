// tests/declare/parameter.cpp - what can be said about a parameter: default, scale, belief, parts.
// SPDX-License-Identifier: MIT
#include <attune/declare/parameter.hpp>

#include <array>
#include <cstddef>
#include <doctest/doctest.h>

using attune::declaration_error;
using attune::parameter;
using attune::scale;

namespace {

using sizes = decltype(attune::values(1, 2, 4, 8));
constexpr parameter<"UNROLL", sizes> unroll{attune::values(1, 2, 4, 8)};
constexpr parameter<"RATE", attune::detail::real_domain> rate{
    attune::detail::real_domain{0.5, 8.0}};
constexpr parameter<"ORDER", attune::detail::permutation_domain<3>> order{
    attune::detail::permutation_domain<3>{}};
constexpr parameter<"SPLIT", attune::detail::tile_domain<2>> split{
    attune::detail::tile_domain<2>{{64, {}}}};

} // namespace

TEST_CASE("a parameter knows its name, its type and the number of its parts")
{
    CHECK(unroll.name == "UNROLL");
    CHECK(unroll.parts == 0);
    CHECK(order.parts == 3);
    CHECK(split.parts == 2);
    CHECK(unroll.is_numeric);
    CHECK(rate.is_numeric);
    CHECK_FALSE(order.is_numeric);
}

TEST_CASE("a default is kept and must be a value")
{
    CHECK_FALSE(unroll.has_default);
    constexpr auto started = unroll.with_default(4);
    CHECK(started.has_default);
    CHECK(started.default_value == 4);
    CHECK(order.with_default({2, 0, 1}).default_value == std::array{2, 0, 1});
    CHECK(split.with_default({8, 8}).has_default);

    char const* const refused = "attune: with_default(v): v is not a value of this parameter";
    CHECK_THROWS_WITH_AS((void)unroll.with_default(3), refused, declaration_error);
    CHECK_THROWS_WITH_AS((void)rate.with_default(0.25), refused, declaration_error);
    CHECK_THROWS_WITH_AS((void)order.with_default({2, 2, 1}), refused, declaration_error);
    CHECK_THROWS_WITH_AS((void)split.with_default({8, 4}), refused, declaration_error);
    CHECK_THROWS_WITH_AS((void)split.with_default({-8, -8}), refused, declaration_error);
}

TEST_CASE("a log scale needs values above zero")
{
    CHECK(unroll.on == scale::linear);
    CHECK(unroll.log_scale().on == scale::log);
    CHECK(rate.log_scale().on == scale::log);
    char const* const refused = "attune: log_scale() needs values above zero";
    parameter<"X", attune::detail::real_domain> const from_zero{attune::detail::real_domain{0, 1}};
    CHECK_THROWS_WITH_AS((void)from_zero.log_scale(), refused, declaration_error);
    parameter<"X", sizes> const with_zero{attune::values(0, 1, 2, 3)};
    CHECK_THROWS_WITH_AS((void)with_zero.log_scale(), refused, declaration_error);
    using whole = decltype(attune::range(1, 2));
    parameter<"X", whole> const negative{attune::range(-1, 2)};
    CHECK_THROWS_WITH_AS((void)negative.log_scale(), refused, declaration_error);
}

TEST_CASE("a prior has one positive weight per value and keeps default and scale")
{
    constexpr auto believed = unroll.with_default(2).log_scale().prior(1, 2.5, 3, 1);
    CHECK(believed.belief.weights == std::array{1.0, 2.5, 3.0, 1.0});
    CHECK(believed.default_value == 2);
    CHECK(believed.has_default);
    CHECK(believed.on == scale::log);
    CHECK_THROWS_WITH_AS((void)unroll.prior(1, 2, 3),
                         "attune: prior(...) needs exactly one weight per value",
                         declaration_error);
    CHECK_THROWS_WITH_AS((void)unroll.prior(1, 0, 3, 4),
                         "attune: prior(...): a weight must be positive", declaration_error);
}

TEST_CASE("a belief about a centre has a positive deviation")
{
    constexpr auto believed = rate.prior_near(2.0, 0.5);
    CHECK(believed.belief.centre == 2.0);
    CHECK(believed.belief.deviation == 0.5);
    CHECK_THROWS_WITH_AS((void)rate.prior_near(2.0, 0.0),
                         "attune: prior_near(): the deviation must be positive", declaration_error);
}

TEST_CASE("items and places of a permutation and factors of a tile are formulas")
{
    CHECK(order[2].code[0].code == attune::op::element);
    CHECK(order[2].code[0].integer == 2);
    CHECK(order[2].code[0].text == "ORDER");
    CHECK(order.position(0).code[0].code == attune::op::position);
    CHECK(split[1].code[0].integer == 1);
    char const* const refused =
        "attune: p[i], p.position(i): i is not below the number of parts of p";
    std::size_t beyond = 3;
    CHECK_THROWS_WITH_AS((void)order[beyond], refused, declaration_error);
    CHECK_THROWS_WITH_AS((void)order.position(beyond), refused, declaration_error);
}

TEST_CASE("a permutation is told how its orders compare")
{
    static_assert(order.domain.metric == attune::order_distance::spearman);
    constexpr auto naive = order.metric(attune::order_distance::naive);
    CHECK(naive.domain.metric == attune::order_distance::naive);
    CHECK(naive.name == order.name);
}
