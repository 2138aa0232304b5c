// C = A * B for row-major n x n matrices: cache tiles, a packed tile of B, a block in registers.
#include <attune/tunable.hpp>

#include <algorithm>
#include <span>

constexpr int tile_m = ATTUNE_TUNABLE(TILE_M, 16);
constexpr int tile_n = ATTUNE_TUNABLE(TILE_N, 16);
constexpr int tile_k = ATTUNE_TUNABLE(TILE_K, 16);
constexpr int unroll = ATTUNE_TUNABLE(UNROLL, 1);
constexpr int order[] = ATTUNE_TUNABLE(ORDER, {0, 1, 2}); // of the loops over m, n, k

// c[Rows x width] += a[Rows x depth] * b[depth x tile_n]; the sums stay in registers.
template <int Rows>
static void block(float const* a, float const* b, float* c, int n, int depth, int width)
{
    float sum[Rows][tile_n] = {};
    for (int k = 0; k < depth; ++k)
        for (int r = 0; r < Rows; ++r)
            for (int j = 0; j < tile_n; ++j)
                sum[r][j] += a[r * n + k] * b[k * tile_n + j];
    for (int r = 0; r < Rows; ++r)
        for (int j = 0; j < width; ++j)
            c[r * n + j] += sum[r][j];
}

void sgemm(std::span<float const> a, std::span<float const> b, std::span<float> c, int n)
{
    std::fill(c.begin(), c.end(), 0.0f);
    int const step[] = {tile_m, tile_n, tile_k};
    int at[3] = {};
    int &x = at[order[0]], &y = at[order[1]], &z = at[order[2]];
    for (x = 0; x < n; x += step[order[0]])
        for (y = 0; y < n; y += step[order[1]])
            for (z = 0; z < n; z += step[order[2]]) {
                auto const [i0, j0, k0] = at;
                int const last = std::min(i0 + tile_m, n);
                int const width = std::min(tile_n, n - j0);
                int const depth = std::min(tile_k, n - k0);
                alignas(64) float packed[tile_k * tile_n];
                for (int k = 0; k < depth; ++k)
                    for (int j = 0; j < tile_n; ++j)
                        packed[k * tile_n + j] = j < width ? b[(k0 + k) * n + j0 + j] : 0.0f;
                int i = i0;
                for (; i + unroll <= last; i += unroll)
                    block<unroll>(&a[i * n + k0], packed, &c[i * n + j0], n, depth, width);
                for (; i < last; ++i)
                    block<1>(&a[i * n + k0], packed, &c[i * n + j0], n, depth, width);
            }
}
