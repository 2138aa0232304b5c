// attune/tune/kernel/detail/shared_with_child.hpp - memory through which a forked child answers its parent.
// SPDX-License-Identifier: MIT
// tested by tune/check_error.cpp
#pragma once

#include <attune/core/version.hpp>

#include <new>
#include <sys/mman.h>

namespace attune::inline ATTUNE_ABI::detail {

/// `T` in memory that a forked child shares.
template <class T>
class shared_with_child {
public:
    shared_with_child()
        : memory_(
              ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
    {
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
        content_ = ::new (memory_) T;
    }
    ~shared_with_child() { ::munmap(memory_, sizeof(T)); }
    shared_with_child(shared_with_child const&) = delete;
    shared_with_child& operator=(shared_with_child const&) = delete;

    [[nodiscard]] T& get() const noexcept { return *content_; }

private:
    void* memory_;
    T* content_ = nullptr;
};

} // namespace attune::inline ATTUNE_ABI::detail
