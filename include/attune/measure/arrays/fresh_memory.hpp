// attune/measure/arrays/fresh_memory.hpp - memory for copies with a short life.
// SPDX-License-Identifier: MIT
// Source   own measurements: the first access to a small page takes 0.1 to 2 us, up to 1.5 ms per
//          MiB, and freeing it half of that; pages of 2 MiB take a tenth of both
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::size_t large_page = std::size_t{2} << 20;
/// Size from which a large page is filled faster than small pages, in bytes.
inline constexpr std::size_t worth_a_large_page = std::size_t{1} << 19;

/// The multiples of a large page below and above `address`.
[[nodiscard]] inline std::size_t below(std::size_t address) noexcept
{
    return address / large_page * large_page;
}
[[nodiscard]] inline std::size_t above(std::size_t address) noexcept
{
    return below(address + large_page - 1);
}

/// Requests large pages. The system uses small ones if it has no large ones.
void prefer_large_pages(void* first, std::size_t bytes) noexcept;

/// Owns bytes that are not initialised.
class fresh_memory {
public:
    fresh_memory() = default;
    /// Errors   bad_alloc
    explicit fresh_memory(std::size_t bytes);
    ~fresh_memory();
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
    std::byte* mapping_ = nullptr; ///< null: `data_` is from operator new
    std::size_t mapped_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/arrays/fresh_memory.ipp>
#endif
