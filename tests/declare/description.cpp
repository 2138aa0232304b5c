// tests/declare/description.cpp - the run-time form counts its values and finds its names.
// SPDX-License-Identifier: MIT
#include <attune/declare/description.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>

using attune::description;
using attune::number;
using attune::parameter_description;
using attune::parameter_kind;

TEST_CASE("a number is an integer or a real and compares as what it is")
{
    CHECK(number::of(std::int64_t{3}).as_real() == 3.0);
    CHECK(number::of(2.5).as_real() == 2.5);
    CHECK(number::of(std::int64_t{3}) == number::of(std::int64_t{3}));
    CHECK(number::of(std::int64_t{3}) != number::of(3.0));
    double const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(number::of(nan) == number::of(nan));
    CHECK(number::of(nan) != number::of(3.0));
}

TEST_CASE("a permutation of n items has n! values")
{
    std::uint32_t factorial = 1;
    for (std::uint32_t n = 1; n <= 12; ++n) {
        factorial *= n;
        parameter_description p;
        p.kind = parameter_kind::permutation;
        p.parts = n;
        CHECK(p.value_count() == factorial);
    }
}

TEST_CASE("a parameter has as many values as its table has entries")
{
    parameter_description p;
    p.kind = parameter_kind::ordinal;
    CHECK(p.value_count() == 0);
    p.integers = {1, 2, 4};
    CHECK(p.value_count() == 3);

    parameter_description reals;
    reals.kind = parameter_kind::ordinal;
    reals.reals = {0.5, 1.5};
    CHECK(reals.value_count() == 2);

    parameter_description labels;
    labels.kind = parameter_kind::categorical;
    labels.labels = {"a", "b", "c", "d"};
    CHECK(labels.value_count() == 4);

    parameter_description boolean;
    boolean.kind = parameter_kind::boolean;
    CHECK(boolean.value_count() == 2);

    parameter_description tile;
    tile.kind = parameter_kind::tile;
    tile.parts = 3;
    tile.integers = {1, 1, 2, 1, 2, 1, 2, 1, 1};
    CHECK(tile.value_count() == 3);

    parameter_description real;
    real.kind = parameter_kind::real;
    real.high = 1;
    CHECK(real.value_count() == 0);
}

TEST_CASE("parameters and inputs are found by name, and only by the whole name")
{
    description space;
    for (char const* name : {"TILE", "TILE_M"}) {
        space.parameters.emplace_back();
        space.parameters.back().name = name;
        space.inputs.emplace_back();
        space.inputs.back().name = name;
    }
    CHECK(space.find_parameter("TILE") == 0);
    CHECK(space.find_parameter("TILE_M") == 1);
    CHECK(space.find_parameter("TIL") == attune::no_index);
    CHECK(space.find_input("TILE_M") == 1);
    CHECK(space.find_input("") == attune::no_index);
}
