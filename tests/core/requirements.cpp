// tests/core/requirements.cpp - the sentences themselves: compile_fail/old_language.cpp, no_exceptions.cpp.
// SPDX-License-Identifier: MIT
#include <attune/core/requirements.hpp>

#include <doctest/doctest.h>

TEST_CASE("this compiler was told what attune needs")
{
    CHECK(__cplusplus >= 202002L);
    CHECK_THROWS_AS(throw 1, int);
}
