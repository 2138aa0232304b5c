// tests/space/order/order.cpp : mirrors include/attune/space/order/order.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/order/order.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune_tests::space_writer;

namespace {

/// Names from the root down, of a space with one group.
std::vector<std::string> order_of(attune::description const& space)
{
    auto const g = attune::detail::make_groups(space, attune::detail::conditions_of(space));
    REQUIRE(g.groups.size() == 1);
    std::vector<std::string> out;
    for (std::uint32_t const p : attune::detail::level_order(space, g.groups[0], g.domains))
        out.push_back(space.parameters[p].name);
    return out;
}

/// A chain a <= b <= c <= d, declared in the given order.
attune::description chain(std::string const& names)
{
    space_writer w;
    for (char const name : names)
        w.range(std::string(1, name), 1, 20);
    auto const at = [&](char const* name) { return w.read(w.out.find_parameter(name)); };
    for (auto const& [low, high] : {std::pair{"a", "b"}, {"b", "c"}, {"c", "d"}})
        w.require(w.join(op::less_equal, at(low), at(high)), std::string(low) + " <= " + high);
    return w.out;
}

} // namespace

TEST_CASE("every parameter of the group has one level")
{
    attune_tests::space_generator generator(31);
    for (int i = 0; i < 60; ++i) {
        attune::description const space = generator.draw();
        auto const g = attune::detail::make_groups(space, attune::detail::conditions_of(space));
        for (auto const& part : g.groups) {
            auto levels = attune::detail::level_order(space, part, g.domains);
            std::sort(levels.begin(), levels.end());
            CHECK(levels == part.parameters);
        }
    }
}

TEST_CASE("the order of declaration has no influence")
{
    std::string names = "abcd";
    auto const expected = order_of(chain(names));
    while (std::next_permutation(names.begin(), names.end()))
        CHECK(order_of(chain(names)) == expected);
}

TEST_CASE("parameters of one condition stand next to each other in a chain of conditions")
{
    auto const order = order_of(chain("bdac"));
    bool const up = order == std::vector<std::string>{"a", "b", "c", "d"};
    bool const down = order == std::vector<std::string>{"d", "c", "b", "a"};
    CHECK((up || down));
}

TEST_CASE("more parameters than starts are ordered too")
{
    space_writer w;
    std::uint32_t last = w.boolean("p0");
    for (int i = 1; i < 40; ++i) {
        std::uint32_t const next = w.boolean("p" + std::to_string(i));
        w.require(w.join(op::not_equal, w.read(last), w.read(next)), "alternate");
        last = next;
    }
    CHECK(order_of(w.out).size() == 40);
}
