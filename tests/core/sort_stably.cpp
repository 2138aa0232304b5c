// tests/core/sort_stably.cpp - the order is that of an insertion sort.
// SPDX-License-Identifier: MIT
#include <attune/core/sort_stably.hpp>

#include <attune/core/random.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <utility>
#include <vector>

TEST_CASE("equal elements keep their order, as by insertion")
{
    attune::random_engine engine(5);
    auto const by_key = [](auto const& a, auto const& b) { return a.first > b.first; };
    for (std::size_t n = 0; n < 200; ++n) {
        std::vector<std::pair<std::size_t, std::size_t>> is;
        for (std::size_t i = 0; i < n; ++i)
            is.emplace_back(attune::uniform_below(engine, 1 + n / 4), i);
        std::vector<std::pair<std::size_t, std::size_t>> should;
        for (auto const& one : is) {
            std::size_t at = should.size();
            while (at > 0 && by_key(one, should[at - 1]))
                --at;
            should.insert(should.begin() + static_cast<std::ptrdiff_t>(at), one);
        }
        attune::detail::sort_stably(is, by_key);
        CHECK(is == should);
    }
}

TEST_CASE("elements that only move are sorted")
{
    std::vector<std::unique_ptr<int>> all;
    for (int const value : {3, 1, 2})
        all.push_back(std::make_unique<int>(value));
    attune::detail::sort_stably(all, [](auto const& a, auto const& b) { return *a < *b; });
    CHECK(*all[0] == 1);
    CHECK(*all[2] == 3);
}
