// attune/compile/nest/detail/nest_prelude.hpp - the functions that written programs call.
// SPDX-License-Identifier: MIT
// Source   exp: Cephes expf (Moshier), in two steps of scaling; tanh: the rational function of
//          Eigen's ptanh; erf: Abramowitz & Stegun 7.1.26
#pragma once

#include <attune/core/version.hpp>

#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::string_view nest_prelude = R"NEST(// Vectors of W numbers, for Clang and GCC.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define VEC_UNROLL _Pragma("clang loop unroll(full)")
#define VEC_UNROLL_BY_(n) _Pragma(#n)
#define VEC_UNROLL_BY(n) VEC_UNROLL_BY_(clang loop unroll_count(n))
#define VEC_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#pragma GCC diagnostic ignored "-Wpsabi"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define VEC_UNROLL _Pragma("GCC unroll 64")
#define VEC_UNROLL_BY_(n) _Pragma(#n)
#define VEC_UNROLL_BY(n) VEC_UNROLL_BY_(GCC unroll n)
#define VEC_NO_UNROLL _Pragma("GCC unroll 1")
#endif
#define VEC_INLINE static inline __attribute__((always_inline, unused))

namespace vec {
namespace {

template <class T, long W>
struct lanes_of {
    typedef T type __attribute__((vector_size(W * sizeof(T))));
};
template <class T, long W>
using lanes = typename lanes_of<T, W>::type;

// A number that the compiler knows.
template <long N>
struct known {
    constexpr operator long() const { return N; }
};

// Memory for copies that are too large for the stack; aligned to cache lines.
template <class T>
struct memory {
    explicit memory(long count)
        : bytes(static_cast<char*>(__builtin_malloc(static_cast<unsigned long>(count) * sizeof(T) + 64)))
    {
        if (bytes == nullptr) __builtin_trap();
    }
    ~memory() { __builtin_free(bytes); }
    memory(memory const&) = delete;
    memory& operator=(memory const&) = delete;
    T* data() const
    {
        return reinterpret_cast<T*>((reinterpret_cast<unsigned long>(bytes) + 63) / 64 * 64);
    }
    char* bytes;
};

template <class V, class T>
VEC_INLINE V load(T const* from)
{
    V v;
    __builtin_memcpy(&v, from, sizeof(V));
    return v;
}
template <class V, class T>
VEC_INLINE V load(T const* from, long count) // the other lanes: 0
{
    if (count >= static_cast<long>(sizeof(V) / sizeof(T))) return load<V>(from);
    V v{};
    for (long i = 0; i < count; ++i)
        v[i] = from[i];
    return v;
}
template <class V, class T>
VEC_INLINE void store(T* to, V v)
{
    __builtin_memcpy(to, &v, sizeof(V));
}
template <class V, class T>
VEC_INLINE void store(T* to, V v, long count)
{
    if (count >= static_cast<long>(sizeof(V) / sizeof(T))) return store(to, v);
    for (long i = 0; i < count; ++i)
        to[i] = v[i];
}
template <class V, class F>
VEC_INLINE V each(F const& value_of, long count)
{
    V v{};
    for (long i = 0; i < count; ++i)
        v[i] = value_of(i);
    return v;
}
template <class V, class T>
VEC_INLINE V gather(T const* from, long stride, long count)
{
    return each<V>([&](long i) { return from[i * stride]; }, count);
}
template <class V, class T>
VEC_INLINE void scatter(T* to, long stride, V v, long count)
{
    for (long i = 0; i < count; ++i)
        to[i * stride] = v[i];
}
template <class V, class T>
VEC_INLINE V splat(T x)
{
    return x - V{};
}
template <class V, class U>
VEC_INLINE V convert(U v)
{
    return __builtin_convertvector(v, V);
}
template <class V>
VEC_INLINE V iota()
{
    V v{};
    for (unsigned long i = 0; i < sizeof(v) / sizeof(v[0]); ++i)
        v[i] = static_cast<decltype(v[0] + v[0])>(i);
    return v;
}
template <class V>
VEC_INLINE V min(V a, V b)
{
    return b < a ? b : a;
}
template <class V>
VEC_INLINE V max(V a, V b)
{
    return a < b ? b : a;
}
template <class M, class V>
VEC_INLINE V select(M chosen, V a, V b)
{
    V out{};
    for (unsigned long i = 0; i < sizeof(V) / sizeof(a[0]); ++i)
        out[i] = chosen[i] ? a[i] : b[i];
    return out;
}
// Lanes from `count` on become `other`.
template <class V, class T>
VEC_INLINE V first(V v, long count, T other)
{
    for (long i = 0; i < static_cast<long>(sizeof(V) / sizeof(T)); ++i)
        v[i] = i < count ? v[i] : other;
    return v;
}
// a sign b of whole numbers, around at the ends of their type.
template <class T>
struct unsigned_of {
    using type = unsigned long;
};
template <>
struct unsigned_of<int> {
    using type = unsigned;
};
template <class A, class T>
VEC_INLINE T wrap(A a, char sign, T b)
{
    using U = typename unsigned_of<T>::type;
    U const x = static_cast<U>(static_cast<T>(a));
    U const y = static_cast<U>(b);
    return static_cast<T>(sign == '+' ? x + y : sign == '-' ? x - y : x * y);
}
// a / b of whole numbers; 0 where b is 0. Lanes behind an end, and choices not taken, have any numbers.
template <class T>
VEC_INLINE T quotient(T a, T b)
{
    if (b == 0) return 0;
    if (b == static_cast<T>(-1) && static_cast<T>(-1) < static_cast<T>(1)) return vec::wrap(0, '-', a);
    return a / b;
}
template <class T, long W>
VEC_INLINE lanes<T, W> quotients(lanes<T, W> a, lanes<T, W> b)
{
    for (long i = 0; i < W; ++i)
        a[i] = vec::quotient<T>(a[i], b[i]);
    return a;
}

// Numbers with a fraction have no end to go around.
template <class T>
VEC_INLINE T combine(T a, char sign, T b)
{
    if constexpr (static_cast<T>(0.5) != static_cast<T>(0))
        return static_cast<T>(sign == '+' ? a + b : a * b);
    else
        return wrap(a, sign, b);
}
template <class T, class V, class F>
VEC_INLINE T fold(V v, F const& of)
{
    T part[sizeof(V) / sizeof(T)];
    __builtin_memcpy(part, &v, sizeof(V));
    for (unsigned long half = sizeof(V) / sizeof(T) / 2; half > 0; half /= 2)
        for (unsigned long i = 0; i < half; ++i)
            part[i] = of(part[i], part[i + half]);
    return part[0];
}
template <class T, class V>
VEC_INLINE T fold_sum(V v)
{
    return fold<T>(v, [](T a, T b) { return vec::combine(a, '+', b); });
}
template <class T, class V>
VEC_INLINE T fold_product(V v)
{
    return fold<T>(v, [](T a, T b) { return vec::combine(a, '*', b); });
}
template <class T, class V>
VEC_INLINE T fold_min(V v)
{
    return fold<T>(v, [](T a, T b) { return b < a ? b : a; });
}
template <class T, class V>
VEC_INLINE T fold_max(V v)
{
    return fold<T>(v, [](T a, T b) { return a < b ? b : a; });
}

template <class V>
VEC_INLINE V absolute(V x)
{
    return x <= 0 ? V{} - x : x; // of -0.0 it is 0.0
}
// The neutral values of max and min.
template <class T>
constexpr T lowest()
{
    if (static_cast<T>(0.5) != 0) return static_cast<T>(-__builtin_inf());
    if (static_cast<T>(-1) > 0) return 0;
    return static_cast<T>(1ull << (8 * sizeof(T) - 1));
}
template <class T>
constexpr T highest()
{
    if (static_cast<T>(0.5) != 0) return static_cast<T>(__builtin_inf());
    if (static_cast<T>(-1) > 0) return static_cast<T>(-1);
    return static_cast<T>((1ull << (8 * sizeof(T) - 1)) - 1);
}
)NEST";

/// For programs with elements of binary16.
inline constexpr std::string_view nest_prelude_half =
    R"NEST(#if defined(__aarch64__) && !defined(__clang__) && __GNUC__ < 13
typedef __fp16 _Float16; // which GCC 12 has for x86 only
#endif
)NEST";

