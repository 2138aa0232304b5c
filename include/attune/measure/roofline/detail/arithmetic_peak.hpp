// attune/measure/roofline/detail/arithmetic_peak.hpp - the rate of fused multiply-adds.
// SPDX-License-Identifier: MIT
//
// One loop, compiled for each vector width; the width is chosen at run time, because the library is
// compiled for the oldest processor. Twelve independent chains cover a latency of up to six cycles
// on two units.
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/roofline/detail/peak_threads.hpp>

#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

// Sanitizers that the compiler reports; gcc does not report -fsanitize=undefined.
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ATTUNE_SLOWED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define ATTUNE_SLOWED 1
#endif
#endif
/// False when the loops of this file and of memory_peak.hpp were compiled without optimisation or
/// with a sanitizer, which makes them many times slower.
#ifdef ATTUNE_SLOWED
inline constexpr bool peaks_are_optimised = false;
#else
inline constexpr bool peaks_are_optimised = true;
#endif
#undef ATTUNE_SLOWED

template <class T, std::size_t Bytes>
struct vector_of {
    using type [[gnu::vector_size(Bytes)]] = T;
};

// Forces a product and a sum into one instruction, whatever the program's flags: without
// optimisation or contraction the peak would be half.
#if defined(__clang__)
#define ATTUNE_FUSED
#define ATTUNE_FUSED_BODY _Pragma("clang fp contract(fast)")
#else
#define ATTUNE_FUSED gnu::optimize("O2", "fp-contract=fast"),
#define ATTUNE_FUSED_BODY
#endif

/// @return  the sum of the twelve chains, in one lane
#define ATTUNE_MULTIPLY_ADD(NAME, BYTES, ...)                                                      \
    template <class T>                                                                             \
    [[ nodiscard, ATTUNE_FUSED __VA_ARGS__ ]] T NAME(long rounds)                                  \
    {                                                                                              \
        ATTUNE_FUSED_BODY                                                                          \
        using v = typename vector_of<T, BYTES>::type;                                              \
        v const x = v{} + T(0.999), y = v{} + T(0.001);                                            \
        v a = y, b = y + y, c = b + y, d = c + y, e = d + y, f = e + y;                            \
        v g = f + y, h = g + y, i = h + y, j = i + y, k = j + y, l = k + y;                        \
        for (long n = 0; n < rounds; ++n) {                                                        \
            a = a * x + y, b = b * x + y, c = c * x + y, d = d * x + y;                            \
            e = e * x + y, f = f * x + y, g = g * x + y, h = h * x + y;                            \
            i = i * x + y, j = j * x + y, k = k * x + y, l = l * x + y;                            \
        }                                                                                          \
        v const sum = a + b + c + d + e + f + g + h + i + j + k + l;                               \
        return sum[0];                                                                             \
    }

ATTUNE_MULTIPLY_ADD(multiply_add_16, 16, )
#if defined(__x86_64__)
ATTUNE_MULTIPLY_ADD(multiply_add_32, 32, gnu::target("avx2,fma"))
ATTUNE_MULTIPLY_ADD(multiply_add_64, 64, gnu::target("avx512f,fma"))
#endif
#undef ATTUNE_MULTIPLY_ADD
#undef ATTUNE_FUSED_BODY
#undef ATTUNE_FUSED

/// Bytes of this processor's widest vectors.
[[nodiscard]] inline std::size_t vector_bytes()
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return 64;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 32;
#endif
    return 16;
}

/// One multiplication and one addition in each lane of twelve vectors.
template <class T>
[[nodiscard]] std::size_t flops_per_round()
{
    return 2 * 12 * vector_bytes() / sizeof(T);
}

template <class T>
[[nodiscard]] T multiply_add(long rounds)
{
#if defined(__x86_64__)
    switch (vector_bytes()) {
    case 64:
        return multiply_add_64<T>(rounds);
    case 32:
        return multiply_add_32<T>(rounds);
    default:
        break;
    }
#endif
    return multiply_add_16<T>(rounds);
}

template <class T>
[[nodiscard]] double flops_per_s(unsigned threads)
{
    constexpr long rounds = 2'000'000;
    double const flops = static_cast<double>(threads) * static_cast<double>(rounds) *
                         static_cast<double>(flops_per_round<T>());
    return flops / quickest_round_s(threads, 9, [](unsigned) {
               return [] {
                   T const volatile sink = multiply_add<T>(rounds);
                   static_cast<void>(sink);
               };
           });
}

} // namespace attune::inline ATTUNE_ABI::detail
