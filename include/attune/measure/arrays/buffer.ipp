// attune/measure/arrays/buffer.ipp - the flush instructions of x86 and ARM.
// SPDX-License-Identifier: MIT
// Source   Intel SDM and AMD APM: CLFLUSH; Arm ARM: DC CIVAC and CTR_EL0, which Linux lets programs use
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>

#include <algorithm>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Bytes of the shortest line of the data caches.
[[nodiscard]] inline std::size_t cache_line_bytes() noexcept
{
#if defined(__aarch64__)
    std::uint64_t types = 0;
    asm("mrs %0, ctr_el0" : "=r"(types));
    return std::size_t{4} << (types >> 16 & 0xf); // DminLine: the logarithm of words
#else
    return 64;
#endif
}

#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
inline constexpr bool can_flush_lines = true;
#else
inline constexpr bool can_flush_lines = false;
#endif

inline void flush_line([[maybe_unused]] std::byte const* at) noexcept
{
#if defined(__x86_64__) || defined(__i386__)
    asm volatile("clflush %0" : : "m"(*at) : "memory");
#elif defined(__aarch64__)
    asm volatile("dc civac, %0" : : "r"(at) : "memory");
#endif
}

[[nodiscard]] inline std::size_t bytes_to_next_line(std::byte const* at, std::size_t line) noexcept
{
    return line - reinterpret_cast<std::uintptr_t>(at) % line;
}

inline void wait_for_flushes() noexcept
{
#if defined(__x86_64__) || defined(__i386__)
    asm volatile("mfence" : : : "memory");
#elif defined(__aarch64__)
    asm volatile("dsb ish" : : : "memory");
#endif
}

ATTUNE_INLINE std::size_t sweep_bytes() noexcept
{
    long last = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    last = std::max(::sysconf(_SC_LEVEL3_CACHE_SIZE), ::sysconf(_SC_LEVEL2_CACHE_SIZE));
#endif
    constexpr std::size_t least = std::size_t{32} << 20;
    constexpr std::size_t most = std::size_t{512} << 20;
    return std::clamp(2 * static_cast<std::size_t>(std::max(last, 0L)), least, most);
}

ATTUNE_INLINE cache_eviction::cache_eviction(std::span<buffer const> buffers)
    : buffers_(buffers.begin(), buffers.end())
{
    if (!can_flush_lines) sweep_.resize(sweep_bytes());
}

ATTUNE_INLINE std::size_t cache_eviction::evict() noexcept
{
    std::size_t lines = 0;
    std::size_t const length = cache_line_bytes();
    if (!can_flush_lines) {
        for (std::size_t i = 0; i < sweep_.size(); i += length, ++lines) {
            std::byte volatile* const line = sweep_.data() + i;
            *line = *line ^ std::byte{1};
        }
        return lines;
    }
    for (buffer const& b : buffers_)
        for (std::size_t i = 0; i < b.bytes; i += bytes_to_next_line(b.data + i, length), ++lines)
            flush_line(b.data + i);
    wait_for_flushes();
    return lines;
}

} // namespace attune::inline ATTUNE_ABI::detail
