// tests/space/diagram/key_table.cpp : mirrors attune/space/diagram/key_table.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/key_table.hpp>

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <map>

#include "../space_generator.hpp"

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
