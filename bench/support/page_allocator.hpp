// bench/support/page_allocator.hpp - arrays that all lie alike: each begins with a page.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace bench {

/// Sixteen bytes of an array's address can decide which variant is the fastest: a vector of 64
/// bytes then lies in two cache lines. Where arrays of several threads or tunings are compared,
/// that must not differ.
template <class T>
struct page_allocator {
    using value_type = T;
    static constexpr std::align_val_t page{4096};

    page_allocator() = default;
    template <class U>
    page_allocator(page_allocator<U> const&) noexcept
    {
    }
    [[nodiscard]] T* allocate(std::size_t count)
    {
        return static_cast<T*>(::operator new(count * sizeof(T), page));
    }
    void deallocate(T* at, std::size_t) noexcept { ::operator delete(at, page); }
    [[nodiscard]] friend bool operator==(page_allocator, page_allocator) noexcept { return true; }
};

template <class T>
using page_vector = std::vector<T, page_allocator<T>>;

} // namespace bench
