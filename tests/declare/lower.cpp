// tests/declare/lower.cpp - a typed pack becomes plain data, which may be copied and moved.
// SPDX-License-Identifier: MIT
#include <attune/declare/lower.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/evaluate.hpp>

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/texts.hpp"
#include "every_point.hpp"

using attune::description;
using attune::parameter_description;
using attune::parameter_kind;
using attune::point;
using attune::value_kind;
using attune_test::error_of;
using attune_test::has;

namespace {

enum class layout { rows, columns };

constexpr auto m = attune::ordinal<"M">(attune::powers_of_two(8, 64)).with_default(16);
constexpr auto rate = attune::real<"RATE">(0.5, 8.0).log_scale().prior_near(2.0, 0.5);
constexpr auto factor = attune::ordinal<"FACTOR">(attune::values(0.5, 1.5)).prior(1, 3);
constexpr auto mode = attune::categorical<"MODE">("fast", "safe").with_default("safe");
constexpr auto shape = attune::categorical<"SHAPE">(layout::rows, layout::columns);
constexpr auto vec = attune::boolean<"VEC">().with_default(true).prior(1, 4);
constexpr auto order = attune::permutation<"ORDER", 3>().with_default({2, 0, 1});
constexpr auto split = attune::tile<"SPLIT", 2>(12);
constexpr auto n = attune::input<"N", int>();
constexpr auto chunk = attune::integer<"CHUNK">(1, n);

constexpr auto all = attune::space(m, rate, factor, mode, shape, vec, order, split, chunk);

} // namespace

TEST_CASE("every parameter keeps its name, kind, type and scale")
{
    description const space = attune::lower(all);
    REQUIRE(space.parameters.size() == 9);
    auto const check = [&](std::string_view name, parameter_kind kind, value_kind type) {
        std::uint32_t const at = space.find_parameter(name);
        REQUIRE(at != attune::no_index);
        CHECK(space.parameters[at].kind == kind);
        CHECK(space.parameters[at].type == type);
    };
    check("M", parameter_kind::ordinal, value_kind::integer);
    check("RATE", parameter_kind::real, value_kind::real);
    check("FACTOR", parameter_kind::ordinal, value_kind::real);
    check("MODE", parameter_kind::categorical, value_kind::text);
    check("SHAPE", parameter_kind::categorical, value_kind::integer);
    check("VEC", parameter_kind::boolean, value_kind::boolean);
    check("ORDER", parameter_kind::permutation, value_kind::list);
    check("SPLIT", parameter_kind::tile, value_kind::list);
    check("CHUNK", parameter_kind::integer, value_kind::integer);
    CHECK(space.parameters[0].on == attune::scale::log);
    CHECK(space.parameters[1].on == attune::scale::log);
    CHECK(space.parameters[2].on == attune::scale::linear);
    CHECK(space.parameters[1].low == 0.5);
    CHECK(space.parameters[1].high == 8.0);
    CHECK(space.parameters[2].reals == std::vector{0.5, 1.5});
    CHECK(space.parameters[3].labels == std::vector<std::string>{"fast", "safe"});
    CHECK(space.parameters[4].integers == std::vector<std::int64_t>{0, 1});
    CHECK(space.inputs.size() == 1);
}

TEST_CASE("defaults are lowered as text and beliefs as numbers")
{
    description const space = attune::lower(all);
    CHECK(space.parameters[0].default_text == "16");
    CHECK_FALSE(space.parameters[1].default_text);
    CHECK(space.parameters[3].default_text == "safe");
    CHECK(space.parameters[5].default_text == "true");
    CHECK(space.parameters[6].default_text == "{2, 0, 1}");
    CHECK(space.parameters[0].prior.weights.empty());
    CHECK(space.parameters[0].prior.deviation == 0);
    CHECK(space.parameters[1].prior.centre == 2.0);
    CHECK(space.parameters[1].prior.deviation == 0.5);
    CHECK(space.parameters[2].prior.weights == std::vector{1.0, 3.0});
    CHECK(space.parameters[5].prior.weights == std::vector{1.0, 4.0});
}

