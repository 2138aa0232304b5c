// For each point whether it lies inside of a polygon: a ray to the right crosses an odd number of
// its edges.
#include <attune/tunable.hpp>

constexpr int block_x = ATTUNE_TUNABLE(BLOCK_SIZE_X, 256);        // threads
constexpr int tile = ATTUNE_TUNABLE(TILE_SIZE, 1);                // points of a thread
constexpr int between_method = ATTUNE_TUNABLE(BETWEEN_METHOD, 0); // is the point beside the edge?
constexpr int use_method = ATTUNE_TUNABLE(USE_METHOD, 0);         // how crossings are counted
constexpr bool stored_slopes = ATTUNE_TUNABLE(USE_PRECOMPUTED_SLOPES, false); // else divided anew
constexpr bool staged = ATTUNE_TUNABLE(STAGED_VERTICES, false);               // in shared memory
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);                             // edges at once

constexpr int vertex_count = 600;

// Whether a lies between b and c; no point is as high as a vertex, so that all agree.
__device__ __forceinline__ bool is_between(float a, float b, float c)
{
    if (between_method == 0) return (b > a) != (c > a);
    if (between_method == 1) return ((b <= a) && (c > a)) || ((b > a) && (c <= a));
    if (between_method == 2) return ((a - b) == 0.0f) || ((a - b) * (a - c) < 0.0f);
    return ((a - b) * (a - c) < 0.0f) || ((a - b) == 0.0f);
}

extern "C" __global__ void __launch_bounds__(block_x)
    point_in_polygon(int* __restrict__ inside,
                     float const* __restrict__ points,
                     float const* __restrict__ vertices,
                     float const* __restrict__ slopes,
                     int n)
{
    __shared__ float2 stage[staged ? vertex_count : 1];
    float2 const* const all_vertices = reinterpret_cast<float2 const*>(vertices);
    if (staged) {
        for (int k = threadIdx.x; k < vertex_count; k += block_x)
            stage[k] = all_vertices[k];
        __syncthreads();
    }
    auto const vertex = [&](int k) { return staged ? stage[k] : __ldg(all_vertices + k); };

    int const first = blockIdx.x * block_x * tile + threadIdx.x;
    float2 p[tile];
    int crossed[tile] = {};
#pragma unroll
    for (int t = 0; t < tile; ++t) {
        int const i = first + t * block_x;
        p[t] = i < n ? reinterpret_cast<float2 const*>(points)[i] : float2{0.0f, 0.0f};
    }

    float2 before = vertex(vertex_count - 1);
#pragma unroll unroll
    for (int k = 0; k < vertex_count; ++k) {
        float2 const at = vertex(k);
        // Rounded alike here and where the slopes were stored, so that all variants agree.
        float const slope =
            stored_slopes ? __ldg(slopes + k) : __fdiv_rn(before.x - at.x, before.y - at.y);
#pragma unroll
        for (int t = 0; t < tile; ++t) {
            bool const crosses = is_between(p[t].y, at.y, before.y) &&
                                 p[t].x < __fmaf_rn(slope, p[t].y - at.y, at.x);
            if (use_method == 0) {
                if (crosses) crossed[t] = !crossed[t];
            } else if (use_method == 1) {
                crossed[t] += crosses ? 1 : 0;
            } else {
                crossed[t] ^= crosses ? 1 : 0;
            }
        }
        before = at;
    }

#pragma unroll
    for (int t = 0; t < tile; ++t)
        if (int const i = first + t * block_x; i < n) inside[i] = crossed[t] & 1;
}
