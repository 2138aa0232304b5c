// tests/space/diagram/constraint_program.cpp : mirrors attune/space/diagram/constraint_program.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/constraint_program.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../space_writer.hpp"

using attune::op;
using attune::detail::constraint_program;
using attune::detail::interval;
using attune::detail::trend;
using attune_tests::space_writer;

namespace {

constraint_program whole_program(attune::description const& space,
                                 std::vector<attune::detail::condition> const& conditions)
{
    std::vector<attune::detail::domain> domains;
    std::vector<std::uint32_t> order;
    for (std::uint32_t p = 0; p < space.parameters.size(); ++p) {
        domains.emplace_back(space.parameters[p].value_count());
        order.push_back(p);
    }
    std::vector<attune::detail::condition const*> all;
    for (auto const& c : conditions)
        all.push_back(&c);
    return {space, domains, order, attune::point(order.size()), all};
}

} // namespace

TEST_CASE("below a level only the partial product is needed, and it has a trend")
{
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.range(name, 1, 20);
    auto const product =
        w.join(op::multiply, w.join(op::multiply, w.read(2), w.read(0)), w.read(1));
    w.require(w.join(op::less_equal, product, w.literal(std::int64_t{100})), "c * a * b <= 100");
    auto const conditions = attune::detail::conditions_of(w.out);
    constraint_program program = whole_program(w.out, conditions);
    auto const& levels = program.levels();
    REQUIRE(levels.size() == 3);
    CHECK(levels[0].needed.size() == 1);
    REQUIRE(levels[1].needed.size() == 1);
    CHECK(program.slots()[levels[1].needed[0]].about.range == interval{1, 400});
    CHECK(levels[1].threshold == 0);
    CHECK(levels[2].needed.empty());
    CHECK(levels[2].roots.size() == 1);
    CHECK(levels[0].roots.empty());
}

TEST_CASE("a remainder has no trend")
{
    space_writer w;
    w.range("a", 1, 20);
    w.range("b", 1, 20);
    w.require(
        w.join(op::equal, w.join(op::modulo, w.read(0), w.read(1)), w.literal(std::int64_t{0})),
        "a % b == 0");
    auto const conditions = attune::detail::conditions_of(w.out);
    CHECK(whole_program(w.out, conditions).levels()[0].threshold == attune::no_index);
}

TEST_CASE("a predicate needs the places of its parameters until its last one is set")
{
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.range(name, 1, 5);
    w.require_opaque({2, 0}, [](auto const&, auto) { return true; }, "always");
    auto const conditions = attune::detail::conditions_of(w.out);
    constraint_program program = whole_program(w.out, conditions);
    REQUIRE(program.calls().size() == 1);
    CHECK(program.calls()[0].level == 2);
    CHECK(program.levels()[0].needed.size() == 1);
    CHECK(program.levels()[1].needed.size() == 1);
    CHECK(program.roots().empty());
}

TEST_CASE("trends of operations agree with their values")
{
    constexpr op codes[] = {op::add,    op::subtract,    op::multiply, op::floor_divide,
                            op::divide, op::ceil_divide, op::minimum,  op::maximum,
                            op::less,   op::less_equal,  op::greater,  op::greater_equal,
                            op::equal,  op::modulo};
    int wrong = 0;
    int known = 0;
    for (op const code : codes)
        for (int const low : {-3, 0, 1})
            for (int const high : {-1, 0, 4})
                for (int which = 0; which < 2; ++which) {
                    if (low > high) continue;
                    interval const range{double(low), double(high)};
                    trend const t[3] = {which == 0 ? trend::rises : trend::stays,
                                        which == 1 ? trend::rises : trend::stays, trend::stays};
                    interval const r[3] = {range, range, {}};
                    trend const all = attune::detail::trend_of(code, t, r);
                    if (all == trend::unknown) continue;
                    ++known;
                    for (int other = low; other <= high; ++other)
                        for (int v = low; v < high; ++v) {
                            auto const value = [&](int grown) {
                                std::int64_t const a = which == 0 ? grown : other;
                                std::int64_t const b = which == 0 ? other : grown;
                                using attune::number;
                                if (code >= op::less)
                                    return std::optional(
                                        number::of(std::int64_t{attune::detail::satisfies(
                                            attune::detail::rules_of(code).holds, number::of(a),
                                            number::of(b))}));
                                return attune::detail::compute(attune::detail::rules_of(code),
                                                               attune::number::of(a),
                                                               attune::number::of(b));
                            };
                            auto const x = value(v);
                            auto const y = value(v + 1);
                            if (!x || !y) continue;
                            wrong += all == trend::rises && x->integer > y->integer;
                            wrong += all == trend::falls && x->integer < y->integer;
                        }
                }
    CHECK(wrong == 0);
    CHECK(known > 60);
}

TEST_CASE("bounds decide as soon as the values set do, and tests are exact on the last level")
{
    space_writer w;
    w.range("a", 1, 20);
    w.range("b", 1, 20);
    auto const product = w.join(op::multiply, w.read(0), w.read(1));
    w.require(w.join(op::less_equal, product, w.literal(std::int64_t{100})), "a * b <= 100");
    w.require(w.join(op::greater, product, w.literal(std::int64_t{15})), "a * b > 15");
    auto const conditions = attune::detail::conditions_of(w.out);
    std::vector<attune::detail::condition const*> const all{&conditions[0], &conditions[1]};
    std::vector<attune::detail::domain> const domains(2, attune::detail::domain(20));
    std::vector<std::uint32_t> const order{0, 1};
    attune::point const base(2);
    attune::detail::constraint_program program(w.out, domains, order, base, all);
    attune::detail::program_state state(w.out, program, base);
    CHECK(state.constants_hold());
    std::vector<std::uint32_t> allowed(20);
    state.compute(0);
    state.test(0, allowed);
    for (std::uint32_t a = 1; a <= 20; ++a) {
        CHECK(allowed[a - 1] == attune::detail::always_node);
        CHECK_FALSE(state.take(0, a - 1));
        CHECK(state.decide(0) == attune::no_index); // some b are good, some are not
        std::vector<std::uint32_t> below(20);
        state.compute(1);
        state.test(1, below);
        for (std::uint32_t b = 1; b <= 20; ++b)
            CHECK((below[b - 1] == attune::detail::always_node) == (a * b <= 100 && a * b > 15));
    }
}
