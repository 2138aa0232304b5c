// tests/declare/nest/nest_description.cpp - what is equal in a description of a program.
// SPDX-License-Identifier: MIT
#include <attune/declare/nest/nest_description.hpp>

#include <doctest/doctest.h>

TEST_CASE("indices are equal where their functions are, and extents where their numbers are")
{
    attune::affine_index const strided{{{0, 2}, {3, 1}}, -1};
    CHECK(strided == attune::affine_index{{{0, 2}, {3, 1}}, -1});
    CHECK(strided != attune::affine_index{{{0, 2}, {3, 1}}, 0});
    CHECK(strided != attune::affine_index{{{0, 1}, {3, 1}}, -1});
    attune::nest_access const plain{0, {strided}, false};
    CHECK(plain != attune::nest_access{0, {strided}, true});
    CHECK(attune::nest_extent{64} != attune::nest_extent{0, 1});
}