TEST_CASE("constraints keep their order, their text and what they read")
{
    constexpr auto constrained =
        all.where(m <= n, attune::predicate(vec, m, [](bool, int) { return true; }));
    description const space = attune::lower(constrained);
    REQUIRE(space.constraints.size() == 2);
    CHECK(space.constraints[0].text == "M <= N");
    CHECK(space.constraints[0].scope == std::vector<std::uint32_t>{0});
    CHECK_FALSE(space.constraints[0].test);
    CHECK(space.constraints[1].text == "predicate(VEC, M)");
    CHECK(space.constraints[1].scope == std::vector<std::uint32_t>{5, 0});
    CHECK(space.constraints[1].root == attune::no_index);
}

TEST_CASE("a predicate sees the values of the typed configuration, also in copies and moved copies")
{
    // Answers depend on every value, so that any value seen wrongly shows somewhere.
    constexpr auto answer = [](std::array<int, 3> o, int v, std::string_view mo, layout l, bool b,
                               std::array<int, 2> s, double f) {
        int sum = v * 3 + static_cast<int>(mo.size() + (mo == "safe")) + (b ? 7 : 0);
        sum += o[0] * 100 + o[1] * 10 + o[2] + s[0] * 5 + s[1] * 11;
        sum += static_cast<int>(l) * 13 + static_cast<int>(f * 4);
        return sum % 3 == 0;
    };
    constexpr auto typed =
        attune::space(m, factor, mode, shape, vec, order, split)
            .where(attune::predicate(order, m, mode, shape, vec, split, factor, answer));
    description first = attune::bind_inputs(attune::lower(typed));
    description const copy = first;
    description const moved = std::move(first);
    first = {};
    std::size_t held = 0;
    auto const points = attune_tests::every_point(copy);
    REQUIRE(points.size() == 4U * 2 * 2 * 2 * 2 * 6 * 6);
    for (point const& at : points) {
        auto const c = attune::decode(typed, copy, at);
        bool const expected =
            answer(c[order], c[m], c[mode], c[shape], c[vec], c[split], c[factor]);
        held += expected ? 1 : 0;
        CHECK(attune::detail::evaluator{copy}.holds(copy.constraints[0], at) == expected);
        CHECK(attune::detail::evaluator{moved}.holds(moved.constraints[0], at) == expected);
    }
    CHECK(held > points.size() / 4);
    CHECK(held < points.size() / 2);
}

TEST_CASE("a predicate reads a real parameter where the candidate stands")
{
    constexpr auto typed = attune::space(m, rate).where(
        attune::predicate(rate, m, [](double r, int v) { return r * v < 20.0; }));
    description const space = attune::bind_inputs(attune::lower(typed));
    attune::detail::evaluator const read{space};
    CHECK(read.holds(space.constraints[0], point{{0, 0}, {0, 2.4}}));
    CHECK_FALSE(read.holds(space.constraints[0], point{{0, 0}, {0, 2.6}}));
    CHECK_FALSE(read.holds(space.constraints[0], point{{1, 0}, {0, 2.4}}));
}

TEST_CASE("spaces of one type and different values have different descriptions")
{
    auto const with = [](int largest) {
        return attune::space(attune::ordinal<"M">(attune::powers_of_two(8, largest)));
    };
    auto const narrow = with(64);
    auto const broad = with(256);
    static_assert(std::is_same_v<decltype(narrow), decltype(broad)>);
    CHECK(attune::bind_inputs(attune::lower(narrow)).parameters[0].value_count() == 4);
    CHECK(attune::bind_inputs(attune::lower(broad)).parameters[0].value_count() == 6);
    CHECK(attune::lower(narrow).nodes != attune::lower(broad).nodes);
}

