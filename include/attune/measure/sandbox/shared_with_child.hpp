// attune/measure/sandbox/shared_with_child.hpp - memory through which a forked child answers its parent.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <new>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// Zero bytes that children forked from now on share with this process.
class shared_pages {
public:
    /// Errors   bad_alloc, and errno tells why
    explicit shared_pages(std::size_t bytes);
    ~shared_pages();
    shared_pages(shared_pages const&) = delete;
    shared_pages& operator=(shared_pages const&) = delete;

    /// Aligned to a page.
    [[nodiscard]] std::span<std::byte> bytes() const noexcept
    {
        return {static_cast<std::byte*>(memory_), bytes_};
    }

private:
    std::size_t bytes_;
    void* memory_;
};

/// A `T` in such memory.
/// Errors   as shared_pages
template <class T>
class shared_with_child {
public:
    [[nodiscard]] T& get() const noexcept { return *content_; }

private:
    shared_pages memory_{sizeof(T)};
    T* content_ = ::new (memory_.bytes().data()) T;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/shared_with_child.ipp>
#endif
