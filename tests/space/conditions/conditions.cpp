// tests/space/conditions/conditions.cpp : mirrors include/attune/space/conditions/conditions.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/conditions/conditions.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../../support/texts.hpp"
#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune_test::error_of;
using attune_test::has;
using attune_tests::space_writer;

namespace {

std::string message_of(attune::description const& space)
{
    return error_of([&] { attune::detail::require_bound(space); });
}

} // namespace

TEST_CASE("a constraint is cut at its outermost conjunctions only")
{
    space_writer w;
    auto const a = w.range("a", 0, 3);
    auto const b = w.range("b", 0, 3);
    auto const c = w.boolean("c");
    auto const one = w.join(op::less, w.read(a), w.read(b));
    auto const two = w.join(op::greater, w.read(b), w.literal(std::int64_t{1}));
    auto const inner = w.join(op::logical_and, w.read(c), w.read(a));
    auto const three = w.join(op::logical_or, w.read(b), inner);
    w.require(w.join(op::logical_and, w.join(op::logical_and, one, two), three), "all");

    auto const cut = attune::detail::conditions_of(w.out);
    REQUIRE(cut.size() == 3);
    CHECK(cut[0].root == one);
    CHECK(cut[1].root == two);
    CHECK(cut[2].root == three);
    CHECK(cut[0].scope == std::vector<std::uint32_t>{a, b});
    CHECK(cut[1].scope == std::vector<std::uint32_t>{b});
    CHECK(cut[2].scope == std::vector<std::uint32_t>{a, b, c});
    for (auto const& condition : cut)
        CHECK(condition.source == 0);
}

TEST_CASE("the pieces of a constraint hold together exactly where it holds")
{
    attune_tests::space_generator generator(5);
    for (int i = 0; i < 100; ++i) {
        attune::description const space = generator.draw();
        auto const cut = attune::detail::conditions_of(space);
        std::size_t wrong = 0;
        attune_tests::for_each_setting(space, [&](attune::point const& p) {
            bool pieces = true;
            for (auto const& c : cut)
                pieces = pieces && attune::detail::holds(space, c, p);
            wrong += pieces != attune_tests::all_hold(space, p) ? 1U : 0U;
        });
        CHECK(wrong == 0);
    }
}

TEST_CASE("a condition that has no value does not hold")
{
    space_writer w;
    auto const a = w.range("a", 0, 2);
    auto const quotient = w.join(op::divide, w.literal(std::int64_t{6}), w.read(a));
    w.require(w.join(op::greater, quotient, w.literal(std::int64_t{-1})), "6 / a > -1");
    auto const cut = attune::detail::conditions_of(w.out);
    CHECK_FALSE(attune::detail::holds(w.out, cut[0], attune::point{{0, 0}}));
    CHECK(attune::detail::holds(w.out, cut[0], attune::point{{1, 0}}));
}

TEST_CASE("conditions that read a real parameter are marked")
{
    space_writer w;
    auto const x = w.real("x", 0, 1);
    auto const a = w.range("a", 0, 3);
    auto const real_part = w.join(op::less, w.read(x), w.literal(0.5));
    auto const integer_part = w.join(op::less, w.read(a), w.literal(std::int64_t{2}));
    w.require(w.join(op::logical_and, real_part, integer_part), "x < 0.5 && a < 2");
    auto const cut = attune::detail::conditions_of(w.out);
    REQUIRE(cut.size() == 2);
    CHECK(cut[0].reads_real);
    CHECK_FALSE(cut[1].reads_real);
}

TEST_CASE("an input without a value is named, with the place that waits for it")
{
    space_writer w;
    w.out.inputs.push_back({"n", attune::value_kind::integer, {}});
    attune::expression_node const n{.code = op::input, .subject = 0};
    auto const node = w.put(n);
    auto const a = w.range("a", 1, 4);
    w.require(w.join(op::less, w.read(a), node), "a < n");
    CHECK(has(message_of(w.out), "input n has no value"));
    CHECK(has(message_of(w.out), "constraint a < n"));
    w.out.inputs[0].value = attune::number::of(std::int64_t{3});
    CHECK(message_of(w.out).empty());

    w.out.parameters[a].integers.clear();
    w.out.parameters[a].rule.bound_node = node;
    CHECK(has(message_of(w.out), "parameter a"));
    w.out.inputs[0].value.reset();
    CHECK(has(message_of(w.out), "input n has no value"));
    CHECK(has(message_of(w.out), "values of parameter a"));
}

