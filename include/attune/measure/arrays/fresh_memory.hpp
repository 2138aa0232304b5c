// attune/measure/arrays/fresh_memory.hpp - memory for copies that are made once and soon thrown away.
// SPDX-License-Identifier: MIT
//
// Source   own measurements: the first touch of a small page takes 0.1 to 2 us, up to 1.5 ms for
//          each MiB of a copy, and its end half of that; in pages of 2 MiB both take a tenth
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <sys/mman.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::size_t large_page = std::size_t{2} << 20;
/// Bytes from which on a large page is filled faster than small ones.
inline constexpr std::size_t worth_a_large_page = std::size_t{1} << 19;

/// The multiples of a large page around `address`.
[[nodiscard]] inline std::size_t below(std::size_t address) noexcept
{
    return address / large_page * large_page;
}
[[nodiscard]] inline std::size_t above(std::size_t address) noexcept
{
    return below(address + large_page - 1);
}

/// Asks for large pages. A system that has none to give uses small ones.
inline void prefer_large_pages([[maybe_unused]] void* first,
                               [[maybe_unused]] std::size_t bytes) noexcept
{
#if defined(MADV_HUGEPAGE)
    ::madvise(first, bytes, MADV_HUGEPAGE);
#endif
}

/// Bytes of its own, not initialized.
class fresh_memory {
public:
    fresh_memory() = default;
    /// Errors   bad_alloc
    explicit fresh_memory(std::size_t bytes)
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
    ~fresh_memory()
    {
        if (mapping_ != nullptr)
            ::munmap(mapping_, mapped_);
        else
            ::operator delete(data_);
    }
    /// Errors   bad_alloc
    fresh_memory(fresh_memory const& from)
        : fresh_memory(from.size_)
    {
        if (size_ > 0) std::memcpy(data_, from.data_, size_);
    }
    fresh_memory(fresh_memory&& from) noexcept
        : data_(std::exchange(from.data_, nullptr))
        , size_(std::exchange(from.size_, 0))
        , mapping_(std::exchange(from.mapping_, nullptr))
        , mapped_(std::exchange(from.mapped_, 0))
    {
    }
    fresh_memory& operator=(fresh_memory from) noexcept
    {
        std::swap(data_, from.data_);
        std::swap(size_, from.size_);
        std::swap(mapping_, from.mapping_);
        std::swap(mapped_, from.mapped_);
        return *this;
    }

    [[nodiscard]] std::span<std::byte> bytes() noexcept { return {data_, size_}; }
    [[nodiscard]] std::span<std::byte const> bytes() const noexcept { return {data_, size_}; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::byte* mapping_ = nullptr; ///< null: from operator new
    std::size_t mapped_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail
