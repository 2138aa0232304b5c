// tests/space/diagram/diagram_tree.cpp : mirrors attune/space/diagram/diagram_tree.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/diagram_tree.hpp>

#include <attune/space/tree/tree.hpp>

#include <doctest/doctest.h>
#include <vector>

#include "../space_writer.hpp"

using attune::op;
using attune::detail::effort;
using attune::detail::tree_by_diagrams;
using attune_tests::space_writer;

TEST_CASE("limits end the work without a tree")
{
    space_writer w;
    for (char const* name : {"a", "b", "c"})
        w.range(name, 1, 40);
    auto const product = w.join(op::multiply, w.join(op::add, w.read(0), w.read(1)), w.read(2));
    auto const rest = w.join(op::modulo, product, w.literal(std::int64_t{37}));
    w.require(w.join(op::equal, rest, w.literal(std::int64_t{5})), "(a + b) * c % 37 == 5");
    auto const parts = attune::detail::make_groups(w.out, attune::detail::conditions_of(w.out));
    REQUIRE(parts.groups.size() == 1);
    auto const grow = [&](effort budget) {
        static_cast<void>(tree_by_diagrams(w.out, parts.groups[0], parts.domains,
                                           parts.groups[0].parameters, budget));
        return !budget.is_spent;
    };
    CHECK(grow({}));
    CHECK_FALSE(grow({100, effort::unlimited, false}));
    CHECK_FALSE(grow({effort::unlimited, 1000, false}));
}

TEST_CASE("a predicate is called for the settings of its parameters")
{
    space_writer w;
    w.range("a", 0, 19);
    w.range("b", 0, 19);
    w.require_opaque(
        {0, 1},
        [](auto const&, std::span<attune::coordinate const> at) {
            return (at[0].index + at[1].index) % 7 == 3;
        },
        "called");
    attune::enumeration_limits const none{.settings = 1};
    auto const parts =
        attune::detail::make_groups(w.out, attune::detail::conditions_of(w.out), none);
    effort budget;
    auto const made = tree_by_diagrams(w.out, parts.groups[0], parts.domains, {1, 0}, budget);
    REQUIRE(made);
    std::uint64_t valid = 0;
    for (int a = 0; a < 20; ++a)
        for (int b = 0; b < 20; ++b)
            valid += (a + b) % 7 == 3 ? 1U : 0U;
    CHECK(made->leaves() == valid);
}

TEST_CASE("a predicate is not called where a condition on its parameters fails")
{
    space_writer w;
    w.range("a", 0, 9);
    w.range("b", 0, 9);
    w.require(w.join(op::less, w.read(0), w.read(1)), "a < b");
    w.require_opaque(
        {1, 0},
        [](auto const&, std::span<attune::coordinate const> at) {
            CHECK(at[1].index < at[0].index);
            return at[0].index % (at[0].index - at[1].index) == 0;
        },
        "b % (b - a) == 0");
    attune::enumeration_limits const none{.settings = 1, .wide_settings = 1};
    auto const parts =
        attune::detail::make_groups(w.out, attune::detail::conditions_of(w.out), none);
    effort budget;
    CHECK(tree_by_diagrams(w.out, parts.groups[0], parts.domains, {0, 1}, budget));
}

using attune::detail::diagram_store;
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