TEST_CASE("features are lowered as expressions with their text, and change nothing else")
{
    constexpr auto plain = attune::space(m, vec, order).where(m != 32);
    description const space = attune::lower(plain.features(2 * m, order[0] == 1, n % m, vec));
    REQUIRE(space.features.size() == 4);
    CHECK(space.features[0].text == "2 * M");
    CHECK(space.features[1].text == "ORDER[0] == 1");
    CHECK(space.features[2].text == "N % M");
    CHECK(space.features[3].text == "VEC");
    CHECK(space.constraints.size() == 1);
    CHECK(space.find_input("N") == 0);
    description const bound = attune::bind_inputs(space, {n(100)});
    point const at{{3, 0}, {1, 0}, {2, 0}}; // 64, true, 1 0 2
    auto const value = [&](std::size_t f) {
        return attune::detail::evaluator{bound}.value(bound.features[f].root, at)->integer;
    };
    CHECK(value(0) == 128);
    CHECK(value(1) == 1);
    CHECK(value(2) == 36);
    CHECK(value(3) == 1);
    CHECK(attune::lower(plain).features.empty());
}

TEST_CASE("a formula beside the space becomes a node of it, with its text, and nothing else")
{
    static_assert(attune::detail::is_number_formula<decltype(2 * m)>());
    static_assert(attune::detail::is_number_formula<double>());
    static_assert(!attune::detail::is_number_formula<decltype(mode)>());
    static_assert(!attune::detail::is_number_formula<decltype(order)>());
    static_assert(!attune::detail::is_number_formula<std::string_view>());
    description space = attune::lower(attune::space(m, vec, order));
    auto const grid = attune::detail::lower_formula(space, attune::ceil_div(n, m), "grid");
    auto const flat = attune::detail::lower_formula(space, 2.5, "flat");
    CHECK(grid.text == "ceil_div(N, M)");
    CHECK(space.constraints.empty());
    CHECK(space.features.empty());
    description const bound = attune::bind_inputs(space, {n(100)});
    point const at{{3, 0}, {1, 0}, {2, 0}}; // M is 64
    CHECK(attune::detail::evaluator{bound}.value(grid.root, at)->integer == 2);
    CHECK(attune::detail::evaluator{bound}.value(flat.root, at)->real == 2.5);
    CHECK_THROWS_WITH_AS(
        (void)attune::detail::lower_formula(space, rate * m, "kernel.work(...)"),
        doctest::Contains("kernel.work(...) reads a parameter that is not in the space"),
        attune::error);
}

TEST_CASE("a permutation keeps its metric, whatever follows")
{
    constexpr auto kendall = order.metric(attune::order_distance::kendall);
    CHECK(attune::lower(attune::space(kendall)).parameters[0].metric ==
          attune::order_distance::kendall);
    CHECK(attune::lower(attune::space(kendall.with_default({0, 1, 2}))).parameters[0].metric ==
          attune::order_distance::kendall);
    CHECK(attune::lower(attune::space(kendall.prior(1, 1, 1, 1, 1, 2))).parameters[0].metric ==
          attune::order_distance::kendall);
    CHECK(attune::lower(attune::space(order)).parameters[0].metric ==
          attune::order_distance::spearman);
}

TEST_CASE("a formula beside the space becomes a node of it, with the inputs that it names")
{
    description space = attune::lower(attune::space(m, vec));
    std::size_t const before = space.nodes.size();
    auto const f = attune::detail::lower_formula(space, n * m + 1, "work(...)");
    CHECK(f.text == "N * M + 1");
    CHECK(space.nodes.size() > before);
    CHECK(space.constraints.empty());
    CHECK(space.features.empty());
    CHECK(attune::detail::lower_formula(space, n * m + 1, "again").root == f.root);
    CHECK(attune::detail::lower_formula(space, 2.5, "a number").text == "2.5");
    description const bound = attune::bind_inputs(space, {n(100)});
    CHECK(attune::detail::evaluator{bound}.value(f.root, point{{3, 0}, {1, 0}})->integer == 6401);
}

