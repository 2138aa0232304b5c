// tests/space/conditions/proof.cpp : mirrors include/attune/space/conditions/proof.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/conditions/proof.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune::detail::interval_prover;
using attune_tests::space_writer;

TEST_CASE("what intervals prove holds for every combination of random spaces")
{
    attune_tests::space_generator generator(6);
    int proven = 0;
    for (int i = 0; i < 3000; ++i) {
        attune::description const space = generator.draw();
        interval_prover const bounds(space);
        attune::detail::evaluator const read(space);
        for (attune::constraint_description const& c : space.constraints) {
            if (c.test || !bounds.always_holds(c.root)) continue;
            CAPTURE(i);
            ++proven;
            std::size_t refused = 0;
            attune_tests::for_each_setting(
                space, [&](attune::point const& p) { refused += read.holds(c, p) ? 0U : 1U; });
            CHECK(refused == 0);
        }
    }
    CHECK(proven > 50);
}

TEST_CASE("bounds of tables, ranges, intervals and elements are used")
{
    space_writer w;
    auto const a = w.range("a", 1, 100);
    auto const r = w.fractions("r", {-0.5, 2.5});
    auto const x = w.real("x", 0.25, 4);
    auto const o = w.permutation("o", 5);
    auto const t = w.tile("t", 12, 2);
    auto const l = w.labels("l", {"p", "q"});
    attune::parameter_description wide;
    wide.name = "wide";
    wide.kind = attune::parameter_kind::integer;
    wide.type = attune::value_kind::integer;
    wide.rule = {attune::progression::linear, 10, 5, 0};
    wide.range_count = 5'000'000;
    auto const big = w.add(wide);
    struct claim {
        std::uint32_t root;
        bool proven;
    };
    auto const number = [&](std::int64_t v) { return w.literal(v); };
    std::vector<claim> const claims{
        {w.join(op::less_equal, w.read(a), number(100)), true},
        {w.join(op::less_equal, w.read(a), number(99)), false},
        {w.join(op::greater, w.read(r), w.literal(-0.75)), true},
        {w.join(op::greater, w.join(op::divide, number(1), w.read(a)), number(-1)), true},
        {w.join(op::greater, w.join(op::divide, number(1), w.read(r)), number(-99)), false},
        {w.join(op::less, w.read(x), w.literal(4.5)), true},
        {w.join(op::less, w.read(o, op::element, 2), number(5)), true},
        {w.join(op::less, w.read(o, op::position, 2), number(5)), true},
        {w.join(op::less, w.read(o, op::position, 7), number(5)), false}, // has no value
        {w.join(op::less_equal, w.read(t, op::element, 1), number(12)), true},
        {w.join(op::greater_equal, w.read(big), number(10)), true},
        {w.join(op::less_equal, w.read(big), number(25'000'005)), true},
        {w.join(op::less_equal, w.read(big), number(25'000'004)), false},
        {w.join(op::not_equal, w.read(l), w.text("z")), false}, // true, but texts have no bounds
        {w.read(l), false},
    };
    interval_prover const bounds(w.out);
    for (claim const& c : claims) {
        CAPTURE(c.root);
        CHECK(bounds.always_holds(c.root) == c.proven);
    }
}
