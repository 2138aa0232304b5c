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
ATTUNE_EMULATED_UNARY(tanh)
ATTUNE_EMULATED_UNARY(erf)
ATTUNE_EMULATED_UNARY(fabs)
ATTUNE_EMULATED_UNARY(floor)
ATTUNE_EMULATED_UNARY(ceil)
ATTUNE_EMULATED_UNARY(round)
ATTUNE_EMULATED_UNARY(trunc)
#undef ATTUNE_EMULATED_UNARY

#define ATTUNE_EMULATED_BINARY(name)                                                               \
    extern "C" float name##f(float, float) noexcept;                                               \
    extern "C" double name(double, double) noexcept;                                               \
    inline float name(float x, float y) { return name##f(x, y); }
ATTUNE_EMULATED_BINARY(pow)
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

// The fast and the rounded ones are as exact as the host is.
inline float __expf(float x) { return expf(x); }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }

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
