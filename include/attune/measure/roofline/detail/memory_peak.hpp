// attune/measure/roofline/detail/memory_peak.hpp - the memory bandwidth for arrays of a given size.
// SPDX-License-Identifier: MIT
// Source   the triad of McCalpin 1995, a = b + 3 c, compiled for each vector width, which limits the
//          rate when arrays fit into caches. Each thread fills its own arrays, so that they are in
//          the memory nearest to its processor
#pragma once

#include <attune/core/posix/memory.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/roofline/detail/arithmetic_peak.hpp>
#include <attune/measure/roofline/detail/large_footprint.hpp>
#include <attune/measure/roofline/detail/peak_threads.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

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
        std::fill(all_.get(), all_.get() + 3 * count_, 1.0); // this also makes the pages exist
    }

    /// The size of the arrays for `bytes`, in bytes.
    [[nodiscard]] static double bytes_of(double bytes)
    {
        return 3.0 * sizeof(double) * static_cast<double>(count_of(bytes));
    }

    /// One pass over the arrays.
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

/// Bytes per second of the triad. Each round makes as many passes as move at least 64 MiB; a first
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
