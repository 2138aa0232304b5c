// tests/space/diagram/diagram_maker.cpp : mirrors attune/space/diagram/diagram_maker.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/diagram_maker.hpp>

#include <doctest/doctest.h>
#include <set>
#include <vector>

#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune::detail::diagram_maker;
using attune::detail::effort;
using attune_tests::space_writer;

namespace {

attune::description chained()
{
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.range(name, 1, 6);
    w.require(w.join(op::less, w.read(0), w.read(2)), "a < c");
    w.require(w.join(op::greater, w.read(2), w.read(0)), "c > a");
    w.require(w.join(op::less, w.read(1), w.read(2)), "b < c");
    w.require_opaque(
        {1, 2},
        [](auto const&, std::span<attune::coordinate const> at) {
            return at[0].index < at[1].index;
        },
        "called");
    return w.out;
}

} // namespace

TEST_CASE("conditions that mean the same are one node, however they are written")
{
    attune::description const space = chained();
    std::vector<attune::detail::domain> const domains(3, attune::detail::domain(6));
    effort budget;
    diagram_maker maker(space, domains, {2, 0, 1}, budget);
    auto const c = attune::detail::conditions_of(space);
    using one = std::vector<attune::detail::condition const*>;
    auto const first = maker.make(one{&c[0]});
    CHECK(maker.make(one{&c[1]}) == first);
    CHECK(maker.make(one{&c[0], &c[1]}) == first);
    CHECK(maker.make(one{&c[3]}) == maker.make(one{&c[2]}));
    CHECK(maker.make(one{&c[0], &c[2]}) == maker.store().both(first, maker.make(one{&c[2]})));
    CHECK(maker.make(one{}) == attune::detail::always_node);
    CHECK(maker.levels_of(one{&c[0]}) == std::vector<std::size_t>{0, 1});
    CHECK(maker.levels_of(one{&c[2], &c[0]}) == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("parameters without a level stay at their first value")
{
    attune::description const space = chained();
    std::vector<attune::detail::domain> domains(3, attune::detail::domain(6));
    domains[0].filter({false, false, true, false, false, false}); // a = 3
    effort budget;
    diagram_maker maker(space, domains, {2}, budget);
    auto const c = attune::detail::conditions_of(space);
    auto const node = maker.make(std::vector<attune::detail::condition const*>{&c[0]});
    CHECK(maker.store().child(node, 0, 2) == attune::detail::never_node);
    CHECK(maker.store().child(node, 0, 3) == attune::detail::always_node);
}

using attune::detail::bundle;

namespace {

std::vector<std::size_t> sizes_of(attune::description const& space,
                                  std::vector<attune::detail::condition> const& conditions)
{
    std::vector<attune::detail::domain> domains;
    std::vector<std::uint32_t> order;
    for (std::uint32_t p = 0; p < space.parameters.size(); ++p) {
        domains.emplace_back(space.parameters[p].value_count());
        order.push_back(p);
    }
    attune::detail::effort budget;
    attune::detail::diagram_maker const maker(space, domains, order, budget);
    std::vector<std::size_t> out;
    std::set<attune::detail::condition const*> seen;
    for (bundle const& b : attune::detail::make_bundles(maker, conditions)) {
        out.push_back(b.size());
        seen.insert(b.begin(), b.end());
    }
    CHECK(seen.size() == conditions.size());
    return out;
}

} // namespace

TEST_CASE("conditions that need the same values join the one that reads more")
{
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.range(name, 1, 20);
    auto const ab = w.join(op::multiply, w.read(0), w.read(1));
    w.require(w.join(op::less_equal, ab, w.literal(std::int64_t{100})), "a * b <= 100");
    auto const abc = w.join(op::multiply, ab, w.read(2));
    w.require(w.join(op::less_equal, abc, w.literal(std::int64_t{500})), "a * b * c <= 500");
    CHECK(sizes_of(w.out, attune::detail::conditions_of(w.out)) == std::vector<std::size_t>{2});
}

TEST_CASE("a condition that needs other values stays alone")
{
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.range(name, 1, 20);
    auto const sum = w.join(op::add, w.join(op::add, w.read(0), w.read(1)), w.read(2));
    w.require(w.join(op::less_equal, sum, w.literal(std::int64_t{30})), "a + b + c <= 30");
    auto const rest = w.join(op::modulo, w.read(2), w.read(0)); // needs a, not a + b
    w.require(w.join(op::equal, rest, w.literal(std::int64_t{0})), "c % a == 0");
    CHECK(sizes_of(w.out, attune::detail::conditions_of(w.out)) == std::vector<std::size_t>{1, 1});
}

TEST_CASE("every condition is in some bundle")
{
    attune_tests::space_generator generator(5);
    for (int i = 0; i < 200; ++i) {
        attune::description const space = generator.draw();
        std::vector<attune::detail::condition> conditions;
        for (attune::detail::condition& c : attune::detail::conditions_of(space))
            if (!c.scope.empty()) conditions.push_back(std::move(c));
        static_cast<void>(sizes_of(space, conditions));
    }
}