/// For programs with bfloat16 elements.
inline constexpr std::string_view nest_prelude_bfloat =
    R"NEST(#if !defined(__clang__) && __GNUC__ < 13
#error "bfloat16 elements need Clang, or GCC from 13: GCC 12 has no arithmetic for __bf16"
#endif
)NEST";

inline constexpr std::string_view nest_prelude_math = R"NEST(
template <class To, class From>
VEC_INLINE To bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}
VEC_INLINE float exp(float x) { return __builtin_expf(x); }
VEC_INLINE double exp(double x) { return __builtin_exp(x); }
VEC_INLINE float log(float x) { return __builtin_logf(x); }
VEC_INLINE double log(double x) { return __builtin_log(x); }
VEC_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
VEC_INLINE double sqrt(double x) { return __builtin_sqrt(x); }
VEC_INLINE float tanh(float x) { return __builtin_tanhf(x); }
VEC_INLINE double tanh(double x) { return __builtin_tanh(x); }
VEC_INLINE float erf(float x) { return __builtin_erff(x); }
VEC_INLINE double erf(double x) { return __builtin_erf(x); }

// For W floats. Relative error below 2e-7; inf above 88.72, 0 below -87.33.
template <long W>
VEC_INLINE lanes<float, W> exp_f32(lanes<float, W> x)
{
    using F = lanes<float, W>;
    using I = lanes<int, W>;
    F const bounded = max<F>(min<F>(x, splat<F>(88.8f)), splat<F>(-88.0f));
    F const shifted = bounded * 1.44269504f + 12582912.0f; // 1.5 * 2^23: rounds to an integer
    F const n = shifted - 12582912.0f;
    F const r = bounded - n * 0.693359375f + n * 2.12194440e-4f;
    F p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    I const whole = __builtin_convertvector(n, I);
    I const half = whole >> 1;
    p = p * bits<F>((half + 127) << 23) * bits<F>((whole - half + 127) << 23);
    p = x > 88.7228394f ? splat<F>(__builtin_inff()) : p;
    p = x < -87.3365479f ? F{} : p;
    return x == x ? p : x;
}
// Relative error below 4e-7.
template <long W>
VEC_INLINE lanes<float, W> tanh_f32(lanes<float, W> x)
{
    using F = lanes<float, W>;
    F const b = max<F>(min<F>(x, splat<F>(7.90531110763549805f)), splat<F>(-7.90531110763549805f));
    F const s = b * b;
    F p = s * -2.76076847742355e-16f + 2.00018790482477e-13f;
    p = p * s - 8.60467152213735e-11f;
    p = p * s + 5.12229709037114e-08f;
    p = p * s + 1.48572235717979e-05f;
    p = p * s + 6.37261928875436e-04f;
    p = p * s + 4.89352455891786e-03f;
    F q = s * 1.19825839466702e-06f + 1.18534705686654e-04f;
    q = q * s + 2.26843463243900e-03f;
    q = q * s + 4.89352518554385e-03f;
    F const y = b * p / q;
    return x == x ? y : x;
}
// Absolute error below 8e-7.
template <long W>
VEC_INLINE lanes<float, W> erf_f32(lanes<float, W> x)
{
    using F = lanes<float, W>;
    F const a = x < 0.0f ? -x : x;
    F const t = 1.0f / (a * 0.3275911f + 1.0f);
    F p = t * 1.061405429f - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    F const y = 1.0f - p * t * exp_f32<W>(-a * a);
    return x < 0.0f ? -y : y;
}
// f of W numbers of another type, one by one.
template <class T, long W, class F>
VEC_INLINE lanes<T, W> one_by_one(lanes<T, W> x, F const& f)
{
    for (long i = 0; i < W; ++i)
        x[i] = static_cast<T>(f(static_cast<double>(x[i])));
    return x;
}
template <class T, long W>
VEC_INLINE lanes<T, W> exp(lanes<T, W> x)
{
    if constexpr (__is_same(T, float)) return exp_f32<W>(x);
    else return one_by_one<T, W>(x, [](double v) { return __builtin_exp(v); });
}
template <class T, long W>
VEC_INLINE lanes<T, W> tanh(lanes<T, W> x)
{
    if constexpr (__is_same(T, float)) return tanh_f32<W>(x);
    else return one_by_one<T, W>(x, [](double v) { return __builtin_tanh(v); });
}
template <class T, long W>
VEC_INLINE lanes<T, W> erf(lanes<T, W> x)
{
    if constexpr (__is_same(T, float)) return erf_f32<W>(x);
    else return one_by_one<T, W>(x, [](double v) { return __builtin_erf(v); });
}
template <class T, long W>
VEC_INLINE lanes<T, W> log(lanes<T, W> x)
{
    return one_by_one<T, W>(x, [](double v) { return __builtin_log(v); });
}
template <class T, long W>
VEC_INLINE lanes<T, W> sqrt(lanes<T, W> x)
{
    for (long i = 0; i < W; ++i)
        x[i] = static_cast<T>(__is_same(T, float) ? static_cast<double>(__builtin_sqrtf(static_cast<float>(x[i])))
                                                 : __builtin_sqrt(static_cast<double>(x[i])));
    return x;
}
)NEST";

