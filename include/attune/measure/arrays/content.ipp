// attune/measure/arrays/content.ipp - memory for copies: large pages, or operator new.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/content.hpp>

#include <new>
#include <sys/mman.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void prefer_large_pages([[maybe_unused]] void* first,
                                      [[maybe_unused]] std::size_t bytes) noexcept
{
#if defined(MADV_HUGEPAGE)
    ::madvise(first, bytes, MADV_HUGEPAGE);
#endif
}

ATTUNE_INLINE fresh_memory::fresh_memory(std::size_t bytes)
    : size_(bytes)
{
    if (bytes == 0) return;
    if (bytes < worth_a_large_page) {
        data_ = static_cast<std::byte*>(::operator new(bytes));
        return;
    }
    mapped_ = above(bytes) + large_page;
    void* const got =
        ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) throw std::bad_alloc();
    mapping_ = static_cast<std::byte*>(got);
    auto const begin = reinterpret_cast<std::uintptr_t>(got);
    data_ = mapping_ + (above(begin) - begin);
    prefer_large_pages(data_, above(bytes));
}

ATTUNE_INLINE fresh_memory::~fresh_memory()
{
    if (mapping_ != nullptr)
        ::munmap(mapping_, mapped_);
    else
        ::operator delete(data_);
}

} // namespace attune::inline ATTUNE_ABI::detail
