// attune/core/device_span.hpp - an array in a device's memory.
// SPDX-License-Identifier: MIT-0
//
// Modelled on std::span
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <type_traits>

namespace attune::inline ATTUNE_ABI {

/// `size` elements in a device's memory. The host never reads or writes them. The kernel must not
/// write a `device_span<T const>`. A kernel declared with `device_span<T>` takes a `T*`.
template <class T>
class device_span {
public:
    using element_type = T;

    constexpr device_span() = default;
    /// @param data  device pointer to `size` elements that outlive every use
    constexpr device_span(T* data, std::size_t size) noexcept
        : data_(data)
        , size_(size)
    {
    }
    template <class U>
        requires std::is_convertible_v<U (*)[], T (*)[]>
    constexpr device_span(device_span<U> other) noexcept
        : data_(other.data())
        , size_(other.size())
    {
    }

    [[nodiscard]] constexpr T* data() const noexcept { return data_; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace attune::inline ATTUNE_ABI
