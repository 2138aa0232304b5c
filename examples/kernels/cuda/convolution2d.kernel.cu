// A 17 x 17 filter over an image whose border is wide enough for it. A block loads its part of the
// image into shared memory; a thread computes tile_y by tile_x pixels, a block's width apart.
#include <attune/tunable.hpp>

constexpr int block_x = ATTUNE_TUNABLE(BLOCK_SIZE_X, 16); // threads
constexpr int block_y = ATTUNE_TUNABLE(BLOCK_SIZE_Y, 16);
constexpr int tile_x = ATTUNE_TUNABLE(TILE_SIZE_X, 1); // pixels of a thread
constexpr int tile_y = ATTUNE_TUNABLE(TILE_SIZE_Y, 1);
constexpr bool use_padding = ATTUNE_TUNABLE(USE_PADDING, false); // of rows in shared memory
constexpr bool read_only = ATTUNE_TUNABLE(READ_ONLY, false);     // loads through the texture cache

constexpr int filter_width = 17;
constexpr int filter_height = 17;
constexpr int span_x = block_x * tile_x + filter_width - 1;
constexpr int span_y = block_y * tile_y + filter_height - 1;

__device__ __forceinline__ float pixel(float const* at) { return read_only ? __ldg(at) : *at; }

extern "C" __global__ void __launch_bounds__(block_x* block_y)
    convolution2d(float const* __restrict__ image,
                  float const* __restrict__ filter,
                  float* __restrict__ out,
                  int width,
                  int height)
{
    // A word more per row where it spreads the columns over the banks.
    __shared__ float part[span_y][span_x + (use_padding ? 1 : 0)];
    __shared__ float weights[filter_height][filter_width];

    int const tx = threadIdx.x;
    int const ty = threadIdx.y;
    int const x0 = blockIdx.x * block_x * tile_x;
    int const y0 = blockIdx.y * block_y * tile_y;
    int const image_width = width + filter_width - 1;
    int const image_height = height + filter_height - 1;

    for (int i = ty * block_x + tx; i < filter_width * filter_height; i += block_x * block_y)
        weights[i / filter_width][i % filter_width] = filter[i];
#pragma unroll
    for (int j = ty; j < span_y; j += block_y)
#pragma unroll
        for (int i = tx; i < span_x; i += block_x)
            if (y0 + j < image_height && x0 + i < image_width)
                part[j][i] = pixel(image + static_cast<size_t>(y0 + j) * image_width + x0 + i);
    __syncthreads();

    float sum[tile_y][tile_x] = {};
#pragma unroll 1
    for (int j = 0; j < filter_height; ++j)
#pragma unroll
        for (int i = 0; i < filter_width; ++i)
#pragma unroll
            for (int y = 0; y < tile_y; ++y)
#pragma unroll
                for (int x = 0; x < tile_x; ++x)
                    sum[y][x] += part[ty + y * block_y + j][tx + x * block_x + i] * weights[j][i];

#pragma unroll
    for (int y = 0; y < tile_y; ++y)
#pragma unroll
        for (int x = 0; x < tile_x; ++x) {
            int const column = x0 + tx + x * block_x;
            int const row = y0 + ty + y * block_y;
            if (row < height && column < width)
                out[static_cast<size_t>(row) * width + column] = sum[y][x];
        }
}
