// tests/search/bayes/features/derived.cpp - constraints name the quantities that matter.
// SPDX-License-Identifier: MIT
#include <attune/search/bayes/features/derived.hpp>

#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

using attune::description;
using attune::detail::derivation;
using attune::detail::derived_feature;

namespace {

constexpr auto a = attune::ordinal<"A">(attune::values(1, 2, 4, 8));
constexpr auto b = attune::ordinal<"B">(attune::values(0, 2, 3, 6));
constexpr auto c = attune::ordinal<"C">(attune::values(16, 24, 32));
constexpr auto on = attune::boolean<"ON">();
constexpr auto mode = attune::categorical<"MODE">("slow", "fast");
constexpr auto n = attune::input<"N", int>();

template <class... C>
description with(C const&... constraints)
{
    return attune::bind_inputs(
        attune::lower(attune::space(a, b, c, on, mode).where(constraints...)),
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
    CHECK(found(a * c <= 64) == texts{"A * C"});
    CHECK(found(a <= c) == texts{});
    CHECK(found(a + 1 <= 2 * c) == texts{"A + 1", "2 * C"});
    CHECK(found(4 * a * b + c < n) == texts{"4 * A * B + C"});
}

TEST_CASE("a constraint over one varying parameter has no sides to offer")
{
    CHECK(found(2 * a <= 8).empty());
    description const space = with(a * c <= 64);
    CHECK(attune::detail::features_of_constraints(space, {true, true, false, true, true}).empty());
}

TEST_CASE("comparisons inside and, or, not and select are found, each feature once")
{
    CHECK(found(!on || a * c <= 64) == texts{"A * C"});
    CHECK(found(a * c >= 2 && (a * c <= 64 || b + c < 30)) == texts{"A * C", "B + C"});
    CHECK(found(attune::select(on, a * b, c) <= 16) == texts{"select(ON, A * B, C)"});
}

TEST_CASE("a remainder is a ratio between two parameters and a flag of one")
{
    CHECK(found(c % a == 0) == texts{"C / A"});
    CHECK(found((a * b) % c == 0) == texts{"A * B / C"});
    CHECK(found(c % (a * b) == 0) == texts{"C / (A * B)"});
    CHECK(found(on || c % 32 == 0) == texts{"C % 32 != 0"});
    CHECK(found(n % a == 0) == texts{"N % A != 0"});
}

TEST_CASE("texts and predicates have no features")
{
    CHECK(found(mode == "fast" || on).empty());
    CHECK(found(attune::predicate(a, b, [](int x, int y) { return x != y; })).empty());
}

TEST_CASE("features of the user keep their order and text")
{
    description const space = attune::lower(attune::space(a, b, c).features(a * b, c > 16));
    auto const features = attune::detail::features_of_user(space);
    CHECK(names(features) == texts{"A * B", "C > 16"});
    CHECK(features[0].scope == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("alignment is asked of positive whole numbers that are not all powers of two")
{
    constexpr auto odd = attune::integer<"ODD">(1, 9);
    constexpr auto scales = attune::ordinal<"SCALE">(attune::values(0.5, 3.0));
    description const space =
        attune::bind_inputs(attune::lower(attune::space(a, b, c, odd, scales, on)));
    auto const all = attune::detail::features_of_alignment(space, std::vector<bool>(6, true));
    CHECK(names(all) == texts{"alignment of C", "alignment of ODD"});
    auto const one =
        attune::detail::features_of_alignment(space, {true, true, false, true, true, true});
    CHECK(names(one) == texts{"alignment of ODD"});
}

TEST_CASE("values are those of the formulas, and nothing where there is none")
{
    description const space = with(c % (a * b) == 0, on || c % 32 == 0, a * c <= 64);
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
