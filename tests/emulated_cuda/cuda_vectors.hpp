// tests/emulated_cuda/cuda_vectors.hpp - float4 and its kin, aligned as CUDA aligns them.
// SPDX-License-Identifier: MIT
#pragma once

#define ATTUNE_EMULATED_VECTORS(name, type, align2, align4)                                        \
    struct name##1 { type x; };                                                                    \
    struct __attribute__((aligned(align2))) name##2 { type x, y; };                                \
    struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; };                          \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }                               \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
ATTUNE_EMULATED_VECTORS(int, int, 8, 16)
ATTUNE_EMULATED_VECTORS(uint, unsigned, 8, 16)
ATTUNE_EMULATED_VECTORS(float, float, 8, 16)
ATTUNE_EMULATED_VECTORS(double, double, 16, 16)
#undef ATTUNE_EMULATED_VECTORS
