// tests/package/libraries/two/scale.kernel.cpp - a kernel of library two.
// SPDX-License-Identifier: MIT
#include <attune/tunable.hpp>

#include <span>

/// Library one has one of the same name. GCC makes such a static variable unique in a process.
template <class T>
inline T times(T x)
{
    static T factor = 3;
    return x * factor;
}

void scale(std::span<int> x)
{
    for (int& one : x)
        one = times(one) * ATTUNE_TUNABLE(STEP, 1);
}
