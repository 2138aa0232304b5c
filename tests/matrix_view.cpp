// tests/matrix_view.cpp - a kernel file that takes views compiles by itself.
// SPDX-License-Identifier: MIT
#include <attune/matrix_view.hpp>

#include <doctest/doctest.h>

namespace {

void scale(attune::matrix_view<float const> a, attune::matrix_view<float> b)
{
    for (decltype(a.rows()) i = 0; i < a.rows(); ++i)
        for (decltype(a.rows()) j = 0; j < a.columns(); ++j)
            b(i, j) = 2 * a(i, j);
}

} // namespace

TEST_CASE("a kernel file compiled into the program reads views")
{
    float a[] = {1, 2, -1, 3, 4, -1};
    float b[4] = {};
    scale({a, 2, 2, 3}, {b, 2, 2});
    CHECK(b[3] == 8);
    CHECK(b[1] == 4);
}
