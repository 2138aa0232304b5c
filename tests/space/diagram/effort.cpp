// tests/space/diagram/effort.cpp : mirrors attune/space/diagram/effort.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/space/diagram/effort.hpp>

#include <doctest/doctest.h>

using attune::detail::effort;

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
