// tests/core/version.cpp - the version is written once and reads the same everywhere.
// SPDX-License-Identifier: MIT
#include <attune/core/version.hpp>

#include <doctest/doctest.h>
#include <string>

TEST_CASE("the version's text is made of its three numbers")
{
    CHECK(std::string(attune::version) == std::to_string(ATTUNE_VERSION_MAJOR) + "." +
                                              std::to_string(ATTUNE_VERSION_MINOR) + "." +
                                              std::to_string(ATTUNE_VERSION_PATCH));
}

TEST_CASE("this compiler was told what attune needs")
{
    CHECK(__cplusplus >= 202002L);
    CHECK_THROWS_AS(throw 1, int);
}
