// tests/space/diagram/diagram.cpp : mirrors attune/space/diagram/diagram.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/diagram.hpp>

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <vector>

#include "../space_generator.hpp"

using attune::detail::always_node;
using attune::detail::diagram_store;
using attune::detail::effort;
using attune::detail::never_node;

namespace {

/// All 4^... truth functions of two levels of 2 and 3 values, by table of 6 answers.
std::uint32_t from_table(diagram_store& store, unsigned table)
{
    std::vector<std::uint32_t> top;
    for (unsigned a = 0; a < 2; ++a) {
        std::vector<std::uint32_t> bottom;
        for (unsigned b = 0; b < 3; ++b)
            bottom.push_back((table >> (3 * a + b)) & 1U);
        top.push_back(store.add(1, bottom));
    }
    return store.add(0, top);
}

} // namespace

TEST_CASE("every truth function has one node, and a conjunction is the node of its truth function")
{
    effort budget;
    diagram_store store({2, 3}, budget);
    std::vector<std::uint32_t> node;
    for (unsigned t = 0; t < 64; ++t)
        node.push_back(from_table(store, t));
    CHECK(node[0] == never_node);
    CHECK(node[63] == always_node);
    int wrong = 0;
    for (unsigned s = 0; s < 64; ++s)
        for (unsigned t = 0; t < 64; ++t) {
            wrong += (node[s] == node[t]) != (s == t);
            wrong += store.both(node[s], node[t]) != node[s & t];
        }
    CHECK(wrong == 0);
}

TEST_CASE("a level that decides nothing is left out")
{
    effort budget;
    diagram_store store({2, 3}, budget);
    std::uint32_t const node = from_table(store, 0b011011);
    CHECK(store.level(node) == 1);
    CHECK(store.child(node, 0, 1) == node);
    CHECK(store.child(node, 1, 1) == always_node);
    CHECK(store.child(node, 1, 2) == never_node);
    CHECK(store.level(always_node) == store.level_count());
}

TEST_CASE("what is stored and what is visited is taken from the budget")
{
    effort budget{100, 100, false};
    diagram_store store({2, 3}, budget);
    std::uint32_t const left = store.add(1, std::vector<std::uint32_t>{0, 1, 1});
    CHECK_FALSE(budget.is_spent);
    CHECK(budget.bytes < 100);
    CHECK(store.add(1, std::vector<std::uint32_t>{0, 1, 1}) == left);
    CHECK_FALSE(budget.is_spent);
    std::uint32_t const right = store.add(1, std::vector<std::uint32_t>{1, 1, 0});
    CHECK(budget.is_spent);
    CHECK(left != right);
    effort few{2, effort::unlimited, false};
    diagram_store other({2, 3}, few);
    std::uint32_t const a = other.add(1, std::vector<std::uint32_t>{0, 1, 1});
    std::uint32_t const b = other.add(1, std::vector<std::uint32_t>{1, 1, 0});
    static_cast<void>(other.both(a, b));
    CHECK(few.is_spent);
}

TEST_CASE("thousands of nodes stay apart")
{
    effort budget;
    diagram_store store({2000, 2, 2}, budget);
    std::vector<std::uint32_t> const top = [&] {
        std::vector<std::uint32_t> made;
        for (std::uint32_t i = 0; i < 2000; ++i)
            made.push_back(i % 2);
        return made;
    }();
    std::vector<std::uint32_t> seen;
    for (std::size_t i = 0; i < 300; ++i) {
        std::vector<std::uint32_t> row = top;
        row[i] = 1 - row[i];
        seen.push_back(store.add(0, row));
        CHECK(store.add(0, row) == seen.back());
    }
    CHECK(seen.back() == 2 + 299);
}

TEST_CASE("what is spent once stays spent, and nothing more is taken")
{
    effort left{10, 100, false};
    CHECK(left.spend_visits(10));
    CHECK(left.visits == 0);
    CHECK(left.spend_bytes(40));
    CHECK_FALSE(left.spend_visits(1));
    CHECK(left.is_spent);
    CHECK_FALSE(left.spend_bytes(1));
    CHECK(left.bytes == 60);
}

TEST_CASE("without limits nothing is ever spent")
{
    effort left;
    CHECK(left.spend_visits(1'000'000'000'000));
    CHECK(left.spend_bytes(1'000'000'000'000));
    CHECK_FALSE(left.is_spent);
}

TEST_CASE("keys are numbered in the order in which they come, equal ones alike")
{
    attune::detail::key_table<std::int64_t> table(2);
    std::map<std::array<std::int64_t, 2>, std::uint32_t> known;
    attune::random_engine engine(3);
    int wrong = 0;
    for (int i = 0; i < 5000; ++i) {
        std::array<std::int64_t, 2> key{};
        for (std::int64_t& word : key)
            word = static_cast<std::int64_t>(attune::uniform_below(engine, 60)) - 30;
        auto const [at, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(known.size()));
        auto const [number, fresh] = table.number_of(key);
        wrong += number != at->second || fresh != is_new;
    }
    CHECK(wrong == 0);
    CHECK(table.size() == known.size());
}

TEST_CASE("there is one key without words")
{
    attune::detail::key_table<std::uint32_t> table;
    CHECK(table.number_of({}).second);
    CHECK_FALSE(table.number_of({}).second);
    CHECK(table.size() == 1);
}
