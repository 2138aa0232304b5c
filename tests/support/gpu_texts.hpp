// tests/support/gpu_texts.hpp - kernels that take much of a device.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "gpu.hpp"

namespace attune_test {

/// Keeps WIDTH floats of each thread alive at once, and STATIC_BYTES of shared memory of a block.
/// What it writes does not depend on the size of a block; 0 steps leave y as it is.
inline constexpr char const* heavy_text = R"(
#ifndef STATIC_BYTES
#define STATIC_BYTES 0
#endif
extern "C" __global__ void heavy(float* y, int steps)
{
    float v[WIDTH];
#pragma unroll
    for (int k = 0; k < WIDTH; ++k)
        v[k] = y[k];
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
#pragma unroll
        for (int k = 0; k < WIDTH; ++k)
            v[k] = v[k] * v[(k + 7) % WIDTH] + v[(k + WIDTH / 2) % WIDTH];
    }
#if STATIC_BYTES > 0
    __shared__ char pool[STATIC_BYTES];
    for (int k = threadIdx.x; k < STATIC_BYTES; k += blockDim.x)
        pool[k] = static_cast<char>(steps + k);
    __syncthreads();
    if (pool[(steps * 13) % STATIC_BYTES] == 77 && steps > 1000) v[0] += 1;
#endif
    if (steps == 0) return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < WIDTH; ++k)
        sum += v[k];
    if (threadIdx.x == 0 && blockIdx.x == 0) y[0] = sum;
}
)";

/// @param width         200 takes most registers a thread can have, 8 a few
/// @param static_bytes  of shared memory
/// @param most          registers of a thread, what does not fit is spilled; 0: as many as it takes
inline attune::device_variant heavy_variant(gpu const& g, int width, int static_bytes, int most = 0,
                                            std::string const& text = "")
{
    attune::compile_request v = gpu_variant("heavy", {"float*", "int"}, 4, 64);
    v.macros = {{"WIDTH", std::to_string(width)}, {"STATIC_BYTES", std::to_string(static_bytes)}};
    if (most > 0) v.flags = {"--maxrregcount=" + std::to_string(most)};
    return g.compile(text.empty() ? heavy_text : text, v);
}

} // namespace attune_test
