// Harris corner response of a row-major image without a border of two pixels: Sobel gradients,
// products, sums over 3 x 3 windows, det - 0.04 trace^2. Tile by tile, so that stages stay in
// cache.
#include <attune/tunable.hpp>

#include <algorithm>
#include <span>

constexpr int tile_x = ATTUNE_TUNABLE(TILE_X, 64);
constexpr int tile_y = ATTUNE_TUNABLE(TILE_Y, 16);
constexpr bool keep_products = ATTUNE_TUNABLE(KEEP_PRODUCTS, true); // else gradients are kept
constexpr bool separable = ATTUNE_TUNABLE(SEPARABLE, false);        // sums by columns, then rows
constexpr int columns = ATTUNE_TUNABLE(COLUMNS, 8);                 // responses at once

constexpr int wide = tile_x + 2;
constexpr int high = tile_y + 2;

static void gradients(float const* in, int width, int rows, int count, float* gx, float* gy)
{
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < count; ++x) {
            float const* const p = in + y * width + x;
            float const *const above = p - width, *const below = p + width;
            gx[y * wide + x] = above[1] - above[-1] + 2.0f * (p[1] - p[-1]) + below[1] - below[-1];
            gy[y * wide + x] =
                below[-1] - above[-1] + 2.0f * (below[0] - above[0]) + below[1] - above[1];
        }
}

template <class Value>
static float window(Value const& value, int y, int x)
{
    float sum = 0;
    for (int v = 0; v < 3; ++v)
        for (int u = 0; u < 3; ++u)
            sum += separable ? value(y + u, x + v) : value(y + v, x + u);
    return sum;
}

template <class Xx, class Xy, class Yy>
static void responses(Xx const& xx, Xy const& xy, Yy const& yy, float* out, int stride, int rows,
                      int count)
{
    for (int y = 0; y < rows; ++y)
        for (int x0 = 0; x0 < count; x0 += columns)
            for (int x = x0; x < std::min(x0 + columns, count); ++x) {
                float const a = window(xx, y, x), b = window(xy, y, x), c = window(yy, y, x);
                out[y * stride + x] = a * c - b * b - 0.04f * (a + c) * (a + c);
            }
}

static void tile(float const* in, float* out, int width, int stride, int rows, int count)
{
    static thread_local float gx[high * wide], gy[high * wide], xy[high * wide];
    gradients(in, width, rows + 2, count + 2, gx, gy);
    auto const at = [](float const* a, int y, int x) { return a[y * wide + x]; };
    if (keep_products) {
        for (int y = 0; y < rows + 2; ++y)
            for (int i = y * wide; i < y * wide + count + 2; ++i) {
                float const x = gx[i], v = gy[i];
                gx[i] = x * x;
                xy[i] = x * v;
                gy[i] = v * v;
            }
        responses([&](int y, int x) { return at(gx, y, x); },
                  [&](int y, int x) { return at(xy, y, x); },
                  [&](int y, int x) { return at(gy, y, x); }, out, stride, rows, count);
    } else
        responses([&](int y, int x) { return at(gx, y, x) * at(gx, y, x); },
                  [&](int y, int x) { return at(gx, y, x) * at(gy, y, x); },
                  [&](int y, int x) { return at(gy, y, x) * at(gy, y, x); }, out, stride, rows,
                  count);
}

void harris(std::span<float const> in, std::span<float> out, int height, int width)
{
    int const tall = height - 4, stride = width - 4;
    for (int y = 0; y < tall; y += tile_y)
        for (int x = 0; x < stride; x += tile_x)
            tile(&in[(y + 1) * width + x + 1], &out[y * stride + x], width, stride,
                 std::min(tile_y, tall - y), std::min(tile_x, stride - x));
}
