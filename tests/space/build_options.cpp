// tests/space/build_options.cpp - limits of building are kept.
// SPDX-License-Identifier: MIT
#include <attune/space/build_options.hpp>

#include <attune/core/error.hpp>
#include <attune/space/build_pack.hpp>

#include <doctest/doctest.h>

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

TEST_CASE("a tree that needs more visits or nodes than allowed is refused by name")
{
    attune::build_options few_visits;
    few_visits.max_visits = 100;
    CHECK_THROWS_AS(static_cast<void>(with(few_visits)), attune::error);
    attune::build_options few_nodes;
    few_nodes.max_nodes = 10;
    try {
        static_cast<void>(with(few_nodes));
        FAIL("no error");
    } catch (attune::error const& e) {
        CHECK(std::string(e.what()).find("A * A + B * B != C * C") != std::string::npos);
    }
}
