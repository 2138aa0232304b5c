// tests/compile/clang/abi.cpp - the C interface between attune and its Clang module.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang/abi.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <type_traits>

TEST_CASE("what crosses the module's border is plain C data")
{
    CHECK(std::is_trivial_v<attune_clang_request>);
    CHECK(std::is_trivial_v<attune_clang_reply>);
    CHECK(std::is_trivial_v<attune_clang_functions>);
    CHECK(std::is_standard_layout_v<attune_clang_reply>);
}

TEST_CASE("the version stands first, so that modules of other versions can be told")
{
    CHECK(offsetof(attune_clang_functions, abi_version) == 0);
}
