// C = A B for row-major n x n matrices of floats. A block keeps a tile of C in its registers while
// panels of A (transposed) and B pass through shared memory.
#include <attune/tunable.hpp>

constexpr int block_m = ATTUNE_TUNABLE(BLOCK_M, 16);      // rows of C per block
constexpr int block_n = ATTUNE_TUNABLE(BLOCK_N, 16);      // columns of C per block
constexpr int block_k = ATTUNE_TUNABLE(BLOCK_K, 16);      // depth of a panel
constexpr int thread_m = ATTUNE_TUNABLE(THREAD_M, 1);     // rows of C per thread
constexpr int thread_n = ATTUNE_TUNABLE(THREAD_N, 1);     // columns of C per thread
constexpr int vec = ATTUNE_TUNABLE(VEC, 1);               // floats of one load or store
constexpr int stages = ATTUNE_TUNABLE(STAGES, 1);         // panels in shared memory
constexpr int pad = ATTUNE_TUNABLE(PAD, 0);               // floats after each column of A's panel
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);         // steps of the depth at once
constexpr int min_blocks = ATTUNE_TUNABLE(MIN_BLOCKS, 1); // of a multiprocessor: bounds registers

constexpr int threads_m = block_m / thread_m;
constexpr int threads_n = block_n / thread_n;
constexpr int threads = threads_m * threads_n;
constexpr int loads_a = block_m * block_k / (threads * vec);
constexpr int loads_b = block_k * block_n / (threads * vec);

struct alignas(sizeof(float) * vec) pack_t { // one load or store of the device
    float v[vec];
};

// `vec` floats of row i, columns j to j + vec; zeros outside. n is a multiple of vec, and so is j.
__device__ __forceinline__ pack_t load(float const* __restrict__ from, int i, int j, int n)
{
    if (i < n && j < n)
        return *reinterpret_cast<pack_t const*>(from + static_cast<size_t>(i) * n + j);
    return pack_t{};
}

// One panel on its way from global to shared memory.
struct panels {
    pack_t a[loads_a];
    pack_t b[loads_b];

    __device__ __forceinline__ void fetch(float const* __restrict__ from_a,
                                          float const* __restrict__ from_b,
                                          int i0,
                                          int j0,
                                          int k0,
                                          int n)
    {
        int const t = threadIdx.x;
#pragma unroll
        for (int l = 0; l < loads_a; ++l) {
            int const at = (l * threads + t) * vec;
            a[l] = load(from_a, i0 + at / block_k, k0 + at % block_k, n);
        }
#pragma unroll
        for (int l = 0; l < loads_b; ++l) {
            int const at = (l * threads + t) * vec;
            b[l] = load(from_b, k0 + at / block_n, j0 + at % block_n, n);
        }
    }

    __device__ __forceinline__ void store(float (*to_a)[block_m + pad],
                                          float (*to_b)[block_n]) const
    {
        int const t = threadIdx.x;
#pragma unroll
        for (int l = 0; l < loads_a; ++l) {
            int const at = (l * threads + t) * vec;
#pragma unroll
            for (int v = 0; v < vec; ++v)
                to_a[at % block_k + v][at / block_k] = a[l].v[v];
        }
#pragma unroll
        for (int l = 0; l < loads_b; ++l) {
            int const at = (l * threads + t) * vec;
            *reinterpret_cast<pack_t*>(&to_b[at / block_n][at % block_n]) = b[l];
        }
    }
};

extern "C" __global__ void __launch_bounds__(threads, min_blocks)
    sgemm(float const* __restrict__ a, float const* __restrict__ b, float* __restrict__ c, int n)
{
    __shared__ __align__(16) float panel_a[stages][block_k][block_m + pad];
    __shared__ __align__(16) float panel_b[stages][block_k][block_n];

    int const i0 = blockIdx.y * block_m;
    int const j0 = blockIdx.x * block_n;
    // A thread has groups of vec neighbouring rows and columns; the groups lie a stride apart, so
    // that the threads of a warp read neighbouring words of shared memory.
    int const tm = threadIdx.x / threads_n * vec;
    int const tn = threadIdx.x % threads_n * vec;

    float sum[thread_m][thread_n] = {};
    panels next;
    next.fetch(a, b, i0, j0, 0, n);
    next.store(panel_a[0], panel_b[0]);
    __syncthreads();

    int now = 0;
    for (int k0 = 0; k0 < n; k0 += block_k) {
        bool const has_next = k0 + block_k < n;
        if (has_next) next.fetch(a, b, i0, j0, k0 + block_k, n);
#pragma unroll unroll
        for (int k = 0; k < block_k; ++k) {
            pack_t row[thread_m / vec];
            pack_t column[thread_n / vec];
#pragma unroll
            for (int g = 0; g < thread_m / vec; ++g)
                row[g] =
                    *reinterpret_cast<pack_t const*>(&panel_a[now][k][g * threads_m * vec + tm]);
#pragma unroll
            for (int g = 0; g < thread_n / vec; ++g)
                column[g] =
                    *reinterpret_cast<pack_t const*>(&panel_b[now][k][g * threads_n * vec + tn]);
#pragma unroll
            for (int i = 0; i < thread_m; ++i)
#pragma unroll
                for (int j = 0; j < thread_n; ++j)
                    sum[i][j] += row[i / vec].v[i % vec] * column[j / vec].v[j % vec];
        }
        if (has_next) {
            if (stages == 1) __syncthreads();
            now = (now + 1) % stages;
            next.store(panel_a[now], panel_b[now]);
            __syncthreads();
        }
    }

#pragma unroll
    for (int i = 0; i < thread_m; ++i) {
        int const row = i0 + i / vec * threads_m * vec + tm + i % vec;
#pragma unroll
        for (int g = 0; g < thread_n / vec; ++g) {
            int const column = j0 + g * threads_n * vec + tn;
            if (row >= n || column >= n) continue;
            pack_t out;
#pragma unroll
            for (int v = 0; v < vec; ++v)
                out.v[v] = sum[i][g * vec + v];
            *reinterpret_cast<pack_t*>(c + static_cast<size_t>(row) * n + column) = out;
        }
    }
}
