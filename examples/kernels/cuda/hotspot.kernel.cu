// The temperature of a chip after `steps` steps of time: every cell exchanges heat with its four
// neighbours and the air, and is heated by what it consumes. A block computes `fused` steps of a
// tile at once in shared memory, with a border that is `fused` cells wide; then all blocks meet.
#include <attune/tunable.hpp>

#include <cooperative_groups.h>

constexpr int block_x = ATTUNE_TUNABLE(BLOCK_SIZE_X, 16); // threads
constexpr int block_y = ATTUNE_TUNABLE(BLOCK_SIZE_Y, 16);
constexpr int tile_x = ATTUNE_TUNABLE(TILE_SIZE_X, 1); // cells of a thread
constexpr int tile_y = ATTUNE_TUNABLE(TILE_SIZE_Y, 1);
constexpr int fused = ATTUNE_TUNABLE(TEMPORAL_TILING_FACTOR, 1); // steps between two meetings
constexpr int unroll = ATTUNE_TUNABLE(LOOP_UNROLL_FACTOR_T, 1);  // of these at once
constexpr bool shared_power = ATTUNE_TUNABLE(SH_POWER, false);   // consumption in shared memory too
static_assert(ATTUNE_TUNABLE(BLOCKS, 128) > 0, "the grid is declared beside the parameters");

constexpr int width = block_x * tile_x;
constexpr int height = block_y * tile_y;
constexpr int span_x = width + 2 * fused;
constexpr int span_y = height + 2 * fused;

// One step of a cell.
__device__ __forceinline__ float
stepped(float at, float north, float south, float west, float east, float power)
{
    constexpr float air = 80.0f;
    constexpr float capacity = 0.341333f; // of a step over the cell's heat capacity
    constexpr float by_x = 0.1f;          // one over the thermal resistances
    constexpr float by_y = 0.1f;
    constexpr float by_z = 0.0000128f;
    return at + capacity * (power + (south + north - 2.0f * at) * by_y +
                            (east + west - 2.0f * at) * by_x + (air - at) * by_z);
}

// `fused` steps of the tile at (x0, y0). `from` is written by other blocks in other rounds: nothing
// may promise that it is only read.
__device__ __forceinline__ void
advance(float const* from, float* to, float const* __restrict__ power, int x0, int y0, int n)
{
    __shared__ float heat[2][span_y][span_x];
    __shared__ float watts[shared_power ? span_y : 1][shared_power ? span_x : 1];
    int const tx = threadIdx.x;
    int const ty = threadIdx.y;

    for (int j = ty; j < span_y; j += block_y)
        for (int i = tx; i < span_x; i += block_x) {
            int const x = x0 - fused + i;
            int const y = y0 - fused + j;
            if (x < 0 || y < 0 || x >= n || y >= n) continue;
            heat[0][j][i] = from[static_cast<size_t>(y) * n + x];
            if (shared_power) watts[j][i] = power[static_cast<size_t>(y) * n + x];
        }
    __syncthreads();

#pragma unroll unroll
    for (int step = 1; step <= fused; ++step) {
        float const(*const now)[span_x] = heat[(step - 1) % 2];
        for (int j = step + ty; j < span_y - step; j += block_y)
            for (int i = step + tx; i < span_x - step; i += block_x) {
                int const x = x0 - fused + i;
                int const y = y0 - fused + j;
                if (x < 0 || y < 0 || x >= n || y >= n) continue;
                size_t const cell = static_cast<size_t>(y) * n + x;
                // Beyond the edge of the chip it is as warm as at the edge.
                float const value = stepped(now[j][i],
                                            now[y > 0 ? j - 1 : j][i],
                                            now[y < n - 1 ? j + 1 : j][i],
                                            now[j][x > 0 ? i - 1 : i],
                                            now[j][x < n - 1 ? i + 1 : i],
                                            shared_power ? watts[j][i] : power[cell]);
                if (step == fused)
                    to[cell] = value;
                else
                    heat[step % 2][j][i] = value;
            }
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(block_x* block_y)
    hotspot(float const* __restrict__ first,
            float const* __restrict__ power,
            float* scratch,
            float* last,
            int n,
            int steps)
{
    int const across = (n + width - 1) / width;
    int const tiles = across * ((n + height - 1) / height);
    int const rounds = steps / fused;
    for (int round = 0; round < rounds; ++round) {
        // The last round writes to `last`, the one before to `scratch`, and so on.
        bool const to_last = (rounds - 1 - round) % 2 == 0;
        float const* const from = round == 0 ? first : to_last ? scratch : last;
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x)
            advance(from,
                    to_last ? last : scratch,
                    power,
                    tile % across * width,
                    tile / across * height,
                    n);
        cooperative_groups::this_grid().sync();
    }
}
