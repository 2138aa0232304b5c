// tests/space/order/order_cost.cpp : mirrors attune/space/order/order_cost.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/order/order_cost.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../space_writer.hpp"

using attune::op;
using attune_tests::space_writer;
using cost_model = attune::detail::order_cost<1>;

namespace {

cost_model cost_of(space_writer const& w, double density)
{
    std::vector<std::uint32_t> place_of;
    std::vector<double> sizes;
    for (std::uint32_t p = 0; p < w.out.parameters.size(); ++p) {
        place_of.push_back(p);
        sizes.push_back(w.out.parameters[p].value_count());
    }
    std::vector<attune::detail::weighed_condition<1>> conditions;
    for (attune::detail::condition const& c : attune::detail::conditions_of(w.out))
        conditions.push_back({{w.out, c, place_of}, density});
    return {std::move(sizes), std::move(conditions)};
}

} // namespace

TEST_CASE("parameters that nothing open reads split no states")
{
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.range(name, 1, 10);
    w.require(w.join(op::equal, w.join(op::modulo, w.read(0), w.read(1)), w.read(2)), "a % b == c");
    cost_model c = cost_of(w, 0.1);
    std::uint32_t const none = c.number_of({});
    CHECK(c.states(none) == 1);
    std::uint32_t const a = c.with(none, 0);
    CHECK(c.states(a) == doctest::Approx(10));
    std::uint32_t const ab = c.with(a, 1);
    CHECK(c.states(ab) > 1);
    CHECK(c.states(ab) < 20); // a remainder that is compared with ten values, not 100 pairs
    CHECK(c.states(c.with(ab, 2)) == 1);
    CHECK(c.with(c.with(none, 1), 0) == ab);
    CHECK(c.members(ab).has(1));
    CHECK(c.settings(c.members(ab)) == 100);
    CHECK(c.step(none, 0) > 10);
    CHECK(c.step(a, 1) > c.step(none, 0));
}

TEST_CASE("a state that another condition tells counts once")
{
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.range(name, 1, 10);
    auto const ab = w.join(op::multiply, w.read(0), w.read(1));
    auto const abc = w.join(op::multiply, ab, w.read(2));
    w.require(w.join(op::less_equal, abc, w.literal(std::int64_t{500})), "a * b * c <= 500");
    cost_model one = cost_of(w, 1);
    w.require(w.join(op::less_equal, ab, w.literal(std::int64_t{50})), "a * b <= 50");
    cost_model two = cost_of(w, 1);
    CHECK(two.states(two.with(two.number_of({}), 0)) == one.states(one.with(one.number_of({}), 0)));
}
