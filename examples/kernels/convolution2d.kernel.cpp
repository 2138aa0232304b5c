// A 7 x 7 convolution of a row-major image without its border: outputs in registers.
#include <attune/tunable.hpp>

#include <algorithm>
#include <span>

constexpr int extent = 7;
constexpr int tile_x = ATTUNE_TUNABLE(TILE_X, 64);
constexpr int tile_y = ATTUNE_TUNABLE(TILE_Y, 16);
constexpr int columns = ATTUNE_TUNABLE(COLUMNS, 8); // outputs in a row, at once
constexpr int rows = ATTUNE_TUNABLE(ROWS, 1);       // rows of them, at once
constexpr bool by_column = ATTUNE_TUNABLE(FILTER_BY_COLUMN, false);
constexpr bool local_filter = ATTUNE_TUNABLE(LOCAL_FILTER, false); // copied to the stack first

template <int Rows, int Columns>
static void block(float const* __restrict in, float const* filter, float* __restrict out, int width,
                  int stride)
{
    float sum[Rows][Columns] = {};
    auto const tap = [&](int fy, int fx) {
        for (int r = 0; r < Rows; ++r)
            for (int c = 0; c < Columns; ++c)
                sum[r][c] += filter[fy * extent + fx] * in[(r + fy) * width + c + fx];
    };
    for (int u = 0; u < extent; ++u)
        for (int v = 0; v < extent; ++v)
            by_column ? tap(v, u) : tap(u, v);
    for (int r = 0; r < Rows; ++r)
        for (int c = 0; c < Columns; ++c)
            out[r * stride + c] = sum[r][c];
}

void convolution2d(std::span<float const> in, std::span<float const> filter, std::span<float> out,
                   int height, int width)
{
    float copy[extent * extent];
    std::copy(filter.begin(), filter.end(), copy);
    float const* const taps = local_filter ? copy : filter.data();
    int const high = height - extent + 1;
    int const wide = width - extent + 1;
    for (int y0 = 0; y0 < high; y0 += tile_y)
        for (int x0 = 0; x0 < wide; x0 += tile_x) {
            int const y1 = std::min(y0 + tile_y, high);
            int const x1 = std::min(x0 + tile_x, wide);
            for (int y = y0; y < y1;) {
                int const step = y + rows <= y1 ? rows : 1;
                int x = x0;
                for (; x + columns <= x1; x += columns) {
                    if (step == rows)
                        block<rows, columns>(&in[y * width + x], taps, &out[y * wide + x], width,
                                             wide);
                    else
                        block<1, columns>(&in[y * width + x], taps, &out[y * wide + x], width,
                                          wide);
                }
                for (; x < x1; ++x)
                    for (int r = 0; r < step; ++r)
                        block<1, 1>(&in[(y + r) * width + x], taps, &out[(y + r) * wide + x], width,
                                    wide);
                y += step;
            }
        }
}
