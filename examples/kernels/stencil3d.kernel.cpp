// One Jacobi sweep of the seven-point stencil over an n x n x n grid; borders are kept.
#include <attune/tunable.hpp>

#include <algorithm>
#include <span>

constexpr int tile_x = ATTUNE_TUNABLE(TILE_X, 32);
constexpr int tile_y = ATTUNE_TUNABLE(TILE_Y, 8);
constexpr int tile_z = ATTUNE_TUNABLE(TILE_Z, 8);
constexpr int rows = ATTUNE_TUNABLE(ROWS, 1);             // along y, swept together
constexpr int order[] = ATTUNE_TUNABLE(ORDER, {0, 1, 2}); // of the loops over tiles of z, y, x

template <int Rows>
static void sweep(float const* __restrict in, float* __restrict out, int n, int x0, int x1)
{
    int const plane = n * n;
    for (int x = x0; x < x1; ++x)
        for (int r = 0; r < Rows; ++r) {
            float const* const p = in + r * n + x;
            out[r * n + x] =
                0.5f * p[0] + 0.08f * (p[-1] + p[1] + p[-n] + p[n] + p[-plane] + p[plane]);
        }
}

void stencil3d(std::span<float const> in, std::span<float> out, int n)
{
    int const step[] = {tile_z, tile_y, tile_x};
    int at[3] = {};
    int &u = at[order[0]], &v = at[order[1]], &w = at[order[2]];
    for (u = 1; u < n - 1; u += step[order[0]])
        for (v = 1; v < n - 1; v += step[order[1]])
            for (w = 1; w < n - 1; w += step[order[2]]) {
                auto const [z0, y0, x0] = at;
                int const z1 = std::min(z0 + tile_z, n - 1);
                int const y1 = std::min(y0 + tile_y, n - 1);
                int const x1 = std::min(x0 + tile_x, n - 1);
                for (int z = z0; z < z1; ++z) {
                    int y = y0;
                    for (; y + rows <= y1; y += rows)
                        sweep<rows>(&in[(z * n + y) * n], &out[(z * n + y) * n], n, x0, x1);
                    for (; y < y1; ++y)
                        sweep<1>(&in[(z * n + y) * n], &out[(z * n + y) * n], n, x0, x1);
                }
            }
}
