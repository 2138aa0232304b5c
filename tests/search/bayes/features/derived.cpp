// tests/search/bayes/features/derived.cpp - constraints name the quantities that matter.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/features/derived.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/space/build_pack.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/configurations.hpp>

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using attune::description;
using attune::detail::derivation;
using attune::detail::derived_feature;

namespace {

constexpr auto pa = attune::ordinal<"A">(attune::values(1, 2, 4, 8));
constexpr auto pb = attune::ordinal<"B">(attune::values(0, 2, 3, 6));
constexpr auto pc = attune::ordinal<"C">(attune::values(16, 24, 32));
constexpr auto on = attune::boolean<"ON">();
constexpr auto mode = attune::categorical<"MODE">("slow", "fast");
constexpr auto n = attune::input<"N", int>();

template <class... C>
description with(C const&... constraints)
{
    return attune::bind_inputs(
        attune::lower(attune::space(pa, pb, pc, on, mode).where(constraints...)),
        {attune::input_value("N", attune::number::of(std::int64_t{100}))});
}

std::vector<std::string> names(std::vector<derived_feature> const& features)
{
    std::vector<std::string> out;
    for (derived_feature const& f : features)
        out.push_back(f.name);
    return out;
}
template <class... C>
std::vector<std::string> found(C const&... constraints)
{
    return names(
        attune::detail::features_of_constraints(with(constraints...), std::vector<bool>(5, true)));
}
using texts = std::vector<std::string>;

} // namespace

TEST_CASE("the sides of a comparison between two parameters are features, plain ones are not")
{
    CHECK(found(pa * pc <= 64) == texts{"A * C"});
    CHECK(found(pa <= pc) == texts{});
    CHECK(found(pa + 1 <= 2 * pc) == texts{"A + 1", "2 * C"});
    CHECK(found(4 * pa * pb + pc < n) == texts{"4 * A * B + C"});
}

TEST_CASE("a constraint over one varying parameter has no sides to offer")
{
    CHECK(found(2 * pa <= 8).empty());
    description const space = with(pa * pc <= 64);
    CHECK(attune::detail::features_of_constraints(space, {true, true, false, true, true}).empty());
}

TEST_CASE("comparisons inside and, or, not and select are found, each feature once")
{
    CHECK(found(!on || pa * pc <= 64) == texts{"A * C"});
    CHECK(found(pa * pc >= 2 && (pa * pc <= 64 || pb + pc < 30)) == texts{"A * C", "B + C"});
    CHECK(found(attune::select(on, pa * pb, pc) <= 16) == texts{"select(ON, A * B, C)"});
}

TEST_CASE("a remainder is a ratio between two parameters and a flag of one")
{
    CHECK(found(pc % pa == 0) == texts{"C / A"});
    CHECK(found((pa * pb) % pc == 0) == texts{"A * B / C"});
    CHECK(found(pc % (pa * pb) == 0) == texts{"C / (A * B)"});
    CHECK(found(on || pc % 32 == 0) == texts{"C % 32 != 0"});
    CHECK(found(n % pa == 0) == texts{"N % A != 0"});
}

TEST_CASE("texts and predicates have no features")
{
    CHECK(found(mode == "fast" || on).empty());
    CHECK(found(attune::predicate(pa, pb, [](int x, int y) { return x != y; })).empty());
}

