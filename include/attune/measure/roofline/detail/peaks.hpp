// attune/measure/roofline/detail/peaks.hpp - measures rates of arithmetic and of memory.
// SPDX-License-Identifier: MIT
// Source   for memory, the triad of McCalpin 1995, a = b + 3 c, compiled for each vector width, which limits the
//          rate when arrays fit into caches. Each thread fills its own arrays, so that they are in
//          the memory nearest to its processor
//
// The same loop is compiled for each vector width. The width is chosen at run time, because the
// library is compiled for the oldest processor. Twelve independent chains cover a latency of up to
// six cycles on two units.
//
// A loop for one core runs as many chains of fused multiply-adds as registers hold. These chains
// cover a latency of six cycles on two units, and on four units if there are 32 registers. Another
// loop runs eight such chains beside six of additions. In that loop, a processor with separate
// units for additions exceeds its rate of multiply-adds (Zen: three flops a lane in the time of
// two).
#pragma once

#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Starts `body(i)` in a thread that is joined when its handle is destroyed.
struct joined_threads {
    template <class Body>
    std::jthread operator()(Body const& body, unsigned i) const
    {
        return std::jthread(body, i);
    }
};

/// Seconds of the quickest round, because disturbances only make rounds longer.
///
/// Thread i creates its work with `make(i)`, so the system places its memory near its processor,
/// and runs it once. The thread then runs it `rounds` times. All threads begin a round together,
/// and the round ends with the last thread. Starting and ending threads is not timed.
/// @param threads  >= 1; the calling thread is the first
/// @param make     make(i) returns a callable without arguments that does not throw
/// Errors   std::system_error: the system starts no more threads; exceptions of `make`. All started
///          threads have ended then.
template <class Clock = std::chrono::steady_clock, class Make, class Start = joined_threads>
[[nodiscard]] double quickest_round_s(unsigned threads, int rounds, Make const& make,
                                      Start const& start = {})
{
    double best_s = std::numeric_limits<double>::infinity();
    std::optional<typename Clock::time_point> begun;
    // The barrier calls `turn` when the last thread has arrived, before any thread continues.
    auto const turn = [&]() noexcept {
        auto const now = Clock::now();
        if (begun) best_s = std::min(best_s, std::chrono::duration<double>(now - *begun).count());
        begun = now;
    };
    std::barrier meeting(static_cast<std::ptrdiff_t>(threads), turn);
    std::atomic<bool> is_off = false; // changes only before the first barrier
    std::mutex lock;
    std::exception_ptr thrown;
    auto const take_part = [&](unsigned i) {
        std::optional<std::invoke_result_t<Make const&, unsigned>> act;
        try {
            act.emplace(make(i));
            (*act)();
        } catch (...) {
            std::scoped_lock const held(lock);
            thrown = std::current_exception();
            is_off = true;
        }
        meeting.arrive_and_wait();
        for (int round = 0; round < rounds && !is_off; ++round) {
            (*act)();
            meeting.arrive_and_wait();
        }
    };
    std::vector<std::jthread> others(threads - 1); // joined before the objects above are destroyed
    unsigned running = 1;
    try {
        for (std::jthread& other : others) {
            other = start(take_part, running);
            ++running;
        }
    } catch (...) { // the started threads wait at the barrier for the missing ones
        is_off = true;
        static_cast<void>(meeting.arrive(static_cast<std::ptrdiff_t>(threads - running + 1)));
        throw;
    }
    take_part(0);
    others.clear();
    if (thrown) std::rethrow_exception(thrown);
    return best_s;
}

// Sanitizers that the compiler reports; gcc does not report -fsanitize=undefined.
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ATTUNE_SLOWED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define ATTUNE_SLOWED 1
#endif
#endif
/// False if the loops of this file were compiled without optimisation or
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

// Forces a product and a sum into one instruction, whatever the program's flags. Without
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

/// A multiplication and one addition in each lane of twelve vectors.
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

