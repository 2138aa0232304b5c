// y = factor * x + 1 in blocks, with what is left over after the last whole block.
#include <attune/tunable.hpp>

#include <span>

constexpr int block = ATTUNE_TUNABLE(BLOCK, 1);

void scale(std::span<float const> x, std::span<float> y, int factor)
{
    int const n = static_cast<int>(x.size());
    int i = 0;
    for (; i + block <= n; i += block)
        for (int k = 0; k < block; ++k)
            y[i + k] = factor * x[i + k] + 1.0f;
    for (; i < n; ++i)
        y[i] = factor * x[i] + 1.0f;
}
