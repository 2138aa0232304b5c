// tests/space/query/explanation.cpp : mirrors include/attune/space/query/explanation.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/query/explanation.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/domain.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/parameters.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "../../laws/tree.hpp"
#include "../../support/texts.hpp"
#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::broken_constraint;
using attune::constraint_fault;
using attune::explain;
using attune::op;
using attune::point;
using attune_test::error_of;
using attune_test::has;
using attune_tests::space_writer;

namespace {

/// The only reason against `p`.
broken_constraint only(space_writer const& w, point const& p)
{
    std::vector<broken_constraint> const all = explain(w.out, p);
    REQUIRE(all.size() == 1);
    return all.front();
}

std::uint32_t whole(space_writer& w, std::int64_t v) { return w.literal(v); }

} // namespace

TEST_CASE("both sides of a comparison are evaluated")
{
    space_writer w;
    w.numbers("TILE_M", {16, 256});
    w.numbers("TILE_K", {16, 64});
    w.where("4 * TILE_M * TILE_K <= 32768");
    CHECK(explain(w.out, {{0, 0}, {1, 0}}).empty());
    broken_constraint const b = only(w, {{1, 0}, {1, 0}});
    CHECK(b.constraint == 0);
    CHECK(b.how == constraint_fault::is_false);
    CHECK(b.because == "4 * 256 * 64 = 65536 <= 32768 is false");
    CHECK(attune::to_text(std::vector{b}) ==
          "4 * TILE_M * TILE_K <= 32768: 4 * 256 * 64 = 65536 <= 32768 is false\n");
}

TEST_CASE("beside bytes of the machine the sides have their sizes, and ratios of them have none")
{
    namespace machine = attune::machine;
    constexpr auto tile = attune::ordinal<"TILE">(attune::powers_of_two(512, 2048));
    auto const because = [&](auto const& condition) {
        attune::description const bound = attune::bind_inputs(
            attune::lower(attune::space(tile).where(condition)),
            {machine::l1_bytes(32768), machine::l2_bytes(1048576), machine::cores(4096)});
        std::vector<broken_constraint> const all = explain(bound, {{0, 0}});
        return all.empty() ? std::string{} : all.front().because;
    };
    CHECK(because(12 * tile * 529 <= machine::l2_bytes) ==
          "12 * 512 * 529 = 3250176 (3.1 MiB) <= 1048576 (1 MiB) is false");
    CHECK(because(machine::l1_bytes / 2 > 32 * tile) ==
          "32768 / 2 = 16384 (16 KiB) > 32 * 512 = 16384 (16 KiB) is false");
    CHECK(because(max(machine::l1_bytes, machine::l2_bytes) < tile) ==
          "max(32768, 1048576) = 1048576 (1 MiB) < 512 is false");
    CHECK(because(machine::l2_bytes / machine::l1_bytes * 64 >= 8 * tile) ==
          "1048576 / 32768 * 64 = 2048 >= 8 * 512 = 4096 is false");
    CHECK(because(machine::cores <= 2 * tile) == "4096 <= 2 * 512 = 1024 is false");
}

TEST_CASE("of a conjunction the broken parts are shown, of a disjunction all")
{
    space_writer w;
    w.range("a", 0, 9);
    w.range("b", -3, 9);
    w.where("a < 5 && b > 0");
    w.where("a + b == 1 || b > 0");
    using texts = std::vector<std::string>;
    auto const because = [&](point const& p) {
        texts out;
        for (broken_constraint const& c : explain(w.out, p))
            out.push_back(c.because);
        return out;
    };
    CHECK(because({{7, 0}, {5, 0}}) == texts{"7 < 5 is false"});
    CHECK(because({{7, 0}, {0, 0}}) ==
          texts{"7 < 5 is false; -3 > 0 is false", "7 + -3 = 4 == 1 || -3 > 0 is false"});
}

