// attune/measure/roofline/detail/vector_rates.hpp - loops for the rates of one core, by width of vectors.
// SPDX-License-Identifier: MIT
//
// One loop runs as many chains of fused multiply-adds as registers hold, which covers a latency of
// six cycles on two units, and on four units where there are 32 registers. Beside eight such chains
// another loop runs six of additions: a processor with units for additions does more than its
// multiply-adds (Zen: three flops a lane in the time of two).
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/roofline/detail/arithmetic_peak.hpp>

#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

#if defined(__clang__)
#define ATTUNE_RATE_OF
#define ATTUNE_RATE_BODY _Pragma("clang fp contract(fast)")
#else
#define ATTUNE_RATE_OF gnu::optimize("O2", "fp-contract=fast"),
#define ATTUNE_RATE_BODY
#endif

// Eight values stay in vector registers, so that the compiler neither merges nor drops them.
#if defined(__x86_64__)
#define ATTUNE_KEPT(a, b, c, d, e, f, g, h)                                                        \
    asm volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f), "+x"(g), "+x"(h))
#elif defined(__aarch64__)
#define ATTUNE_KEPT(a, b, c, d, e, f, g, h)                                                        \
    asm volatile("" : "+w"(a), "+w"(b), "+w"(c), "+w"(d), "+w"(e), "+w"(f), "+w"(g), "+w"(h))
#else
#define ATTUNE_KEPT(a, b, c, d, e, f, g, h)                                                        \
    asm volatile("" : "+m"(a), "+m"(b), "+m"(c), "+m"(d), "+m"(e), "+m"(f), "+m"(g), "+m"(h))
#endif

/// Chains of multiply-adds in a loop without additions.
#if defined(__aarch64__)
inline constexpr int rate_chains = 16;
#else
inline constexpr int rate_chains = 12;
#endif

/// The loops for vectors V: rounds of `rate_chains` multiply-adds or, with `Adds`, of 8 and 6
/// additions; and passes of loads of `count` vectors, a multiple of 8.
#define ATTUNE_VECTOR_RATES(NAME, ...)                                                             \
    template <class V, bool Adds>                                                                  \
    [[ATTUNE_RATE_OF __VA_ARGS__]] void NAME##_flops(long rounds)                                  \
    {                                                                                              \
        ATTUNE_RATE_BODY                                                                           \
        V a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{}, p{}, q{}, r{}, s{}, t{}, u{}, v{}, w{}, y{},     \
            z{};                                                                                   \
        ATTUNE_KEPT(a, b, c, d, e, f, y, z);                                                       \
        for (long n = 0; n < rounds; ++n) {                                                        \
            a = a * y + z, b = b * y + z, c = c * y + z, d = d * y + z;                            \
            e = e * y + z, f = f * y + z, g = g * y + z, h = h * y + z;                            \
            ATTUNE_KEPT(a, b, c, d, e, f, g, h);                                                   \
            if constexpr (Adds) {                                                                  \
                p = p + z, q = q + z, r = r + z, s = s + z, t = t + z, u = u + z;                  \
                ATTUNE_KEPT(p, q, r, s, t, u, y, z);                                               \
            } else if constexpr (rate_chains == 16) {                                              \
                p = p * y + z, q = q * y + z, r = r * y + z, s = s * y + z;                        \
                t = t * y + z, u = u * y + z, v = v * y + z, w = w * y + z;                        \
                ATTUNE_KEPT(p, q, r, s, t, u, v, w);                                               \
            } else {                                                                               \
                p = p * y + z, q = q * y + z, r = r * y + z, s = s * y + z;                        \
                ATTUNE_KEPT(p, q, r, s, t, u, y, z);                                               \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    template <class V>                                                                             \
    [[ATTUNE_RATE_OF __VA_ARGS__]] void NAME##_loads(V const* from, std::size_t count,             \
                                                     long passes)                                  \
    {                                                                                              \
        for (long n = 0; n < passes; ++n)                                                          \
            for (std::size_t i = 0; i < count; i += 8) {                                           \
                V a = from[i], b = from[i + 1], c = from[i + 2], d = from[i + 3];                  \
                V e = from[i + 4], f = from[i + 5], g = from[i + 6], h = from[i + 7];              \
                ATTUNE_KEPT(a, b, c, d, e, f, g, h);                                               \
            }                                                                                      \
    }

ATTUNE_VECTOR_RATES(plain, )
#if defined(__x86_64__)
ATTUNE_VECTOR_RATES(avx2, gnu::target("avx2,fma"))
ATTUNE_VECTOR_RATES(avx512, gnu::target("avx512f,fma"))
#endif
#undef ATTUNE_VECTOR_RATES
#undef ATTUNE_KEPT
#undef ATTUNE_RATE_BODY
#undef ATTUNE_RATE_OF

} // namespace attune::inline ATTUNE_ABI::detail
