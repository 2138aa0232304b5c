// tests/tune/dispatch/served/shape_register.cpp - shapes are found again, also while others are added.
// SPDX-License-Identifier: MIT
#include <attune/tune/dispatch/served/shape_register.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <set>
#include <thread>
#include <vector>

using key = std::array<std::int64_t, 3>;

namespace {

attune::detail::known_shape& insert(attune::detail::shape_table& table, key const& k)
{
    return table.insert(attune::detail::hash_of_shape(k), k);
}

} // namespace

TEST_CASE("10,000 shapes are found, and none that was not inserted: a set as second opinion")
{
    attune::detail::shape_table table;
    std::mt19937_64 random(1);
    std::set<key> all;
    while (all.size() < 10'000) {
        key const k{static_cast<std::int64_t>(random() % 40),
                    static_cast<std::int64_t>(random() % 40),
                    static_cast<std::int64_t>(random() % 40) - 20};
        CHECK((table.find(k) != nullptr) == all.contains(k));
        if (all.insert(k).second) insert(table, k).calls = static_cast<std::uint32_t>(all.size());
    }
    CHECK(table.shapes().size() == all.size());
    for (key const& k : all) {
        auto const* const met = table.find(k);
        REQUIRE(met != nullptr);
        CHECK(std::equal(k.begin(), k.end(), met->key.begin()));
    }
    CHECK(table.find(key{41, 0, 0}) == nullptr);
}

TEST_CASE("a shape without words is one shape")
{
    attune::detail::shape_table table;
    std::array<std::int64_t, 0> const none{};
    CHECK(table.find(none) == nullptr);
    table.insert(attune::detail::hash_of_shape(none), none);
    CHECK(table.find(none) != nullptr);
}

TEST_CASE("equal hashes of different shapes are told apart")
{
    attune::detail::shape_table table;
    key const one{1, 2, 3};
    key const other{1, 2, 4};
    table.insert(7, one).calls = 1;
    table.insert(7, other).calls = 2;
    CHECK(table.find(7, one)->calls == 1);
    CHECK(table.find(7, other)->calls == 2);
    CHECK(table.find(7, key{0, 0, 0}) == nullptr);
}

TEST_CASE("threads look while one inserts: what was there stays where it is")
{
    attune::detail::shape_table table;
    auto* const first = &insert(table, {0, 0, 0});
    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> last{0};
    std::atomic<int> lost{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i)
        readers.emplace_back([&] {
            while (!stop) {
                std::int64_t const n = last.load(std::memory_order_acquire);
                if (table.find(key{n, 0, 0}) == nullptr) ++lost;
                if (table.find(key{0, 0, 0}) != first) ++lost;
            }
        });
    for (std::int64_t n = 1; n < 20'000; ++n) {
        insert(table, {n, 0, 0});
        last.store(n, std::memory_order_release);
    }
    stop = true;
    for (std::thread& t : readers)
        t.join();
    CHECK(lost == 0);
}

TEST_CASE("calls belong to the code that served the shape when they were made")
{
    attune::detail::shape_register all;
    attune::detail::installed_variant const first{};
    attune::detail::installed_variant const second{};
    attune::detail::known_shape& shape = *all.meet(key{4, 0, 0}).shape;
    auto const calls = [&](int count) {
        for (int i = 0; i < count; ++i)
            static_cast<void>(shape.count());
    };
    all.serve(&shape, first);
    calls(3);
    all.serve(&shape, second);
    all.set_best(&shape, second, 0);
    calls(20);
    shape.took(second, 0.5);
    shape.took(first, 0.1); // it serves no more
    all.withdraw(second);
    all.count({.shape = &shape}, first, 2);
    all.count({.shape = nullptr, .best = &second}, second, 4);
    all.count({}, first, 1);
    std::vector<attune::detail::shape_word> const layout(3);
    attune::call_coverage const seen = all.coverage(layout);
    CHECK(seen.calls == 26);
    CHECK(seen.by_winner == 21);
    CHECK(seen.winner_s == 20 * 0.5 + 4);
    CHECK(seen.seconds == 4 * 2 + 20 * 0.5 + 4 + 1);
    REQUIRE(seen.rest.size() == 2);
    CHECK(seen.rest[0].calls == 4);
    CHECK(seen.rest[0].seconds == 8);
    CHECK(seen.rest[1].calls == 1);
}

TEST_CASE("the calls of all problems together are all calls")
{
    attune::detail::shape_register all;
    attune::detail::installed_variant const code{}, other{};
    std::vector<attune::detail::shape_word> const layout(3);
    for (std::int64_t i = 0; i < 100; ++i) {
        auto const problem = static_cast<std::uint32_t>(i % 7);
        auto* const shape = all.meet(key{i, 0, 0}).shape;
        all.count({shape, &code, problem}, i % 3 == 0 ? other : code, 1);
        if (i % 5 == 0) all.set_best(shape, code, 0); // its problem stays
    }
    all.count({}, code, 1); // of an unknown problem, like those of number 0
    attune::call_coverage const whole = all.coverage(layout);
    CHECK(whole.calls == 101);
    auto const parts = all.coverages(layout, 99);
    CHECK(parts.size() == 7);
    attune::call_coverage sum;
    for (attune::detail::counted_problem const& one : parts) {
        sum.calls += one.coverage.calls;
        sum.by_winner += one.coverage.by_winner;
        sum.seconds += one.coverage.seconds;
        sum.more_shapes += one.coverage.more_shapes + one.coverage.rest.size();
    }
    CHECK(sum.calls == whole.calls);
    CHECK(sum.by_winner == whole.by_winner);
    CHECK(sum.seconds == whole.seconds);
    CHECK(sum.more_shapes == whole.more_shapes + whole.rest.size());
    auto const most = all.coverages(layout, 2);
    REQUIRE(most.size() == 2);
    CHECK(most[0].coverage.calls == 16);
}
