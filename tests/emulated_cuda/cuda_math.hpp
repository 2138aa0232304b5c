// tests/emulated_cuda/cuda_math.hpp - the mathematical functions that CUDA has without a header.
// SPDX-License-Identifier: MIT
#pragma once

using size_t = decltype(sizeof 0);

#define ATTUNE_EMULATED_UNARY(name)                                                                \
    extern "C" float name##f(float) noexcept;                                                      \
    extern "C" double name(double) noexcept;                                                       \
    inline float name(float x) { return name##f(x); }
ATTUNE_EMULATED_UNARY(sqrt)
ATTUNE_EMULATED_UNARY(exp)
ATTUNE_EMULATED_UNARY(exp2)
ATTUNE_EMULATED_UNARY(log)
ATTUNE_EMULATED_UNARY(log2)
ATTUNE_EMULATED_UNARY(sin)
ATTUNE_EMULATED_UNARY(cos)
ATTUNE_EMULATED_UNARY(tan)
ATTUNE_EMULATED_UNARY(tanh)
ATTUNE_EMULATED_UNARY(atan)
ATTUNE_EMULATED_UNARY(erf)
ATTUNE_EMULATED_UNARY(fabs)
ATTUNE_EMULATED_UNARY(floor)
ATTUNE_EMULATED_UNARY(ceil)
ATTUNE_EMULATED_UNARY(rint)
ATTUNE_EMULATED_UNARY(round)
ATTUNE_EMULATED_UNARY(trunc)
#undef ATTUNE_EMULATED_UNARY

#define ATTUNE_EMULATED_BINARY(name)                                                               \
    extern "C" float name##f(float, float) noexcept;                                               \
    extern "C" double name(double, double) noexcept;                                               \
    inline float name(float x, float y) { return name##f(x, y); }
ATTUNE_EMULATED_BINARY(pow)
ATTUNE_EMULATED_BINARY(atan2)
ATTUNE_EMULATED_BINARY(hypot)
ATTUNE_EMULATED_BINARY(fmin)
ATTUNE_EMULATED_BINARY(fmax)
ATTUNE_EMULATED_BINARY(fmod)
#undef ATTUNE_EMULATED_BINARY

extern "C" float fmaf(float, float, float) noexcept;
extern "C" double fma(double, double, double) noexcept;
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
extern "C" int abs(int) noexcept;

template <class T>
inline T min(T a, T b)
{
    return b < a ? b : a;
}
template <class T>
inline T max(T a, T b)
{
    return a < b ? b : a;
}

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float exp10f(float x) { return powf(10.0f, x); }
inline float fdividef(float x, float y) { return x / y; }

// The fast and the rounded ones are as exact as the host is.
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline float __saturatef(float x) { return x > 1 ? 1.0f : x > 0 ? x : 0.0f; }

// Bits.
inline int __float_as_int(float x)
{
    int out;
    __builtin_memcpy(&out, &x, sizeof out);
    return out;
}
inline float __int_as_float(int x)
{
    float out;
    __builtin_memcpy(&out, &x, sizeof out);
    return out;
}
inline unsigned __float_as_uint(float x) { return static_cast<unsigned>(__float_as_int(x)); }
inline float __uint_as_float(unsigned x) { return __int_as_float(static_cast<int>(x)); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __umulhi(unsigned x, unsigned y)
{
    return static_cast<unsigned>((static_cast<unsigned long long>(x) * y) >> 32);
}
inline int __mul24(int x, int y) { return x * y; }
inline unsigned __umul24(unsigned x, unsigned y) { return x * y; }
inline int __float2int_rn(float x) { return static_cast<int>(rintf(x)); }
inline int __float2int_rz(float x) { return static_cast<int>(x); }
inline int __float2int_rd(float x) { return static_cast<int>(floorf(x)); }
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    unsigned long long const both = static_cast<unsigned long long>(y) << 32 | x;
    unsigned out = 0;
    for (unsigned i = 0; i < 4; ++i)
        out |= static_cast<unsigned>(both >> (selector >> 4 * i & 7U) * 8 & 0xffU) << 8 * i;
    return out;
}
