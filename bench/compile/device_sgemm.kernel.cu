// A blocked product of square matrices, one template: C = A * B, row by row, n a multiple of the
// blocks. Each thread makes ROWS x COLUMNS numbers of a block of TILE_M x TILE_N.
template <int TILE_M, int TILE_N, int TILE_K, int ROWS, int COLUMNS>
__global__ void __launch_bounds__((TILE_M / ROWS) * (TILE_N / COLUMNS))
sgemm(float const* __restrict__ a, float const* __restrict__ b, float* __restrict__ c, int n)
{
    constexpr int threads_n = TILE_N / COLUMNS;
    constexpr int threads = (TILE_M / ROWS) * threads_n;
    __shared__ float tile_a[TILE_K][TILE_M + 1];
    __shared__ float tile_b[TILE_K][TILE_N];
    int const row = blockIdx.y * TILE_M;
    int const column = blockIdx.x * TILE_N;
    int const own_row = (threadIdx.x / threads_n) * ROWS;
    int const own_column = (threadIdx.x % threads_n) * COLUMNS;
    float sum[ROWS][COLUMNS] = {};
    for (int k = 0; k < n; k += TILE_K) {
        for (int i = threadIdx.x; i < TILE_M * TILE_K; i += threads)
            tile_a[i % TILE_K][i / TILE_K] = a[(row + i / TILE_K) * n + k + i % TILE_K];
        for (int i = threadIdx.x; i < TILE_N * TILE_K; i += threads)
            tile_b[i / TILE_N][i % TILE_N] = b[(k + i / TILE_N) * n + column + i % TILE_N];
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < TILE_K; ++kk)
#pragma unroll
            for (int i = 0; i < ROWS; ++i)
#pragma unroll
                for (int j = 0; j < COLUMNS; ++j)
                    sum[i][j] += tile_a[kk][own_row + i] * tile_b[kk][own_column + j];
        __syncthreads();
    }
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            c[(row + own_row + i) * n + column + own_column + j] = sum[i][j];
}