TEST_CASE("division by zero and overflow are named as what they are")
{
    space_writer w;
    w.out.inputs.push_back(
        {"N", attune::value_kind::integer, attune::number::of(std::int64_t{4096})});
    auto const a = w.range("a", 0, 3);
    auto const n = w.read(0, op::input);
    auto const rest = w.join(op::modulo, n, w.join(op::subtract, w.read(a), whole(w, 1)));
    w.require(w.join(op::equal, rest, whole(w, 0)), "N % (a - 1) == 0");
    broken_constraint zero = only(w, {{1, 0}});
    CHECK(zero.how == constraint_fault::division_by_zero);
    CHECK(zero.because == "4096 % (1 - 1) == 0: 4096 % 0 divides by zero");

    space_writer o;
    o.numbers("b", {1, std::int64_t{1} << 40});
    o.where("b * b > 0");
    broken_constraint const over = only(o, {{1, 0}});
    CHECK(over.how == constraint_fault::overflow);
    CHECK(over.because == "1099511627776 * 1099511627776 > 0: 1099511627776 * 1099511627776 "
                          "overflows 64 bits");

    space_writer r;
    auto const f = r.fractions("f", {0.0, 0.5});
    auto const inverse = r.join(op::divide, r.literal(1.0), r.read(f));
    r.require(r.join(op::select, r.join(op::less, r.read(f), r.literal(1.0)), inverse, r.read(f)),
              "select(f < 1.0, 1.0 / f, f)");
    CHECK(only(r, {{0, 0}}).how == constraint_fault::division_by_zero);
    CHECK(only(r, {{0, 0}}).because == "select(0.0 < 1.0, 1.0 / 0.0, 0.0): 1.0 / 0.0 divides by "
                                       "zero");

    space_writer m;
    auto const c = m.numbers("c", {std::numeric_limits<std::int64_t>::min()});
    m.require(m.join(op::negate, m.read(c)), "-c");
    CHECK(only(m, {{0, 0}}).how == constraint_fault::overflow);
    space_writer q;
    auto const d = q.numbers("d", {std::numeric_limits<std::int64_t>::min()});
    q.require(q.join(op::divide, q.read(d), whole(q, -1)), "d / -1");
    CHECK(only(q, {{0, 0}}).how == constraint_fault::overflow);
}

TEST_CASE("texts, booleans, orders and factors read as the user writes them")
{
    space_writer w;
    auto const layout = w.labels("layout", {"aos", "soa"});
    auto const on = w.boolean("on");
    auto const order = w.permutation("order", 3);
    auto const tile = w.tile("tile", 6, 2);
    auto const same = w.join(op::equal, w.read(layout), w.text("soa"));
    w.require(w.join(op::logical_or, same, w.read(on)), "layout == \"soa\" || on");
    w.require(w.join(op::equal, w.read(order, op::position, 2), w.read(tile, op::element, 1)),
              "order.position(2) == tile[1]");
    auto const broken = explain(w.out, {{0, 0}, {0, 0}, {0, 0}, {0, 0}});
    REQUIRE(broken.size() == 2);
    CHECK(broken[0].because == "\"aos\" == \"soa\" || false is false");
    CHECK(broken[1].because == "2 == 6 is false");

    space_writer t;
    auto const label = t.labels("label", {"x"});
    static_cast<void>(label);
    t.require(t.join(op::add, t.text("y"), whole(t, 1)), "\"y\" + 1");
    CHECK(only(t, {{0, 0}}).how == constraint_fault::no_value);
    CHECK(only(t, {{0, 0}}).because == "\"y\" + 1: \"y\" is not a number");
}

TEST_CASE("a predicate is quoted with the values it was asked about, in its own order")
{
    space_writer w;
    auto const a = w.range("a", 1, 3);
    auto const b = w.boolean("b");
    w.require_opaque({b, a}, [](auto const&, auto) { return false; }, "a lambda");
    broken_constraint const c = only(w, {{2, 0}, {1, 0}});
    CHECK(c.how == constraint_fault::refused);
    CHECK(c.because == "the function refuses b = true, a = 3");
}

TEST_CASE("a parameter outside its values is reported, constraints that read it are not")
{
    space_writer w;
    auto const a = w.range("a", 1, 3);
    auto const x = w.real("x", 0, 1);
    w.require(w.join(op::less, w.read(a), whole(w, 0)), "a < 0");
    w.require(w.join(op::less, w.read(x), whole(w, 1)), "x < 1");
    auto const broken = explain(w.out, {{9, 0}, {0, 1.5}});
    REQUIRE(broken.size() == 2);
    CHECK(broken[0].how == constraint_fault::outside);
    CHECK(broken[0].constraint == attune::no_index);
    CHECK(broken[0].text == "a is outside its values");
    CHECK(broken[0].because == "it has 3 values, there is none at index 9");
    CHECK(broken[1].because == "1.5 is not in [0.0, 1.0]");
    CHECK(only(w, {{9, 0}, {0, 0.5}}).how == constraint_fault::outside);
}

