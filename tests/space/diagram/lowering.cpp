// tests/space/diagram/lowering.cpp : mirrors attune/space/diagram/lowering.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/lowering.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune::detail::leaf_columns;
using attune::detail::lowering;
using attune::detail::slot_table;
using attune_tests::space_writer;

namespace {

/// A description with every parameter on the level of its own number.
struct lowered {
    explicit lowered(attune::description const& s)
        : space(s)
        , slots(sizes())
        , leaves(space, domains, levels, base, slots)
        , lower(space, leaves, slots)
    {
    }
    std::vector<std::size_t> sizes()
    {
        std::vector<std::size_t> out;
        for (auto const& p : space.parameters) {
            levels.push_back(static_cast<int>(levels.size()));
            domains.emplace_back(p.value_count());
            base.emplace_back();
            out.push_back(p.value_count());
        }
        return out;
    }

    /// The value of a step at `p`, by its operands.
    std::optional<attune::number> value(std::uint32_t s, attune::point const& p)
    {
        attune::detail::slot const& step = slots[s];
        if (step.operands[0] == attune::no_index) {
            std::size_t const i =
                step.level < 0 ? 0 : p[static_cast<std::size_t>(step.level)].index;
            if (step.failed[i] != 0) return {};
            return attune::detail::operand_view{
                step.bits.data(), step.failed.data(), 1, step.real, {}}
                .at(i);
        }
        std::int64_t words[3] = {};
        std::uint8_t failed[3] = {};
        attune::detail::operand_view views[3];
        for (std::size_t k = 0; k < 3; ++k) {
            if (step.operands[k] == attune::no_index) continue;
            auto const v = value(step.operands[k], p);
            if (v) words[k] = attune::detail::word_of(*v);
            failed[k] = v ? 0 : 1;
            views[k] = {&words[k], &failed[k], 0, slots[step.operands[k]].real, {}};
        }
        return attune::detail::apply_operation(step.code, views[0], views[1], views[2], step.real,
                                               0);
    }

    attune::description space;
    std::vector<int> levels;
    std::vector<attune::detail::domain> domains;
    attune::point base;
    slot_table slots;
    leaf_columns leaves;
    lowering lower;
};

} // namespace

TEST_CASE("a lowered expression has the value of the evaluator everywhere, or none as there")
{
    attune_tests::space_generator generator(5);
    int wrong = 0;
    int without = 0;
    int roots = 0;
    for (int i = 0; i < 400; ++i) {
        attune::description const space = generator.draw();
        lowered steps(space);
        attune::detail::evaluator const read(space);
        for (auto const& c : space.constraints) {
            if (c.root == attune::no_index) continue;
            std::uint32_t const root = steps.lower.lower(c.root);
            if (root == attune::no_index) continue;
            ++roots;
            attune_tests::for_each_setting(space, [&](attune::point const& p) {
                auto const want = read.value(c.root, p);
                auto const got = steps.value(root, p);
                without += want ? 0 : 1;
                wrong += want.has_value() != got.has_value();
                if (want && got) wrong += (want->as_real() != 0) != (got->as_real() != 0);
            });
        }
    }
    CHECK(wrong == 0);
    CHECK(without > 1000);
    CHECK(roots > 200);
}

TEST_CASE("a sum is put together in the order of the levels and compared with a constant")
{
    space_writer w;
    auto const a = w.range("a", 0, 3);
    auto const b = w.range("b", 0, 3);
    auto const c = w.range("c", 0, 3);
    // c + 2 - a < b + 1  is  -a - b + c < -1
    auto const left =
        w.join(op::subtract, w.join(op::add, w.read(c), w.literal(std::int64_t{2})), w.read(a));
    auto const right = w.join(op::add, w.read(b), w.literal(std::int64_t{1}));
    auto const root = w.join(op::less, left, right);
    lowered steps(w.out);
    std::uint32_t const step = steps.lower.lower(root);
    REQUIRE(step != attune::no_index);
    auto const& top = steps.slots[step];
    CHECK(top.code == op::less);
    CHECK(steps.slots[top.operands[1]].bits[0] == -1);
    auto const& total = steps.slots[top.operands[0]];
    CHECK(total.code == op::add);
    CHECK(steps.slots[total.operands[0]].level == 1);
    CHECK(steps.slots[total.operands[1]].level == 2);
}

