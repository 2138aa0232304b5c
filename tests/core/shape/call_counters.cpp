// tests/core/shape/call_counters.cpp - one thread counts exactly, several count in rows of their own.
// SPDX-License-Identifier: MIT
#include <attune/core/shape/call_counters.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <thread>
#include <vector>

using counters = attune::detail::call_counters<16>;

TEST_CASE("one thread counts exactly")
{
    counters subject;
    std::array<std::uint64_t, counters::columns> expected{};
    std::mt19937 random(1);
    for (int i = 0; i < 10'000; ++i) {
        std::size_t const column = random() % counters::columns;
        ++expected[column];
        CHECK(subject.add(column) > 0);
    }
    for (std::size_t column = 0; column < counters::columns; ++column)
        CHECK(subject.sum(column) == expected[column]);
}

TEST_CASE("several threads lose at most the counts of threads that share a row")
{
    constexpr std::uint64_t of_each = 100'000;
    counters subject;
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&subject, t] {
            for (std::uint64_t i = 0; i < of_each; ++i) {
                static_cast<void>(subject.add(t));
                static_cast<void>(subject.add(8));
            }
        });
    threads.clear();
    for (std::size_t t = 0; t < 4; ++t)
        CHECK(subject.sum(t) == of_each);
    CHECK(subject.sum(8) >= of_each);
    CHECK(subject.sum(8) <= 4 * of_each);
}