/// For programs that store past the caches.
inline constexpr std::string_view nest_prelude_stream = R"NEST(
// Stores a vector to memory, past the caches, where it is aligned; end_stream() before others read.
template <class V, class T>
VEC_INLINE void stream(T* to, V v)
{
#if defined(__clang__)
    constexpr unsigned long step = sizeof(V) < 64 ? sizeof(V) : 64;
    typedef V part __attribute__((aligned(step)));
    if (reinterpret_cast<unsigned long>(to) % step == 0) {
        __builtin_nontemporal_store(v, reinterpret_cast<part*>(to));
        return;
    }
#elif defined(__SSE__)
    typedef float part __attribute__((vector_size(16)));
    if (sizeof(V) % sizeof(part) == 0 && reinterpret_cast<unsigned long>(to) % sizeof(part) == 0) {
        for (unsigned long i = 0; i < sizeof(V) / sizeof(part); ++i) {
            part one;
            __builtin_memcpy(&one, reinterpret_cast<char const*>(&v) + i * sizeof(part), sizeof(part));
            __builtin_ia32_movntps(reinterpret_cast<float*>(to) + i * sizeof(part) / sizeof(float), one);
        }
        return;
    }
#endif
    store(to, v);
}
template <class V, class T>
VEC_INLINE void stream(T* to, V v, long count)
{
    if (count >= static_cast<long>(sizeof(V) / sizeof(T))) return stream(to, v);
    store(to, v, count);
}
VEC_INLINE void end_stream()
{
#if defined(__SSE__)
    __builtin_ia32_sfence();
#endif
}
)NEST";

inline constexpr std::string_view nest_prelude_end = R"NEST(
} // namespace
} // namespace vec
)NEST";

} // namespace attune::inline ATTUNE_ABI::detail
