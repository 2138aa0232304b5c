// tests/space/diagram/tree_product.cpp : mirrors attune/space/diagram/tree_product.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/tree_product.hpp>

#include <attune/space/tree/tree.hpp>

#include <doctest/doctest.h>
#include <vector>

using attune::detail::diagram_store;
using attune::detail::effort;
using attune::detail::factor;
using attune::detail::tree_product;

namespace {

constexpr std::uint32_t values = 5;

/// "Different" over levels a < b of `values` values each.
std::uint32_t differ(diagram_store& store, std::size_t a, std::size_t b)
{
    std::vector<std::uint32_t> top;
    for (std::uint32_t x = 0; x < values; ++x) {
        std::vector<std::uint32_t> row(values, attune::detail::always_node);
        row[x] = attune::detail::never_node;
        top.push_back(store.add(b, row));
    }
    return store.add(a, top);
}

struct all_different {
    explicit all_different(std::size_t count, effort budget = {})
        : left(budget)
        , store(std::vector<std::size_t>(count, values), left)
        , domains(count, attune::detail::domain(values))
    {
        std::vector<factor> factors;
        std::vector<std::uint32_t> order;
        for (std::uint32_t b = 0; b < count; ++b) {
            order.push_back(b);
            for (std::size_t a = 0; a < b; ++a)
                factors.push_back({differ(store, a, b), {a, b}});
        }
        tree_product product(factors, order, domains, store, left);
        any = product.grow_all();
        if (any && !left.is_spent) leaves = std::move(product).take().leaves();
    }

    effort left;
    diagram_store store;
    std::vector<attune::detail::domain> domains;
    bool any = false;
    attune::leaf_count leaves = 0;
};

} // namespace

TEST_CASE("all different: n! / (n - k)! settings, none where there are more places than values")
{
    CHECK(all_different(1).leaves == 5);
    CHECK(all_different(2).leaves == 20);
    CHECK(all_different(4).leaves == 120);
    CHECK(all_different(5).leaves == 120);
    CHECK_FALSE(all_different(6).any);
}

TEST_CASE("levels that no diagram reads take every value")
{
    effort budget;
    diagram_store store({5, 5, 5}, budget);
    std::vector<attune::detail::domain> const domains(3, attune::detail::domain(values));
    std::vector<factor> const factors{{differ(store, 0, 2), {0, 2}}};
    tree_product product(factors, {2, 0, 1}, domains, store, budget);
    REQUIRE(product.grow_all());
    attune::detail::tree const made = std::move(product).take();
    CHECK(made.leaves() == 100);
    // the order puts parameter 2 on the first and parameter 1 on the last level
    CHECK_FALSE(made.leaf_of(attune::point{{3, 0}, {1, 0}, {1, 0}}));
    CHECK(made.leaf_of(attune::point{{1, 0}, {2, 0}, {1, 0}}));
}

TEST_CASE("too many bytes or visits spend the budget")
{
    CHECK(all_different(5, {100, effort::unlimited, false}).left.is_spent);
    CHECK(all_different(5, {effort::unlimited, 1000, false}).left.is_spent);
    CHECK_FALSE(all_different(5, {100'000, 1'000'000, false}).left.is_spent);
}