/// Bytes that all threads use together for arrays far larger than the caches. A thread has 192 MiB,
/// all threads 1.5 GiB at most, or 24 MiB each if that is more. At most a quarter of the spare
/// memory.
/// @param spare    bytes to spare
/// @param beyond   minimum for arrays far larger than the caches
/// Errors   std::bad_alloc: the result would be less than `beyond`
[[nodiscard]] inline double large_footprint(unsigned threads, double spare, double beyond)
{
    constexpr double mebibyte = 1 << 20;
    double const wanted = mebibyte * std::max(std::min(192.0 * threads, 1536.0), 24.0 * threads);
    double const most = 0.25 * spare;
    if (most < std::min(beyond, wanted)) throw std::bad_alloc();
    return std::min(wanted, most);
}

#define ATTUNE_TRIAD(NAME, BYTES, ...)                                                             \
    __VA_ARGS__ inline void NAME(double* a, double const* b, double const* c, std::size_t count)   \
    {                                                                                              \
        using v = typename vector_of<double, BYTES>::type;                                         \
        constexpr std::size_t lanes = BYTES / sizeof(double);                                      \
        for (std::size_t i = 0; i < count; i += lanes) {                                           \
            v x, y;                                                                                \
            __builtin_memcpy(&x, b + i, BYTES);                                                    \
            __builtin_memcpy(&y, c + i, BYTES);                                                    \
            v const sum = x + 3.0 * y;                                                             \
            __builtin_memcpy(a + i, &sum, BYTES);                                                  \
        }                                                                                          \
    }

ATTUNE_TRIAD(triad_16, 16, )
#if defined(__x86_64__)
ATTUNE_TRIAD(triad_32, 32, [[gnu::target("avx2,fma")]])
ATTUNE_TRIAD(triad_64, 64, [[gnu::target("avx512f,fma")]])
#endif
#undef ATTUNE_TRIAD

/// Three arrays, allocated and filled by the thread that uses them.
class triad_arrays {
public:
    static constexpr std::size_t multiple = 8; ///< of doubles: the widest vector

    /// @param bytes  minimum size of all three together
    explicit triad_arrays(double bytes)
        : count_(count_of(bytes))
        , all_(new double[3 * count_])
    {
        std::fill(all_.get(), all_.get() + 3 * count_, 1.0); // also makes the pages exist
    }

    /// The size of the arrays for `bytes`, in bytes.
    [[nodiscard]] static double bytes_of(double bytes)
    {
        return 3.0 * sizeof(double) * static_cast<double>(count_of(bytes));
    }

    void operator()() const
    {
        double* const a = all_.get();
        double const *const b = a + count_, *const c = b + count_;
#if defined(__x86_64__)
        if (vector_bytes() == 64)
            triad_64(a, b, c, count_);
        else if (vector_bytes() == 32)
            triad_32(a, b, c, count_);
        else
#endif
            triad_16(a, b, c, count_);
        asm volatile("" : : "r"(a) : "memory");
    }

private:
    [[nodiscard]] static std::size_t count_of(double bytes)
    {
        return (static_cast<std::size_t>(bytes) / (3 * sizeof(double)) / multiple + 1) * multiple;
    }

    std::size_t count_;
    std::unique_ptr<double[]> all_;
};

/// Bytes per second of the triad. Each round makes enough passes to move at least 64 MiB. A first
/// round, not counted, warms the caches.
/// @param footprint  bytes of the arrays of all threads; 0: far larger than the caches
[[nodiscard]] inline double triad_bytes_per_s(unsigned threads, double footprint)
{
    if (!(footprint > 0))
        footprint =
            large_footprint(threads, spare_memory_bytes(), static_cast<double>(sweep_bytes()));
    struct passes {
        triad_arrays arrays;
        double count;

        void operator()() const
        {
            for (double i = 0; i < count; ++i)
                arrays();
        }
    };
    double const each = footprint / threads;
    double const once = triad_arrays::bytes_of(each);
    double const count = std::max(std::floor((64 << 20) / once), 1.0);
    return once * count * threads / quickest_round_s(threads, 9, [&](unsigned) {
               return passes{triad_arrays(each), count};
           });
}

} // namespace attune::inline ATTUNE_ABI::detail