TEST_CASE("what is explained is what is violated, on random spaces")
{
    attune_tests::space_generator generator(123);
    int without_value = 0;
    for (int i = 0; i < 400; ++i) {
        attune::description const space = generator.draw();
        CAPTURE(i);
        attune::detail::evaluator const read(space);
        std::size_t wrong = 0;
        attune_tests::for_each_setting(space, [&](point const& p) {
            std::vector<std::uint32_t> expected;
            for (std::uint32_t c = 0; c < space.constraints.size(); ++c)
                if (!read.holds(space.constraints[c], p)) expected.push_back(c);
            std::vector<std::uint32_t> got;
            for (broken_constraint const& b : explain(space, p)) {
                got.push_back(b.constraint);
                bool const has_value =
                    b.how == constraint_fault::is_false || b.how == constraint_fault::refused;
                without_value += has_value ? 0 : 1;
                wrong += b.because.empty() ? 1U : 0U;
            }
            wrong += got != expected ? 1U : 0U;
        });
        CHECK(wrong == 0);
    }
    CHECK(without_value >= 1000);
}

namespace {

std::string message(attune::description const& space)
{
    return error_of([&] { attune::detail::throw_empty(space, {}); });
}

} // namespace

TEST_CASE("only constraints that contradict each other are named")
{
    space_writer w;
    auto const a = w.range("a", 1, 9);
    auto const b = w.range("b", 1, 9);
    auto const c = w.range("c", 1, 9);
    w.require(w.join(op::less, w.read(a), w.read(b)), "a < b");
    w.require(w.join(op::less, w.read(c), w.literal(std::int64_t{5})), "c < 5");
    w.require(w.join(op::less, w.read(b), w.read(c)), "b < c");
    w.require(w.join(op::less, w.read(c), w.read(a)), "c < a");
    CHECK(attune::contradicting_constraints(w.out) == std::vector<std::uint32_t>{0, 2, 3});
    std::string const text = message(w.out);
    CHECK(has(text, "3 constraints contradict each other"));
    CHECK(has(text, "a < b; b < c; c < a"));
    CHECK_FALSE(has(text, "c < 5"));
}

TEST_CASE("one constraint that never holds is named alone")
{
    space_writer w;
    auto const a = w.range("a", 1, 9);
    w.require(w.join(op::less, w.read(a), w.literal(std::int64_t{5})), "a < 5");
    w.require(w.join(op::greater, w.read(a), w.literal(std::int64_t{9})), "a > 9");
    CHECK(attune::contradicting_constraints(w.out) == std::vector<std::uint32_t>{1});
    CHECK(has(message(w.out), "a > 9"));
    CHECK(has(message(w.out), "holds for no configuration"));
}

TEST_CASE("the set named contradicts itself and no smaller part of it does")
{
    attune_tests::space_generator generator(59);
    int empty = 0;
    while (empty < 60) {
        attune::description const space = generator.draw();
        std::vector<std::uint32_t> all;
        for (std::uint32_t i = 0; i < space.constraints.size(); ++i)
            all.push_back(i);
        if (attune_tests::any_setting(space, all)) continue;
        ++empty;
        auto const set = attune::contradicting_constraints(space);
        CHECK_FALSE(attune_tests::any_setting(space, set));
        for (std::size_t dropped = 0; dropped < set.size(); ++dropped) {
            auto rest = set;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(dropped));
            CHECK(attune_tests::any_setting(space, rest));
        }
    }
}

TEST_CASE("an empty space is told with the values of the inputs that its constraints read")
{
    constexpr auto a = attune::ordinal<"A">(attune::powers_of_two(16, 64));
    constexpr auto n = attune::input<"N", int>();
    auto const pack = attune::space(a).where(8 * a <= attune::machine::l1_bytes, n < 5);
    auto const said = [&](int l1_bytes, int size) {
        return message(attune::bind_inputs(attune::lower(pack),
                                           {attune::machine::l1_bytes(l1_bytes), n(size)}));
    };
    CHECK(has(said(100, 4), "8 * A <= machine.l1_bytes, machine.l1_bytes=100\n"));
    CHECK(has(said(1000, 7), "N < 5, N=7\n"));
}
