// bench/declare/counted_allocations.module.cpp - how many bytes a process has allocated, at most.
// SPDX-License-Identifier: MIT
//
// Loaded before the C library (LD_PRELOAD) by onnx_graphs.py. Bytes are those that malloc gives,
// which are a few more than asked for.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <malloc.h>

extern "C" {

// What glibc's malloc is called beside its replaceable names.
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);

} // extern "C"

namespace {

std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> most{0};

void* counted(void* block)
{
    auto const bytes = static_cast<std::int64_t>(::malloc_usable_size(block));
    std::int64_t const now = held.fetch_add(bytes) + bytes;
    for (std::int64_t known = most.load();
         known < now && !most.compare_exchange_weak(known, now);) {
    }
    return block;
}

void forget(void* block) { held -= static_cast<std::int64_t>(::malloc_usable_size(block)); }

} // namespace

#define BENCH_EXPORT extern "C" __attribute__((visibility("default")))

/// Bytes that are allocated now; from now on, the largest number starts at this one.
BENCH_EXPORT std::int64_t bench_allocated() noexcept
{
    most = held.load();
    return held;
}
/// The largest number since bench_allocated().
BENCH_EXPORT std::int64_t bench_most_allocated() noexcept { return most; }

BENCH_EXPORT void* malloc(std::size_t bytes) noexcept { return counted(__libc_malloc(bytes)); }
BENCH_EXPORT void* calloc(std::size_t count, std::size_t bytes) noexcept
{
    return counted(__libc_calloc(count, bytes));
}
BENCH_EXPORT void* realloc(void* old, std::size_t bytes) noexcept
{
    std::size_t const before = ::malloc_usable_size(old);
    void* const made = __libc_realloc(old, bytes);
    if (made == nullptr && bytes != 0) return made; // the old block stays
    held -= static_cast<std::int64_t>(before);
    return counted(made);
}
BENCH_EXPORT void free(void* block) noexcept
{
    int const saved = errno;
    forget(block);
    __libc_free(block);
    errno = saved;
}
BENCH_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) noexcept
{
    return counted(__libc_memalign(alignment, bytes));
}
BENCH_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept
{
    return counted(__libc_memalign(alignment, bytes));
}
BENCH_EXPORT int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept
{
    void* const made = counted(__libc_memalign(alignment, bytes));
    if (made == nullptr) return ENOMEM;
    *block = made;
    return 0;
}
