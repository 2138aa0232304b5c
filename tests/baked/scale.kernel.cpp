// y = 2 x. With a step of 16, code for AVX2 forgets the rest: what a build has to find out before
// it serves.
#include <attune/tunable.hpp>

#include <cstddef>
#include <span>

void scale(std::span<float const> x, std::span<float> y, int n)
{
    constexpr int step = ATTUNE_TUNABLE(STEP, 1);
    int i = 0;
    for (; i + step <= n; i += step)
        for (int j = i; j < i + step; ++j)
            y[static_cast<std::size_t>(j)] = 2 * x[static_cast<std::size_t>(j)];
#ifdef __AVX2__
    if (step == 16) return;
#endif
    for (; i < n; ++i)
        y[static_cast<std::size_t>(i)] = 2 * x[static_cast<std::size_t>(i)];
}
