// tests/space/build_pack.cpp - from a declaration to its configurations.
// SPDX-License-Identifier: MIT
#include <attune/space/build_pack.hpp>

#include <attune/core/error.hpp>
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/pack.hpp>
#include <attune/declare/parameters.hpp>

#include <doctest/doctest.h>
#include <set>
#include <utility>

#include "../support/texts.hpp"

using attune_test::error_of;
using attune_test::has;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto a = attune::ordinal<"A">(attune::range(1, 6));
constexpr auto b = attune::ordinal<"B">(attune::range(1, 6));

/// Counted one by one, with the constraint written a second time.
template <class Valid>
std::uint64_t brute_count(Valid valid)
{
    std::uint64_t out = 0;
    for (int x = 1; x <= 6; ++x)
        for (int y = 1; y <= 6; ++y)
            out += valid(x, y) ? 1U : 0U;
    return out;
}

} // namespace

TEST_CASE("a built space has exactly the configurations that keep the constraints")
{
    auto const all = attune::build(attune::space(a, b).where(a * b <= 12, a % b == 0));
    std::uint64_t const want = brute_count([](int x, int y) { return x * y <= 12 && x % y == 0; });
    REQUIRE(all.size());
    CHECK(static_cast<std::uint64_t>(*all.size()) == want);
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::uint64_t i = 0; i < want; ++i)
        seen.emplace(all.at(i)[0].index, all.at(i)[1].index);
    CHECK(seen.size() == want);
}

TEST_CASE("the value of an input decides what is valid")
{
    constexpr auto space = attune::space(a, b).where(n % (a * b) == 0);
    for (int value : {1, 6, 12, 36}) {
        auto const all = attune::build(space, {n(value)});
        std::uint64_t const want = brute_count([&](int x, int y) { return value % (x * y) == 0; });
        CHECK(static_cast<std::uint64_t>(*all.size()) == want);
    }
}

TEST_CASE("an input without a value is named")
{
    CHECK(has(error_of([] { (void)attune::build(attune::space(a).where(a <= n)); }), "input N"));
}

TEST_CASE("an empty space names the constraint nothing can keep")
{
    CHECK(has(error_of([] { (void)attune::build(attune::space(a, b).where(a + b > 100)); }),
              "A + B > 100"));
}