TEST_CASE("a formula beside the space reads parameters of the space alone")
{
    description space = attune::lower(attune::space(m));
    auto const said = [&](auto const& formula) {
        return error_of([&] { (void)attune::detail::lower_formula(space, formula, "work(...)"); });
    };
    std::string const foreign = said(select(vec, 1, 2));
    CHECK(has(foreign, "work(...) reads a parameter that is not in the space"));
    CHECK(has(foreign, "VEC"));
    static constexpr auto twin = attune::input<"M", int>();
    CHECK(has(said(twin + 1), "rename the input"));
    CHECK(said(m * 2) == "");
}

TEST_CASE("what lower_formula() takes is a number")
{
    CHECK(attune::detail::is_number_formula<decltype(n * m)>());
    CHECK(attune::detail::is_number_formula<double>());
    CHECK(attune::detail::is_number_formula<decltype(m < 3)>());
    CHECK_FALSE(attune::detail::is_number_formula<decltype(order)>());
    CHECK_FALSE(attune::detail::is_number_formula<char const*>());
}

TEST_CASE("elements of an array are parameters that constraints and conditions read")
{
    constexpr auto on = attune::boolean<"ON">();
    constexpr auto cut = attune::array_of<3>(attune::integer<"CUT">(1, n).with_default(2))
                             .active_if(on)
                             .with_default({1, 2, 3});
    constexpr auto how = attune::array_of<2>(attune::categorical<"HOW">("a", "b"));
    description const d =
        attune::lower(attune::space(on, cut, how)
                          .where(cut[0] <= cut[1], how[1] == "b" || cut[2] * 2 > 3)
                          .features(cut[0] + cut[2]));
    REQUIRE(d.groups.size() == 2);
    CHECK(d.groups[0].name == "CUT");
    CHECK(d.groups[0].first == 1);
    CHECK(d.groups[0].count == 3);
    CHECK(d.groups[1].first == 4);
    REQUIRE(d.parameters.size() == 6);
    for (std::uint32_t i = 0; i < 3; ++i) {
        attune::parameter_description const& p = d.parameters[1 + i];
        CHECK(p.name == "CUT[" + std::to_string(i) + "]");
        CHECK(p.kind == parameter_kind::integer);
        CHECK(p.default_text == std::to_string(i + 1));
        CHECK(p.is_conditional());
        CHECK(p.active.text == "ON");
        CHECK(p.rule.bound_node == d.parameters[1].rule.bound_node); // one node for all
    }
    CHECK_FALSE(d.parameters[4].is_conditional());
    CHECK(d.constraints[0].text == "CUT[0] <= CUT[1]");
    CHECK(d.constraints[0].scope == std::vector<std::uint32_t>{1, 2});
    CHECK(d.constraints[1].text == "HOW[1] == \"b\" || CUT[2] * 2 > 3");
    CHECK(d.constraints[1].scope == std::vector<std::uint32_t>{3, 5});
    CHECK(d.features[0].text == "CUT[0] + CUT[2]");
}

TEST_CASE(
    "an order of at most twelve items is one coordinate, a longer one a digit less than items")
{
    auto const lowered = [](auto const& items) { return attune::lower(attune::space(items)); };
    description const few = lowered(attune::permutation<"P", 12>());
    CHECK(few.groups.empty());
    REQUIRE(few.parameters.size() == 1);
    CHECK(few.parameters[0].kind == parameter_kind::permutation);
    constexpr std::array reversed{13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    description const many = lowered(attune::permutation<"P", 14>().with_default(reversed));
    REQUIRE(many.groups.size() == 1);
    CHECK(many.groups[0].kind == attune::group_kind::permutation);
    CHECK(many.groups[0].parts() == 14);
    REQUIRE(many.parameters.size() == 13);
    for (std::uint32_t k = 0; k < 13; ++k) {
        CHECK(many.parameters[k].value_count() == 14 - k);
        CHECK(many.parameters[k].default_text == std::to_string(13 - k)); // the greatest digit
    }
}
