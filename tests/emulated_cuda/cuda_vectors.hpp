// tests/emulated_cuda/cuda_vectors.hpp - float4 and its kin, aligned as CUDA aligns them.
// SPDX-License-Identifier: MIT
#pragma once

#define ATTUNE_EMULATED_VECTORS(name, type, align2, align4)                                        \
    struct name##1 { type x; };                                                                    \
    struct __attribute__((aligned(align2))) name##2 { type x, y; };                                \
    struct name##3_of_cuda { type x, y, z; };                                                      \
    struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; };                          \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }                               \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
ATTUNE_EMULATED_VECTORS(char, signed char, 2, 4)
ATTUNE_EMULATED_VECTORS(uchar, unsigned char, 2, 4)
ATTUNE_EMULATED_VECTORS(short, short, 4, 8)
ATTUNE_EMULATED_VECTORS(ushort, unsigned short, 4, 8)
ATTUNE_EMULATED_VECTORS(int, int, 8, 16)
ATTUNE_EMULATED_VECTORS(uint, unsigned, 8, 16)
ATTUNE_EMULATED_VECTORS(float, float, 8, 16)
ATTUNE_EMULATED_VECTORS(double, double, 16, 16)
ATTUNE_EMULATED_VECTORS(longlong, long long, 16, 16)
ATTUNE_EMULATED_VECTORS(ulonglong, unsigned long long, 16, 16)
#undef ATTUNE_EMULATED_VECTORS

using uint3 = attune_emulated::index3;
using int3 = int3_of_cuda;
using float3 = float3_of_cuda;
using double3 = double3_of_cuda;
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
inline int3 make_int3(int x, int y, int z) { return {x, y, z}; }
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
        : x(x_)
        , y(y_)
        , z(z_)
    {
    }
    constexpr dim3(uint3 v)
        : x(v.x)
        , y(v.y)
        , z(v.z)
    {
    }
};
