// tests/space/diagram/diagram_maker.cpp : mirrors attune/space/diagram/diagram_maker.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/diagram_maker.hpp>

#include <doctest/doctest.h>
#include <vector>

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