TEST_CASE("a sum that could overflow keeps the order in which it was written")
{
    std::int64_t const most = std::numeric_limits<std::int64_t>::max();
    space_writer w;
    auto const a = w.numbers("a", {1, most});
    auto const b = w.numbers("b", {1, most});
    // (b - a) + b overflows only where both are not small; b + b first would fail more often
    auto const root = w.join(op::add, w.join(op::subtract, w.read(b), w.read(a)), w.read(b));
    w.require(w.join(op::greater, root, w.literal(std::int64_t{0})), "b - a + b > 0");
    lowered steps(w.out);
    std::uint32_t const step = steps.lower.lower(w.out.constraints[0].root);
    attune::detail::evaluator const read(w.out);
    int values = 0;
    attune_tests::for_each_setting(w.out, [&](attune::point const& p) {
        auto const want = read.value(w.out.constraints[0].root, p);
        CHECK(steps.value(step, p) == want);
        values += want ? 1 : 0;
    });
    CHECK(values == 3);
}

TEST_CASE("a guard stays in front of the division that it guards")
{
    space_writer w;
    auto const a = w.range("a", 0, 2);
    auto const b = w.range("b", 0, 4);
    auto const zero = w.literal(std::int64_t{0});
    auto const guard = w.join(op::equal, w.read(b), zero);
    auto const divides = w.join(op::equal, w.join(op::modulo, w.read(a), w.read(b)), zero);
    auto const guarded = w.join(op::logical_or, guard, divides);
    auto const bare = w.join(op::logical_or, divides, guard);
    lowered steps(w.out);
    CHECK_FALSE(steps.slots[steps.lower.lower(guarded)].about.may_succeed == false);
    attune::point const at{{1, 0}, {0, 0}};
    CHECK(steps.value(steps.lower.lower(guarded), at) == attune::number::of(std::int64_t{1}));
    CHECK_FALSE(steps.value(steps.lower.lower(bare), at));
}

TEST_CASE("a choice between an integer and a real number is left to the evaluator")
{
    space_writer w;
    auto const a = w.range("a", 0, 2);
    auto const root = w.join(op::select, w.read(a), w.literal(0.5), w.literal(std::int64_t{1}));
    CHECK(lowered(w.out).lower.lower(root) == attune::no_index);
}

using words = std::vector<std::int64_t>;

TEST_CASE("a column has the values left, an element or a place has its own")
{
    attune_tests::space_writer w;
    auto const a = w.numbers("a", {5, 6, 7, 8});
    auto const p = w.permutation("p", 2);
    auto const fixed = w.range("fixed", 3, 3);
    auto const whole = w.read(a);
    auto const element = w.read(p, op::element, 1);
    auto const place = w.read(p, op::position, 0);
    auto const nowhere = w.read(p, op::position, 9);
    auto const three = w.read(fixed);
    std::vector<attune::detail::domain> domains{
        attune::detail::domain(4), attune::detail::domain(2), attune::detail::domain(1)};
    domains[a].filter({true, false, false, true});
    slot_table slots({2, 2});
    std::vector<int> const levels{0, 1, attune::detail::constant_level};
    attune::point const base = attune::detail::first_values(w.out, domains);
    leaf_columns leaves(w.out, domains, levels, base, slots);

    CHECK(slots[leaves.leaf(whole)].bits == words{5, 8});
    CHECK(slots[leaves.leaf(element)].bits == words{1, 0});
    CHECK(slots[leaves.leaf(place)].bits == words{0, 1});
    CHECK_FALSE(slots[leaves.leaf(nowhere)].about.may_succeed);
    CHECK(slots[leaves.leaf(three)].level == attune::detail::constant_level);
    CHECK(slots[leaves.leaf(three)].bits == words{3});
    CHECK(slots[leaves.index_of(a)].bits == words{0, 3});
    CHECK(leaves.leaf(w.read(a)) == leaves.leaf(whole));
}

TEST_CASE("equal texts are equal numbers, in whichever parameter they stand")
{
    attune_tests::space_writer w;
    auto const a = w.labels("a", {"x", "y", "z"});
    auto const b = w.labels("b", {"z", "x"});
    auto const left = w.read(a);
    auto const right = w.read(b);
    auto const literal = w.text("y");
    std::vector<attune::detail::domain> const domains{attune::detail::domain(3),
                                                      attune::detail::domain(2)};
    slot_table slots({3, 2});
    std::vector<int> const levels{0, 1};
    attune::point const base(2);
    leaf_columns leaves(w.out, domains, levels, base, slots);
    REQUIRE((leaves.is_text(left) && leaves.is_text(literal)));
    words const of_a = slots[leaves.text(left)].bits;
    words const of_b = slots[leaves.text(right)].bits;
    CHECK(of_a[0] == of_b[1]);
    CHECK(of_a[2] == of_b[0]);
    CHECK(of_a[1] == slots[leaves.text(literal)].bits[0]);
    CHECK(of_a[0] != of_a[1]);
}
