// tests/space/conditions/over_reals.cpp : mirrors include/attune/space/conditions/over_reals.hpp, which it includes first
// SPDX-License-Identifier: MIT
#include <attune/space/conditions/over_reals.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "../space_generator.hpp"
#include "../space_writer.hpp"

using attune::op;
using attune::point;
using attune_tests::space_writer;

namespace {

/// x in [0, 1], required to be below `bound`.
space_writer below(double bound)
{
    space_writer w;
    auto const x = w.real("x", 0, 1);
    w.require(w.join(op::less, w.read(x), w.literal(2.0)), "x < 2");
    w.require(w.join(op::less, w.read(x), w.literal(bound)), "x < bound");
    return w;
}

std::string refusal(space_writer const& w)
{
    attune::detail::real_part const part(w.out, attune::detail::conditions_of(w.out));
    attune::random_engine engine(1);
    point at(1);
    try {
        part.require_acceptance(w.out, at, [&] { at[0].real = attune::uniform_unit(engine); });
    } catch (attune::error const& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("a point is accepted inside its intervals where all conditions hold")
{
    space_writer const w = below(0.5);
    attune::detail::real_part const part(w.out, attune::detail::conditions_of(w.out));
    CHECK(part.parameters == std::vector<std::uint32_t>{0});
    CHECK(part.accepts(w.out, point{{0, 0.25}}));
    CHECK_FALSE(part.accepts(w.out, point{{0, 0.75}}));
    CHECK_FALSE(part.accepts(w.out, point{{0, -0.25}}));
}

TEST_CASE("conditions that accept next to nothing are refused, the worst one named")
{
    CHECK(refusal(below(0.5)).empty());
    CHECK(refusal(below(1e-3)).empty());
    std::string const text = refusal(below(1e-6));
    CHECK(text.find("x < bound") != std::string::npos);
    CHECK(text.find("x < 2") == std::string::npos);
}

TEST_CASE("a coordinate is inside when its parameter has such a value")
{
    space_writer w;
    w.range("a", 5, 7);
    w.real("x", 1, 2);
    CHECK(attune::detail::is_inside(w.out.parameters[0], {2, 0}));
    CHECK_FALSE(attune::detail::is_inside(w.out.parameters[0], {3, 0}));
    CHECK(attune::detail::is_inside(w.out.parameters[1], {0, 2}));
    CHECK_FALSE(attune::detail::is_inside(w.out.parameters[1], {0, 2.5}));
}
