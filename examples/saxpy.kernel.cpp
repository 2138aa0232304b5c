// y = a * x + y, for both compilers; code for a device alone stands behind __CUDACC__.
#include <attune/tunable.hpp>

#ifdef __CUDACC__

constexpr int block_x = ATTUNE_TUNABLE(BLOCK_X, 128); // threads of a block
constexpr int vec = ATTUNE_TUNABLE(VEC, 1);           // elements of a thread

extern "C" __global__ void __launch_bounds__(block_x)
    saxpy(float const* __restrict__ x, float* __restrict__ y, float a, int n)
{
    // A block works on a run of block_x * vec elements; neighbours in it are neighbours in memory.
    int const first = static_cast<int>(blockIdx.x) * block_x * vec + static_cast<int>(threadIdx.x);
#pragma unroll
    for (int k = 0; k < vec; ++k)
        if (int const i = first + k * block_x; i < n) y[i] += a * x[i];
}

#else

#include <span>

constexpr int step = ATTUNE_TUNABLE(VEC, 1);
static_assert(ATTUNE_TUNABLE(BLOCK_X, 128) > 0, "only a device has blocks");

void saxpy(std::span<float const> x, std::span<float> y, float a, int n)
{
    int i = 0;
    for (; i + step <= n; i += step)
        for (int k = 0; k < step; ++k)
            y[i + k] += a * x[i + k];
    for (; i < n; ++i)
        y[i] += a * x[i];
}

#endif
