// C = A * B for row-major n x n matrices of floats: a block of threads has a tile of C, each thread
// a part of it in registers; panels of A and B pass through shared memory.
#include <attune/tunable.hpp>

constexpr int block_m = ATTUNE_TUNABLE(BLOCK_M, 16);  // rows of C per block
constexpr int block_n = ATTUNE_TUNABLE(BLOCK_N, 16);  // columns of C per block
constexpr int block_k = ATTUNE_TUNABLE(BLOCK_K, 16);  // depth of a panel
constexpr int thread_m = ATTUNE_TUNABLE(THREAD_M, 1); // rows of C per thread
constexpr int thread_n = ATTUNE_TUNABLE(THREAD_N, 1); // columns of C per thread
constexpr int across = block_n / thread_n;
constexpr int threads = block_m / thread_m * across;

extern "C" __global__ void __launch_bounds__(threads)
    gemm(float const* __restrict__ a, float const* __restrict__ b, float* __restrict__ c, int n)
{
    __shared__ float panel_a[block_k][block_m + 1]; // transposed; padded against bank conflicts
    __shared__ float panel_b[block_k][block_n];
    int const i0 = blockIdx.y * block_m, j0 = blockIdx.x * block_n;
    int const t = threadIdx.x, tm = t / across, tn = t % across;
    auto const at = [n](float const* x, int i, int j) {
        return i < n && j < n ? x[static_cast<size_t>(i) * n + j] : 0.0f;
    };

    float sum[thread_m][thread_n] = {};
    for (int k0 = 0; k0 < n; k0 += block_k) {
        for (int e = t; e < block_m * block_k; e += threads)
            panel_a[e % block_k][e / block_k] = at(a, i0 + e / block_k, k0 + e % block_k);
        for (int e = t; e < block_n * block_k; e += threads)
            panel_b[e / block_n][e % block_n] = at(b, k0 + e / block_n, j0 + e % block_n);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < block_k; ++k)
#pragma unroll
            for (int i = 0; i < thread_m; ++i)
#pragma unroll
                for (int j = 0; j < thread_n; ++j)
                    sum[i][j] += panel_a[k][i * (block_m / thread_m) + tm] * panel_b[k][j * across + tn];
        __syncthreads();
    }
    for (int i = 0; i < thread_m; ++i)
        for (int j = 0; j < thread_n; ++j) {
            int const row = i0 + i * (block_m / thread_m) + tm, column = j0 + j * across + tn;
            if (row < n && column < n) c[static_cast<size_t>(row) * n + column] = sum[i][j];
        }
}
