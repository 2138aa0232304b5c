// The transpose of an n x n matrix. A block brings a square tile into shared memory by rows and
// takes it out by columns.
#include <attune/tunable.hpp>

constexpr int tile = ATTUNE_TUNABLE(TILE, 16);             // rows and columns of a block
constexpr int rows = ATTUNE_TUNABLE(ROWS, 16);             // rows of threads
constexpr int vec = ATTUNE_TUNABLE(VEC, 1);                // floats of one load or store
constexpr int pad = ATTUNE_TUNABLE(PAD, 0);                // floats after each row in shared memory
constexpr bool diagonal = ATTUNE_TUNABLE(DIAGONAL, false); // order of blocks
constexpr bool streaming = ATTUNE_TUNABLE(STREAMING, false); // past the caches

constexpr int columns = tile / vec; // of threads

struct alignas(sizeof(float) * vec) pack_t { // one load or store of the device
    float v[vec];
};

__device__ __forceinline__ pack_t load(float const* at)
{
    pack_t out;
    if (vec == 4 && streaming) {
        float4 const v = __ldcs(reinterpret_cast<float4 const*>(at));
        float const all[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int k = 0; k < vec; ++k)
            out.v[k] = all[k];
        return out;
    }
    if (vec == 1 && streaming) {
        out.v[0] = __ldcs(at);
        return out;
    }
    return *reinterpret_cast<pack_t const*>(at);
}

__device__ __forceinline__ void store(float* at, pack_t const& value)
{
    if (vec == 4 && streaming)
        __stcs(reinterpret_cast<float4*>(at), *reinterpret_cast<float4 const*>(&value));
    else if (vec == 1 && streaming)
        __stcs(at, value.v[0]);
    else
        *reinterpret_cast<pack_t*>(at) = value;
}

extern "C" __global__ void __launch_bounds__(columns* rows)
    transpose(float const* __restrict__ in, float* __restrict__ out, int n)
{
    __shared__ float block[tile][tile + pad];
    // Blocks that run together then write to different partitions of the memory.
    int const by = diagonal ? blockIdx.x : blockIdx.y;
    int const bx = diagonal ? (blockIdx.x + blockIdx.y) % gridDim.x : blockIdx.x;
    int const i0 = by * tile;
    int const j0 = bx * tile;
    int const x = threadIdx.x * vec;

#pragma unroll
    for (int y = threadIdx.y; y < tile; y += rows)
        if (i0 + y < n && j0 + x < n) {
            pack_t const loaded = load(in + static_cast<size_t>(i0 + y) * n + j0 + x);
#pragma unroll
            for (int v = 0; v < vec; ++v)
                block[y][x + v] = loaded.v[v];
        }
    __syncthreads();
#pragma unroll
    for (int y = threadIdx.y; y < tile; y += rows)
        if (j0 + y < n && i0 + x < n) {
            __align__(16) pack_t turned;
#pragma unroll
            for (int v = 0; v < vec; ++v)
                turned.v[v] = block[x + v][y];
            store(out + static_cast<size_t>(j0 + y) * n + i0 + x, turned);
        }
}
