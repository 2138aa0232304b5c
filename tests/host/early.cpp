// tests/host/early.cpp - a program whose first static object calls a kernel, before the streams of the C++ library exist.
// SPDX-License-Identifier: MIT
#include "scale.hpp"

namespace {

struct caller {
    caller()
    {
        host::scale scale{
            {.evaluations = 3, .system = true}}; // Clang's libraries construct the streams
        host::arrays mine(1000);
        mine.call(scale);
        HOST_CHECK(mine.called(1));
    }
};
__attribute__((init_priority(101))) caller const first;

} // namespace

int main() {}
