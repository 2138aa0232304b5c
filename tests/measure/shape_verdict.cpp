// tests/measure/shape_verdict.cpp - what is known before anything is.
// SPDX-License-Identifier: MIT
#include <attune/measure/bench.hpp>

#include <doctest/doctest.h>

TEST_CASE("a verdict that nothing was decided for lets no variant serve")
{
    attune::shape_verdict const none{};
    CHECK(none.how == attune::shape_verdict::ending::unknown);
    CHECK(none.executions == 0);
}
