// tests/search/bayes/features/derived_column.cpp - tabulated or computed, a level is the same.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/features/derived_column.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/configurations.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

using attune::detail::derived_column;

namespace {

std::vector<attune::point> all_points(attune::chain_of_trees const& space)
{
    std::vector<attune::point> out;
    for (attune::point const& p : attune::configurations(space))
        out.push_back(p);
    return out;
}

} // namespace

TEST_CASE("levels are the numbers that occur, ascending, at every point")
{
    constexpr auto a = attune::integer<"A">(1, 12);
    constexpr auto b = attune::integer<"B">(1, 12);
    attune::chain_of_trees const space(
        attune::bind_inputs(attune::lower(attune::space(a, b).where(a * b <= 20).features(a * b))));
    attune::description const& d = space.describe();
    std::vector<attune::point> const seen = all_points(space);
    derived_column made(d, attune::detail::features_of_user(d)[0], seen, 60);
    // the products up to 20 of two numbers up to 12: all of 1 .. 20 but 13, 17 and 19
    CHECK(made.scale().places().size() == 17);
    CHECK_FALSE(made.is_rounded());
    REQUIRE(made.seen_levels().size() == seen.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
        CHECK(made.level_at(seen[i]) == made.seen_levels()[i]);
        std::uint32_t const product = (seen[i][0].index + 1) * (seen[i][1].index + 1);
        std::uint32_t skipped = 0;
        for (std::uint32_t const never : {13U, 17U, 19U})
            skipped += product > never ? 1U : 0U;
        CHECK(made.level_at(seen[i]) == product - 1 - skipped);
    }
    made.forget_seen();
    CHECK(made.seen_levels().empty());
    CHECK(made.level_at(seen[0]) == 0);
}

TEST_CASE("a formula over too many settings for a table gives the same levels as a table")
{
    // The sums do not depend on C, but reading it makes 12 * 12 * 100 settings.
    constexpr auto a = attune::integer<"A">(1, 12);
    constexpr auto b = attune::integer<"B">(1, 12);
    constexpr auto c = attune::integer<"C">(0, 99);
    attune::chain_of_trees const space(
        attune::bind_inputs(attune::lower(attune::space(a, b, c).features(a + b, a + b + c * 0))));
    attune::description const& d = space.describe();
    auto const formulas = attune::detail::features_of_user(d);
    std::vector<attune::point> const seen = all_points(space);
    derived_column const tabled(d, formulas[0], seen, 60);
    derived_column const computed(d, formulas[1], seen, 60);
    CHECK(tabled.seen_levels() == computed.seen_levels());
    CHECK(tabled.scale().places() == computed.scale().places());
    for (std::size_t i = 0; i < seen.size(); i += 97)
        CHECK(tabled.level_at(seen[i]) == computed.level_at(seen[i]));
}

TEST_CASE("values without a number count as the lowest level")
{
    constexpr auto a = attune::integer<"A">(0, 3);
    constexpr auto b = attune::ordinal<"B">(attune::values(6, 12));
    attune::chain_of_trees const space(
        attune::bind_inputs(attune::lower(attune::space(a, b).features(b / a))));
    attune::description const& d = space.describe();
    derived_column const made(d, attune::detail::features_of_user(d)[0], all_points(space), 60);
    // 6, 3, 2 and 12, 6, 4
    CHECK(made.scale().places().size() == 5);
    CHECK(made.level_at(attune::point{{0, 0}, {0, 0}}) == 0);
    CHECK(made.level_at(attune::point{{3, 0}, {0, 0}}) == 0);
    CHECK(made.level_at(attune::point{{1, 0}, {1, 0}}) == 4);
}

TEST_CASE("a formula that never has a value is one level")
{
    constexpr auto a = attune::integer<"A">(1, 3);
    attune::chain_of_trees const space(
        attune::bind_inputs(attune::lower(attune::space(a).features(1 / (a - a)))));
    attune::description const& d = space.describe();
    derived_column const made(d, attune::detail::features_of_user(d)[0], all_points(space), 60);
    CHECK(made.scale().places().size() == 1);
    CHECK(made.level_at(attune::point{{2, 0}}) == 0);
}
