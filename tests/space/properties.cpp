// tests/space/properties.cpp : what a chain of trees promises, on thousands of spaces drawn at random; a failure is shrunk to a small one and printed
// SPDX-License-Identifier: MIT
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <utility>
#include <vector>

#include "space_generator.hpp"
#include "space_oracle.hpp"
#include "space_shrinker.hpp"

using attune::chain_of_trees;
using attune::description;
using attune::op;

namespace {

/// Draws `count` spaces and holds each to brute force; the first failure is shrunk and printed.
template <class Make>
void hold_to_brute_force(std::uint64_t seed, int count, Make const& make)
{
    attune_tests::space_generator generator(seed);
    auto const wrong = [&](description const& s) { return attune_tests::disagreement(s, make); };
    for (int i = 0; i < count; ++i) {
        description const space = generator.draw();
        if (wrong(space).empty()) continue;
        description const smallest =
            attune_tests::shrink(space, [&](description const& s) { return !wrong(s).empty(); });
        FAIL("space " << i << " of seed " << seed << ", shrunk: " << wrong(smallest) << '\n'
                      << attune_tests::to_text(smallest));
    }
}

/// The space as one sees it who does not know what an operation does: constraints with it hold.
description without_operation(description space, op code)
{
    std::erase_if(space.constraints, [&](attune::constraint_description const& c) {
        bool found = false;
        if (!c.test)
            attune::detail::walk_expression(
                space, c.root, [&](auto const& n) { found = found || n.code == code; });
        return found;
    });
    return space;
}

/// The first space on which `make` is wrong, shrunk.
template <class Make>
description shrunk_failure(Make const& make)
{
    auto const fails = [&](description const& s) {
        return !attune_tests::disagreement(s, make).empty();
    };
    attune_tests::space_generator generator(3);
    for (;;) {
        description const space = generator.draw();
        if (fails(space)) return attune_tests::shrink(space, fails);
    }
}

} // namespace

TEST_CASE("5000 random spaces are what brute force says they are")
{
    hold_to_brute_force(2026, 5000, [](description const& s) { return chain_of_trees(s); });
}

TEST_CASE("so are 1000 whose domains nothing filters before the trees are built")
{
    attune::build_options options;
    options.enumeration.settings = 1;
    options.enumeration.wide_settings = 1;
    hold_to_brute_force(11, 1000, [&](description const& s) { return chain_of_trees(s, options); });
}

TEST_CASE("random spaces have every kind of parameter, every operation and every size")
{
    attune_tests::space_generator generator(2026);
    std::set<attune::parameter_kind> kinds;
    std::set<op> operations;
    std::set<std::size_t> parameters;
    std::set<std::size_t> constraints;
    bool any_opaque = false;
    for (int i = 0; i < 2000; ++i) {
        description const space = generator.draw();
        parameters.insert(space.parameters.size());
        constraints.insert(space.constraints.size());
        for (auto const& p : space.parameters)
            kinds.insert(p.kind);
        for (auto const& n : space.nodes)
            operations.insert(n.code);
        for (auto const& c : space.constraints)
            any_opaque = any_opaque || c.test;
    }
    CHECK(kinds.size() == 6);                                         // all but real
    CHECK(operations.size() == static_cast<std::size_t>(op::select)); // all but input
    CHECK(parameters == std::set<std::size_t>{1, 2, 3, 4, 5, 6});
    CHECK(constraints == std::set<std::size_t>{0, 1, 2, 3, 4, 5, 6});
    CHECK(any_opaque);
}

TEST_CASE("a failing space is shrunk to one parameter and at most four nodes")
{
    for (op const code : {op::modulo, op::ceil_divide, op::select, op::logical_or, op::maximum}) {
        CAPTURE(static_cast<int>(code));
        description const smallest = shrunk_failure(
            [&](description const& s) { return chain_of_trees(without_operation(s, code)); });
        CAPTURE(attune_tests::to_text(smallest));
        CHECK(smallest.parameters.size() == 1);
        CHECK(smallest.parameters[0].value_count() <= 2);
        CHECK(smallest.constraints.size() == 1);
        CHECK(smallest.nodes.size() <= 4);
    }
}

TEST_CASE("a failing predicate is shrunk to one parameter")
{
    description const smallest = shrunk_failure([](description s) {
        std::erase_if(s.constraints, [](auto const& c) { return bool(c.test); });
        return chain_of_trees(std::move(s));
    });
    CAPTURE(attune_tests::to_text(smallest));
    CHECK(smallest.parameters.size() == 1);
    REQUIRE(smallest.constraints.size() == 1);
    CHECK(smallest.constraints[0].scope.size() == 1);
    CHECK(smallest.nodes.empty());
}

TEST_CASE("samples of a skewed tree are uniform, where drawing one value after the other is not")
{
    // a = 0 .. 8 leads to one leaf each, a = 9 to a hundred.
    attune_tests::space_writer w;
    w.range("a", 0, 9);
    w.range("b", 1, 100);
    w.where("b == 1 || a == 9");
    chain_of_trees const chain(w.out);
    REQUIRE(chain.size() == attune::leaf_count{109});
    constexpr int per_leaf = 50;
    auto const chi_square = [&](auto const& draw) {
        std::vector<int> drawn(109, 0);
        for (int i = 0; i < 109 * per_leaf; ++i)
            ++drawn[static_cast<std::size_t>(chain.index_of(draw())->leaf.front())];
        double sum = 0;
        for (int const n : drawn)
            sum += (n - per_leaf) * static_cast<double>(n - per_leaf) / per_leaf;
        return sum;
    };
    attune::random_engine engine(1);
    double const limit = 108 + 6 * std::sqrt(2.0 * 108); // six standard deviations
    CHECK(chi_square([&] { return chain.sample(engine); }) < limit);
    auto const child_wise = [&] {
        auto const at = static_cast<std::uint32_t>(attune::uniform_below(engine, 10));
        std::uint64_t const choices = at == 9 ? 100 : 1;
        return attune::point{
            {at, 0}, {static_cast<std::uint32_t>(attune::uniform_below(engine, choices)), 0}};
    };
    CHECK(chi_square(child_wise) > 10 * limit);
}
