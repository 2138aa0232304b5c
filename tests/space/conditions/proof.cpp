// tests/space/conditions/proof.cpp : mirrors include/attune/space/conditions/proof.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/conditions/proof.hpp>

#include <algorithm>
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

namespace {

/// Whether some completion of the first `set` parameters of `p` satisfies `c`.
bool can_hold(attune::description const& space, attune::detail::condition const& c,
              attune::point const& p, std::size_t set)
{
    bool any = false;
    attune_tests::for_each_setting(space, [&](attune::point const& q) {
        if (!any && std::equal(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(set), q.begin()))
            any = attune::detail::holds(space, c, q);
    });
    return any;
}

} // namespace

TEST_CASE("no condition that can still hold is given up, and full settings are decided exactly")
{
    attune_tests::space_generator generator(41);
    int given_up = 0;
    for (int i = 0; i < 150; ++i) {
        attune::description const space = generator.draw();
        attune::detail::partial_evaluator outlook(space);
        std::vector<std::size_t> levels(space.parameters.size());
        for (std::size_t k = 0; k < levels.size(); ++k)
            levels[k] = k;
        outlook.set_levels(levels);
        std::size_t settings = 1;
        for (auto const& p : space.parameters)
            settings *= p.value_count();
        if (settings > 200) continue;
        std::size_t wrong = 0;
        for (attune::detail::condition const& c : attune::detail::conditions_of(space)) {
            if (c.root == attune::no_index) continue;
            attune_tests::for_each_setting(space, [&](attune::point const& p) {
                for (std::size_t level = 0; level < p.size(); ++level) {
                    if (outlook.may_hold(c, level, p)) continue;
                    wrong += can_hold(space, c, p, level + 1) ? 1U : 0U;
                    given_up += level + 1 < p.size() ? 1 : 0;
                }
                wrong += outlook.may_hold(c, p.size() - 1, p) != attune::detail::holds(space, c, p);
            });
        }
        CHECK(wrong == 0);
    }
    CHECK(given_up > 100);
}

TEST_CASE("a conjunct inside a disjunction refutes it early")
{
    space_writer w;
    auto const a = w.range("a", 0, 1);
    auto const b = w.range("b", 0, 1);
    auto const c = w.range("c", 0, 1);
    auto const left = w.join(op::logical_and, w.read(a), w.read(b));
    auto const right = w.join(op::logical_and, w.read(a), w.read(c));
    w.require(w.join(op::logical_or, left, right), "a && b || a && c");
    attune::detail::partial_evaluator outlook(w.out);
    outlook.set_levels(std::vector<std::size_t>{0, 1, 2});
    auto const condition = attune::detail::conditions_of(w.out).front();
    CHECK_FALSE(outlook.may_hold(condition, 0, attune::point{{0, 0}, {1, 0}, {1, 0}}));
    CHECK(outlook.may_hold(condition, 0, attune::point{{1, 0}, {0, 0}, {0, 0}}));
    CHECK_FALSE(outlook.may_hold(condition, 2, attune::point{{1, 0}, {0, 0}, {0, 0}}));
}
