// Functions that tests/compile/ahead/ahead.cpp looks for; `bump` differs from that of
// ahead_twin.kernel.cpp.
#include <attune/tunable.hpp>

#include <span>

#ifndef OFFSET
#define OFFSET 0
#endif

constexpr int step = ATTUNE_TUNABLE(STEP, 4);

// A template and an inline function, which the linker would merge with those of the twin.
template <int N>
int times(int x)
{
    return x * N * step;
}
inline int shift(int x) { return x + step + OFFSET; }

void bump(std::span<int> x)
{
    for (int& v : x)
        v = shift(times<2>(v));
}

long place(long n)
{
    double sums[40];
    for (double& sum : sums)
        sum = static_cast<double>(n);
    __asm__ volatile("" : : "r"(sums) : "memory");
    return reinterpret_cast<long>(sums) % 64;
}

namespace inner {

void fill(std::span<int> x, int value) noexcept
{
    for (int& v : x)
        v = value + OFFSET;
}

} // namespace inner

void overloaded(int*) {}
void overloaded(long*) {}