TEST_CASE("a real parameter needs an interval that its scale can show")
{
    space_writer w;
    w.real("x", 1, 0);
    CHECK(has(message_of(w.out), "parameter x"));
    w.out.parameters[0].low = 0;
    w.out.parameters[0].high = 1;
    CHECK(message_of(w.out).empty());
    w.out.parameters[0].on = attune::scale::log;
    CHECK(has(message_of(w.out), "above 0"));
}

TEST_CASE("a constraint without text is spoken of by its place")
{
    space_writer w;
    auto const a = w.boolean("a");
    w.require(w.read(a), "a");
    w.require(w.read(a), "");
    CHECK(attune::detail::constraint_text(w.out, 0) == "a");
    CHECK(attune::detail::constraint_text(w.out, 1) == "constraint 2");
}

using attune::point;

namespace {

/// x in [0, 1], required to be below `bound`.
space_writer below(double bound)
{
    space_writer w;
    auto const x = w.real("x", 0, 1);
    w.require(w.join(op::less, w.read(x), w.literal(2.0)), "x < 2");
    w.require(w.join(op::less, w.read(x), w.literal(bound)), "x < bound");
    return w;
}

std::string refusal(space_writer const& w)
{
    attune::detail::real_part const part(w.out, attune::detail::conditions_of(w.out));
    attune::random_engine engine(1);
    point at(1);
    return error_of([&] {
        part.require_acceptance(w.out, at, [&] { at[0].real = attune::uniform_unit(engine); });
    });
}

} // namespace

TEST_CASE("a point is accepted inside its intervals where all conditions hold")
{
    space_writer const w = below(0.5);
    attune::detail::real_part const part(w.out, attune::detail::conditions_of(w.out));
    CHECK(part.parameters == std::vector<std::uint32_t>{0});
    CHECK(part.accepts(w.out, point{{0, 0.25}}));
    CHECK_FALSE(part.accepts(w.out, point{{0, 0.75}}));
    CHECK_FALSE(part.accepts(w.out, point{{0, -0.25}}));
}

TEST_CASE("conditions that accept next to nothing are refused, the worst one named")
{
    CHECK(refusal(below(0.5)).empty());
    CHECK(refusal(below(1e-3)).empty());
    std::string const text = refusal(below(1e-6));
    CHECK(text.find("x < bound") != std::string::npos);
    CHECK(text.find("x < 2") == std::string::npos);
}

TEST_CASE("a coordinate is inside when its parameter has such a value")
{
    space_writer w;
    w.range("a", 5, 7);
    w.real("x", 1, 2);
    CHECK(attune::detail::is_inside(w.out.parameters[0], {2, 0}));
    CHECK_FALSE(attune::detail::is_inside(w.out.parameters[0], {3, 0}));
    CHECK(attune::detail::is_inside(w.out.parameters[1], {0, 2}));
    CHECK_FALSE(attune::detail::is_inside(w.out.parameters[1], {0, 2.5}));
}

TEST_CASE("values kept are numbered anew, in ascending order")
{
    attune::detail::domain left(6);
    left.filter({true, false, true, true, false, true});
    CHECK(left.size() == 4);
    CHECK(left.value(1) == 2);
    CHECK(left.value(3) == 5);
    left.filter({false, true, false, true});
    CHECK(left.size() == 2);
    CHECK(left.value(0) == 2);
}

TEST_CASE("the first values are those left, and what has one value is no choice")
{
    attune_tests::space_writer w;
    auto const a = w.range("a", 0, 3);
    auto const b = w.range("b", 0, 3);
    auto const x = w.real("x", 0.5, 2);
    std::vector<attune::detail::domain> domains{
        attune::detail::domain(4), attune::detail::domain(4), attune::detail::domain(0)};
    domains[b].filter({false, false, true, false});
    attune::point const first = attune::detail::first_values(w.out, domains);
    CHECK(first[a].index == 0);
    CHECK(first[b].index == 2);
    CHECK(first[x].real == 0.5);
    attune::detail::condition c;
    c.scope = {a, b};
    CHECK(attune::detail::open_scope(c, domains) == std::vector<std::uint32_t>{a});
}
