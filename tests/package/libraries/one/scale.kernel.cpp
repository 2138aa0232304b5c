// tests/package/libraries/one/scale.kernel.cpp - a kernel of library one.
// SPDX-License-Identifier: MIT
#include <attune/tunable.hpp>

#include <span>

/// Library two has one of the same name. GCC makes such a static variable unique in a process.
template <class T>
inline T times(T x)
{
    static T factor = 2;
    return x * factor;
}

void scale(std::span<int> x)
{
    for (int& one : x)
        one = times(one) * ATTUNE_TUNABLE(STEP, 1);
}
