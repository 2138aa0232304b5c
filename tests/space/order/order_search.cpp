// tests/space/order/order_search.cpp : mirrors attune/space/order/order_search.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/order/order_search.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

#include "../space_writer.hpp"

using attune::op;
using attune_tests::space_writer;
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
