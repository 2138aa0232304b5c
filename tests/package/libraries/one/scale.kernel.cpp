// tests/package/libraries/one/scale.kernel.cpp - a kernel of library one.
// SPDX-License-Identifier: MIT
#include <attune/tunable.hpp>

#include <span>

template <class T>
inline T times(T x) // the other library has another one
{
    return x * 2;
}

void scale(std::span<int> x)
{
    static int calls = 0; // GCC makes it unique in the process where its function is inline
    for (int i = 0; i < static_cast<int>(x.size()); i += ATTUNE_TUNABLE(STEP, 1))
        for (int k = i; k < i + ATTUNE_TUNABLE(STEP, 1) && k < static_cast<int>(x.size()); ++k)
            x[static_cast<std::size_t>(k)] = times(x[static_cast<std::size_t>(k)]);
    ++calls;
}