TEST_CASE("features of the user keep their order and text")
{
    description const space = attune::lower(attune::space(pa, pb, pc).features(pa * pb, pc > 16));
    auto const features = attune::detail::features_of_user(space);
    CHECK(names(features) == texts{"A * B", "C > 16"});
    CHECK(features[0].scope == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("alignment is asked of positive whole numbers that are not all powers of two")
{
    constexpr auto odd = attune::integer<"ODD">(1, 9);
    constexpr auto scales = attune::ordinal<"SCALE">(attune::values(0.5, 3.0));
    description const space =
        attune::bind_inputs(attune::lower(attune::space(pa, pb, pc, odd, scales, on)));
    auto const all = attune::detail::features_of_alignment(space, std::vector<bool>(6, true));
    CHECK(names(all) == texts{"alignment of C", "alignment of ODD"});
    auto const one =
        attune::detail::features_of_alignment(space, {true, true, false, true, true, true});
    CHECK(names(one) == texts{"alignment of ODD"});
}

TEST_CASE("values are those of the formulas, and nothing where there is none")
{
    description const space = with(pc % (pa * pb) == 0, on || pc % 32 == 0, pa * pc <= 64);
    auto const features =
        attune::detail::features_of_constraints(space, std::vector<bool>(5, true));
    REQUIRE(names(features) == texts{"C / (A * B)", "C % 32 != 0", "A * C"});
    // A = 4, B = 6, C = 24
    attune::point const p{{2, 0}, {3, 0}, {1, 0}, {0, 0}, {0, 0}};
    CHECK(attune::detail::value_of(space, features[0], p) == 1.0);
    CHECK(attune::detail::value_of(space, features[1], p) == 1.0);
    CHECK(attune::detail::value_of(space, features[2], p) == 96.0);
    // B = 0: no ratio
    attune::point const zero{{2, 0}, {0, 0}, {2, 0}, {0, 0}, {0, 0}};
    CHECK_FALSE(attune::detail::value_of(space, features[0], zero));
    CHECK(attune::detail::value_of(space, features[1], zero) == 0.0);
    auto const aligned = attune::detail::features_of_alignment(space, std::vector<bool>(5, true));
    CHECK(attune::detail::value_of(space, aligned[0], p) == 3.0); // 24 = 8 * 3
}

TEST_CASE("a formula that overflows or is not finite has no value")
{
    constexpr auto huge = attune::ordinal<"HUGE">(attune::values(1L, 1L << 40));
    constexpr auto tiny = attune::real<"TINY">(1e-320, 1.0);
    description const space = attune::bind_inputs(
        attune::lower(attune::space(huge, tiny).features(huge * huge, 1e10 / tiny)));
    auto const features = attune::detail::features_of_user(space);
    attune::point const p{{1, 0}, {0, 1e-320}};
    CHECK_FALSE(attune::detail::value_of(space, features[0], p));
    CHECK_FALSE(attune::detail::value_of(space, features[1], p));
}

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
    attune::chain_of_trees const space =
        attune::build(attune::space(a, b).where(a * b <= 20).features(a * b));
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
    attune::chain_of_trees const space =
        attune::build(attune::space(a, b, c).features(a + b, a + b + c * 0));
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
    attune::chain_of_trees const space = attune::build(attune::space(a, b).features(b / a));
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
    attune::chain_of_trees const space = attune::build(attune::space(a).features(1 / (a - a)));
    attune::description const& d = space.describe();
    derived_column const made(d, attune::detail::features_of_user(d)[0], all_points(space), 60);
    CHECK(made.scale().places().size() == 1);
    CHECK(made.level_at(attune::point{{2, 0}}) == 0);
}

using attune::detail::follows;
using attune::detail::repeats;
using levels = std::vector<std::uint32_t>;

namespace {

bool repeat(levels const& a, levels const& b, bool a_ordered = true, bool b_ordered = true)
{
    bool const one = repeats({a, 5, a_ordered}, {b, 5, b_ordered});
    CHECK(one == repeats({b, 5, b_ordered}, {a, 5, a_ordered}));
    return one;
}

} // namespace

TEST_CASE("equal, renumbered and reversed levels repeat")
{
    CHECK(repeat({0, 1, 2, 1}, {0, 1, 2, 1}));
    CHECK(repeat({0, 1, 2, 1}, {1, 3, 4, 3}));
    CHECK(repeat({0, 1, 2, 1}, {4, 2, 0, 2}));
}

TEST_CASE("another order of three groups is another feature, of two groups it is not")
{
    CHECK_FALSE(repeat({0, 1, 2}, {1, 0, 2}));
    CHECK(repeat({0, 1, 1, 0}, {3, 0, 0, 3}));
    CHECK_FALSE(repeat({0, 1, 2}, {0, 1, 2}, true, false));
    CHECK(repeat({0, 1, 0}, {0, 1, 0}, true, false));
}

TEST_CASE("a coarser, a finer and an unrelated grouping are other features")
{
    CHECK_FALSE(repeat({0, 1, 2, 3}, {0, 0, 1, 1}));
    CHECK_FALSE(repeat({0, 1, 0, 1}, {0, 0, 1, 1}));
}

TEST_CASE("levels follow a line when they only rise or only fall along it")
{
    std::vector<double> const line{0.9, 0.1, 0.5, 0.1};
    CHECK(follows(levels{2, 0, 1, 0}, line));
    CHECK(follows(levels{0, 3, 3, 3}, line));
    CHECK(follows(levels{1, 1, 1, 1}, line));
    CHECK_FALSE(follows(levels{1, 0, 2, 0}, line));
    CHECK_FALSE(follows(levels{2, 0, 1, 1}, line)); // differ where the line is equal
}
