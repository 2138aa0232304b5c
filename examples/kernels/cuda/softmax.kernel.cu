// The softmax of each row of a matrix: exp(x - largest) over the sum of these. A row is the work of
// a line of threads; a block has several lines.
#include <attune/tunable.hpp>

constexpr int threads = ATTUNE_TUNABLE(THREADS, 128);  // of a row
constexpr int rows = ATTUNE_TUNABLE(ROWS, 1);          // of a block
constexpr int vec = ATTUNE_TUNABLE(VEC, 1);            // floats of one load or store
constexpr bool online = ATTUNE_TUNABLE(ONLINE, false); // largest and sum in one pass
constexpr bool kept = ATTUNE_TUNABLE(KEPT, false);     // the row stays in shared memory
constexpr bool fast_exp = ATTUNE_TUNABLE(FAST_EXP, false);
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);

constexpr int warps = threads / 32; // of a row
constexpr float lowest = -3.0e38f;

struct alignas(sizeof(float) * vec) pack_t { // one load or store of the device
    float v[vec];
};

__device__ __forceinline__ float power(float x) { return fast_exp ? __expf(x) : expf(x); }

// The largest number so far, and the sum of exp(x - largest).
struct state {
    float largest;
    float sum;

    __device__ __forceinline__ void merge(float other_largest, float other_sum)
    {
        float const now = fmaxf(largest, other_largest);
        sum = sum * power(largest - now) + other_sum * power(other_largest - now);
        largest = now;
    }
};

// Over all threads of the row; every one of them gets it. With `only_largest` sums do not count.
template <bool only_largest>
__device__ __forceinline__ state over_row(state mine)
{
    __shared__ state partial[rows][warps];
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        float const largest = __shfl_xor_sync(0xffffffffu, mine.largest, step);
        float const sum = __shfl_xor_sync(0xffffffffu, mine.sum, step);
        if (only_largest)
            mine.largest = fmaxf(mine.largest, largest);
        else
            mine.merge(largest, sum);
    }
    if (warps == 1) return mine;
    int const warp = threadIdx.x / 32;
    __syncthreads(); // whoever still reads the ones before
    if (threadIdx.x % 32 == 0) partial[threadIdx.y][warp] = mine;
    __syncthreads();
    mine = partial[threadIdx.y][0];
#pragma unroll
    for (int w = 1; w < warps; ++w) {
        state const other = partial[threadIdx.y][w];
        if (only_largest)
            mine.largest = fmaxf(mine.largest, other.largest);
        else
            mine.merge(other.largest, other.sum);
    }
    return mine;
}

extern "C" __global__ void __launch_bounds__(threads* rows)
    softmax(float const* __restrict__ in, float* __restrict__ out, int height, int width)
{
    extern __shared__ __align__(16) float lines[]; // rows * width, when they are kept
    int const row = blockIdx.x * rows + threadIdx.y;
    int const packs = row < height ? width / vec : 0; // width is a multiple of vec
    auto const* const from =
        reinterpret_cast<pack_t const*>(in + static_cast<size_t>(row < height ? row : 0) * width);
    auto* const to =
        reinterpret_cast<pack_t*>(out + static_cast<size_t>(row < height ? row : 0) * width);
    auto* const line = reinterpret_cast<pack_t*>(lines + (kept ? threadIdx.y * width : 0));
    // A thread reads in later passes only what it wrote in the first: no barrier is needed.
    auto const again = [&](int i) { return kept ? line[i] : from[i]; };

    state whole{lowest, 0.0f};
#pragma unroll unroll
    for (int i = threadIdx.x; i < packs; i += threads) {
        pack_t const x = from[i];
        if (kept) line[i] = x;
#pragma unroll
        for (int v = 0; v < vec; ++v)
            if (online)
                whole.merge(x.v[v], 1.0f);
            else
                whole.largest = fmaxf(whole.largest, x.v[v]);
    }
    if (!online) {
        whole = over_row<true>(whole);
        whole.sum = 0.0f;
#pragma unroll unroll
        for (int i = threadIdx.x; i < packs; i += threads) {
            pack_t const x = again(i);
#pragma unroll
            for (int v = 0; v < vec; ++v)
                whole.sum += power(x.v[v] - whole.largest);
        }
    }
    whole = over_row<false>(whole);

    float const scale = 1.0f / whole.sum;
#pragma unroll unroll
    for (int i = threadIdx.x; i < packs; i += threads) {
        pack_t x = again(i);
#pragma unroll
        for (int v = 0; v < vec; ++v)
            x.v[v] = power(x.v[v] - whole.largest) * scale;
        to[i] = x;
    }
}
