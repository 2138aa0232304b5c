// tests/package/libraries/both.kernel.cpp - a kernel that each library has with FLAGS of its own.
// SPDX-License-Identifier: MIT
#include <attune/tunable.hpp>

#include <span>

#ifndef FACTOR
#define FACTOR 1
#endif

void both(std::span<int> x)
{
    for (int& one : x)
        one *= FACTOR * ATTUNE_TUNABLE(STEP, 1);
}
