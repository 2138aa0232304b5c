// tests/measure/sandbox/faults.hpp - what a fault is made by.
// SPDX-License-Identifier: MIT
#pragma once

#include "../../support/sanitized.hpp"

namespace attune_test {

ATTUNE_TEST_UNCHECKED inline void write_to(char volatile* where) { *where = 1; }

ATTUNE_TEST_UNCHECKED inline int divide(int dividend, int divisor)
{
    int const volatile unknown = divisor; // a compiler that knew it could leave the trap out
    return dividend / unknown;
}

ATTUNE_TEST_UNCHECKED inline int overflow_the_stack(int depth)
{
    char volatile frame[4096];
    frame[depth % 4096] = static_cast<char>(depth);
    return depth < 0 ? 0 : overflow_the_stack(depth + 1) + frame[depth % 4096];
}

} // namespace attune_test
