// tests/space/rebuilt.cpp - chain_of_trees::rebuilt(): the same space for other inputs.
// SPDX-License-Identifier: MIT
#include <attune/core/error.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/tree/tree.hpp>

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "../laws/tree.hpp"
#include "space_generator.hpp"

using attune::chain_of_trees;
using attune::number;
using attune::op;
using attune_tests::space_writer;

namespace {

attune::input_value input(std::string name, std::int64_t v)
{
    return {std::move(name), number::of(v)};
}

chain_of_trees rebind(chain_of_trees const& built, std::vector<attune::input_value> const& inputs)
{
    return built.rebuilt(attune::bind_inputs(built.describe(), inputs));
}

/// Trees: {a, b} with a < b; {c, e} with c < e, c in 1 .. N; {d} with d * d < M; {f} free.
attune::description with_inputs()
{
    space_writer w;
    w.out.inputs.push_back({"N", attune::value_kind::integer, {}});
    w.out.inputs.push_back({"M", attune::value_kind::integer, {}});
    w.range("a", 1, 9);
    auto const c = w.range("c", 1, 1);
    for (char const* const name : {"b", "d", "e"})
        w.range(name, 1, 9);
    w.range("f", 1, 3);
    w.out.parameters[c].rule.bound_node = w.read(0, op::input);
    w.out.parameters[c].rule.first = 1;
    for (char const* const text : {"a < b", "c < e", "d * d < M"})
        w.where(text);
    return w.out;
}

chain_of_trees fresh(std::int64_t n, std::int64_t m)
{
    return chain_of_trees(attune::bind_inputs(with_inputs(), {input("N", n), input("M", m)}));
}

/// For each tree of `b`, whether it is the same object in `a`.
std::vector<bool> shared(chain_of_trees const& a, chain_of_trees const& b)
{
    std::vector<bool> out;
    for (std::size_t i = 0; i < b.tree_count(); ++i) {
        out.push_back(false);
        for (std::size_t j = 0; j < a.tree_count(); ++j)
            out.back() = out.back() || &a.tree_at(j) == &b.tree_at(i);
    }
    return out;
}

void check_same(chain_of_trees const& a, chain_of_trees const& b)
{
    REQUIRE(a.tree_count() == b.tree_count());
    REQUIRE(a.size() == b.size());
    std::size_t wrong = 0;
    for (std::uint64_t i = 0; i < *a.size(); ++i)
        wrong += a.at(i) != b.at(i) ? 1U : 0U;
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE("trees that do not read the changed input are the same objects")
{
    chain_of_trees const built = fresh(4, 30);
    REQUIRE(built.tree_count() == 4); // {a, b} {c, e} {d} {f}
    using flags = std::vector<bool>;
    chain_of_trees const more = rebind(built, {input("N", 6)});
    CHECK(shared(built, more) == flags{true, false, true, true});
    check_same(more, fresh(6, 30));
    chain_of_trees const less = rebind(more, {input("M", 5)});
    CHECK(shared(more, less) == flags{true, true, false, true});
    check_same(less, fresh(6, 5));
    chain_of_trees const same = rebind(less, {input("M", 5), input("N", 6)});
    CHECK(shared(less, same) == flags{true, true, true, true});
    check_same(same, less);
    chain_of_trees const both = rebind(same, {input("M", 30), input("N", 4)});
    CHECK(shared(same, both) == flags{true, false, false, true});
    check_same(both, built);
}

TEST_CASE("what is kept outlives the chain it was built for")
{
    chain_of_trees kept = [] { return rebind(fresh(4, 30), {input("N", 2)}); }();
    check_same(kept, fresh(2, 30));
}

TEST_CASE("a rebound space that is empty is refused, and the one it came from stays")
{
    chain_of_trees const built = fresh(4, 30);
    CHECK_THROWS_WITH_AS(static_cast<void>(rebind(built, {input("M", 1)})),
                         doctest::Contains("d * d < M"), attune::error);
    check_same(built, fresh(4, 30));
}

TEST_CASE("after a table changes, a rebuilt chain is the one built from nothing")
{
    attune_tests::space_generator generator(61);
    int tried = 0;
    int kept = 0;
    while (tried < 400) {
        attune::description const space = generator.draw();
        if (attune_tests::valid_settings(space).empty()) continue;
        attune::description changed = space;
        auto& table = changed.parameters[static_cast<std::size_t>(tried) % space.parameters.size()];
        if (table.integers.size() < 2 || table.type != attune::value_kind::integer) continue;
        table.integers.pop_back();
        if (attune_tests::valid_settings(changed).empty()) continue;
        CAPTURE(tried);
        ++tried;
        chain_of_trees const built(space);
        chain_of_trees const rebuilt = built.rebuilt(changed);
        chain_of_trees const anew(changed);
        check_same(rebuilt, anew);
        for (std::uint32_t c = 0; c < space.constraints.size(); ++c)
            CHECK(rebuilt.is_tested(c) == anew.is_tested(c));
        for (bool const one : shared(built, rebuilt))
            kept += one ? 1 : 0;
    }
    CHECK(kept >= 200);
}

TEST_CASE("real parameters and constraints over them follow the new values")
{
    space_writer w;
    w.out.inputs.push_back({"N", attune::value_kind::integer, {}});
    w.real("x", 0, 10);
    w.range("a", 1, 4);
    w.where("x * a < N");
    chain_of_trees const built(attune::bind_inputs(w.out, {input("N", 4)}));
    chain_of_trees const more = rebind(built, {input("N", 40)});
    attune::point const p{{0, 5}, {1, 0}};
    CHECK_FALSE(built.contains(p));
    CHECK(more.contains(p));
    CHECK(&more.tree_at(0) == &built.tree_at(0));
}
