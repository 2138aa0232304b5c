// tests/space/build_options.cpp - limits of building are kept.
// SPDX-License-Identifier: MIT
#include <attune/space/build_options.hpp>

#include <attune/core/error.hpp>
#include <attune/space/build_pack.hpp>

#include <doctest/doctest.h>

#include "../support/texts.hpp"

using attune_test::error_of;
using attune_test::has;

namespace {

inline constexpr auto a = attune::integer<"A">(1, 60);
inline constexpr auto b = attune::integer<"B">(1, 60);
inline constexpr auto c = attune::integer<"C">(1, 60);
inline constexpr auto wide = attune::space(a, b, c).where(a * a + b * b != c * c);

attune::chain_of_trees with(attune::build_options const& options)
{
    return attune::chain_of_trees{attune::bind_inputs(attune::lower(wide)), options};
}

} // namespace

TEST_CASE("the default limits build a space of 216,000 points less its Pythagorean triples")
{
    std::uint64_t valid = 0;
    for (int x = 1; x <= 60; ++x)
        for (int y = 1; y <= 60; ++y)
            for (int z = 1; z <= 60; ++z)
                valid += x * x + y * y != z * z ? 1U : 0U;
    CHECK(static_cast<std::uint64_t>(with({}).size().value()) == valid);
}

TEST_CASE("a tree that needs more visits or bytes than allowed is refused by name, if so wished")
{
    attune::build_options few_visits;
    few_visits.wide = attune::when_wide::refuse;
    few_visits.max_visits = 100;
    CHECK_THROWS_AS(static_cast<void>(with(few_visits)), attune::error);
    attune::build_options few_bytes;
    few_bytes.wide = attune::when_wide::refuse;
    few_bytes.max_bytes = 1000;
    CHECK(has(error_of([&] { static_cast<void>(with(few_bytes)); }), "A * A + B * B != C * C"));
}

TEST_CASE("otherwise there is a space without that tree, and it says so")
{
    attune::build_options few_bytes;
    few_bytes.max_bytes = 1000;
    attune::chain_of_trees const chain = with(few_bytes);
    CHECK_FALSE(chain.is_exact());
    CHECK_FALSE(chain.size());
}
