// tests/core/posix/stay_loaded.cpp - a program itself. Libraries: tests/host/plugin.cpp
// SPDX-License-Identifier: MIT
#include <attune/core/posix/stay_loaded.hpp>

#include <doctest/doctest.h>

TEST_CASE("a program is no library that could be unloaded")
{
    attune::detail::keep_this_library_loaded();
    attune::detail::keep_this_library_loaded();
}
