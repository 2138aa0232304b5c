// tests/space/order/order.cpp : mirrors include/attune/space/order/order.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/order/order.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
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

using cost_model = attune::detail::order_cost<1>;

namespace {

/// x0 * x1 <= .. and x1 % x2 == 0 and x2 * x3 <= .. and so on, with domains of different sizes.
cost_model chain(std::uint32_t length)
{
    space_writer w;
    std::vector<std::uint32_t> place_of;
    std::vector<double> sizes;
    for (std::uint32_t i = 0; i < length; ++i) {
        w.range("x" + std::to_string(i), 1, 3 + (i * 7) % 11);
        place_of.push_back(i);
        sizes.push_back(w.out.parameters[i].value_count());
    }
    for (std::uint32_t i = 1; i < length; ++i)
        w.require(w.join(op::less_equal,
                         w.join(i % 2 == 0 ? op::modulo : op::multiply, w.read(i - 1), w.read(i)),
                         w.literal(std::int64_t{4})),
                  "tie");
    std::vector<attune::detail::weighed_condition<1>> conditions;
    for (attune::detail::condition const& c : attune::detail::conditions_of(w.out))
        conditions.push_back({{w.out, c, place_of}, 0.4});
    return {std::move(sizes), std::move(conditions)};
}

double price(cost_model& of, std::vector<std::size_t> const& order)
{
    double sum = 0;
    std::uint32_t above = of.number_of({});
    for (std::size_t const k : order) {
        sum += of.step(above, k);
        above = of.with(above, k);
    }
    return sum;
}

} // namespace

TEST_CASE("of six parameters the order found costs hardly more than the best of all 720")
{
    cost_model model = chain(6);
    double best = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
    do
        best = std::min(best, price(model, order));
    while (std::next_permutation(order.begin(), order.end()));
    for (double const credit : {0.7, 0.35, 0.0}) {
        auto const found = attune::detail::order_search<1>(chain(6)).best(credit);
        CHECK(found.cost == doctest::Approx(price(model, found.order)));
        CHECK(found.cost <= 1.05 * best);
    }
}

TEST_CASE("many parameters get an order of all of them")
{
    auto found = attune::detail::order_search<1>(chain(60)).best(0.7);
    cost_model model = chain(60);
    CHECK(found.cost == doctest::Approx(price(model, found.order)));
    std::sort(found.order.begin(), found.order.end());
    for (std::size_t k = 0; k < 60; ++k)
        CHECK(found.order[k] == k);
}
