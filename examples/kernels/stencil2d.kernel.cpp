// One Jacobi sweep of the five-point stencil over a row-major height x width grid; borders are
// kept.
#include <attune/tunable.hpp>

#include <algorithm>
#include <span>

constexpr int tile_x = ATTUNE_TUNABLE(TILE_X, 64);
constexpr int tile_y = ATTUNE_TUNABLE(TILE_Y, 8);
constexpr int rows = ATTUNE_TUNABLE(ROWS, 1);                // swept together
constexpr int prefetch = ATTUNE_TUNABLE(PREFETCH, 0);        // rows ahead; 0: none
constexpr bool by_column = ATTUNE_TUNABLE(BY_COLUMN, false); // order of the tiles

template <int Rows>
static void sweep(float const* __restrict in, float* __restrict out, int width, int x0, int x1)
{
    for (int x = x0; x < x1; ++x)
        for (int r = 0; r < Rows; ++r) {
            float const* const p = in + r * width + x;
            out[r * width + x] = 0.2f * (p[0] + p[-1] + p[1] + p[-width] + p[width]);
        }
}

static void tile(float const* in, float* out, int height, int width, int y0, int x0)
{
    int const y1 = std::min(y0 + tile_y, height - 1);
    int const x1 = std::min(x0 + tile_x, width - 1);
    int y = y0;
    for (; y + rows <= y1; y += rows) {
        if (prefetch > 0 && y + prefetch < height)
            for (int x = x0; x < x1; x += 16)
                __builtin_prefetch(in + (y + prefetch) * width + x);
        sweep<rows>(in + y * width, out + y * width, width, x0, x1);
    }
    for (; y < y1; ++y)
        sweep<1>(in + y * width, out + y * width, width, x0, x1);
}

void stencil2d(std::span<float const> in, std::span<float> out, int height, int width)
{
    if (by_column)
        for (int x = 1; x < width - 1; x += tile_x)
            for (int y = 1; y < height - 1; y += tile_y)
                tile(in.data(), out.data(), height, width, y, x);
    else
        for (int y = 1; y < height - 1; y += tile_y)
            for (int x = 1; x < width - 1; x += tile_x)
                tile(in.data(), out.data(), height, width, y, x);
}
