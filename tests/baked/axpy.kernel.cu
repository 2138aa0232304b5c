// y += a * x: BLOCK threads of a block, VEC elements of a thread.
#include <attune/tunable.hpp>

namespace linear {

__global__ void axpy(float const* x, float* y, float a, int n)
{
    constexpr int block = ATTUNE_TUNABLE(BLOCK, 64);
    constexpr int vec = ATTUNE_TUNABLE(VEC, 1);
    int const first = static_cast<int>(blockIdx.x) * block * vec + static_cast<int>(threadIdx.x);
    for (int k = 0; k < vec; ++k)
        if (int const i = first + k * block; i < n) y[i] += a * x[i];
}

} // namespace linear
