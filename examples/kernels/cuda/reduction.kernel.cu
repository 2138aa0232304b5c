// The sum of n floats in one launch: every block adds up its share, the block that is done last
// adds up the blocks.
#include <attune/tunable.hpp>

constexpr int block_x = ATTUNE_TUNABLE(BLOCK_X, 256);            // threads
constexpr int vec = ATTUNE_TUNABLE(VEC, 1);                      // floats of one load
constexpr int items = ATTUNE_TUNABLE(ITEMS, 1);                  // loads in flight
constexpr bool by_shuffles = ATTUNE_TUNABLE(BY_SHUFFLES, false); // else a tree in shared memory
constexpr bool split_sums = ATTUNE_TUNABLE(SPLIT_SUMS, false);   // a sum for each load in flight
static_assert(ATTUNE_TUNABLE(BLOCKS, 64) > 0, "the grid is declared beside the parameters");

struct alignas(sizeof(float) * vec) pack_t { // one load or store of the device
    float v[vec];
};

// The sum over the block, in its thread 0.
__device__ __forceinline__ float sum_of_block(float mine)
{
    __shared__ float partial[by_shuffles ? 32 : block_x];
    int const t = threadIdx.x;
    if (by_shuffles) {
#pragma unroll
        for (int step = 16; step > 0; step /= 2)
            mine += __shfl_down_sync(0xffffffffu, mine, step);
        if (t % 32 == 0) partial[t / 32] = mine;
        __syncthreads();
        if (t < 32) {
            mine = t < block_x / 32 ? partial[t] : 0.0f;
#pragma unroll
            for (int step = 16; step > 0; step /= 2)
                mine += __shfl_down_sync(0xffffffffu, mine, step);
        }
    } else {
        partial[t] = mine;
        __syncthreads();
#pragma unroll
        for (int step = block_x / 2; step > 0; step /= 2) {
            if (t < step) partial[t] += partial[t + step];
            __syncthreads();
        }
        mine = partial[0];
    }
    __syncthreads();
    return mine;
}

// Blocks that have written their sum; 0 before and after a launch. No argument: whoever tries other
// contents of the arrays would have the wrong block be the last.
__device__ unsigned int done = 0;

extern "C" __global__ void __launch_bounds__(block_x)
    reduction(float const* __restrict__ x, float* sums, float* out, int n)
{
    int const packs = n / vec; // n is a multiple of vec
    int const stride = gridDim.x * block_x;
    auto const* const all = reinterpret_cast<pack_t const*>(x);
    float sum[split_sums ? items : 1] = {};
    int i = blockIdx.x * block_x + threadIdx.x;
    for (; i + (items - 1) * stride < packs; i += items * stride) {
        pack_t loaded[items];
#pragma unroll
        for (int k = 0; k < items; ++k)
            loaded[k] = all[i + k * stride];
#pragma unroll
        for (int k = 0; k < items; ++k)
#pragma unroll
            for (int v = 0; v < vec; ++v)
                sum[split_sums ? k : 0] += loaded[k].v[v];
    }
    for (; i < packs; i += stride) {
        pack_t const loaded = all[i];
#pragma unroll
        for (int v = 0; v < vec; ++v)
            sum[0] += loaded.v[v];
    }
#pragma unroll
    for (int k = 1; k < (split_sums ? items : 1); ++k)
        sum[0] += sum[k];

    __shared__ bool is_last;
    float const of_block = sum_of_block(sum[0]);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = of_block;
        __threadfence(); // the sum is seen before it is counted
        is_last = atomicAdd(&done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    float rest = 0.0f;
    for (int b = threadIdx.x; b < static_cast<int>(gridDim.x); b += block_x)
        rest += __ldcg(sums + b);
    rest = sum_of_block(rest);
    if (threadIdx.x == 0) {
        *out = rest;
        done = 0;
    }
}
