// attune/cuda/device_array.hpp - memory on a device, for programs without an allocator.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/device_span.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Memory in the primary context of a device.
class device_bytes {
public:
    /// @param count    number of elements  @param each  bytes of one element
    /// @param ordinal  number of the device; -1: the device of the calling thread's context, else 0
    /// Errors   attune::error: no driver, no such device, out of memory (the text has the bytes),
    ///          more bytes than size_t can count
    device_bytes(std::size_t count, std::size_t each, int ordinal);

    [[nodiscard]] void* data() const noexcept { return data_; }
    /// Errors   attune::error: the driver's own; a capture of a stream for which the legacy stream
    ///          waits (the capture continues)
    void copy_from(void const* host) const;
    /// Errors   as copy_from()
    void copy_to(void* host) const;

private:
    std::size_t bytes_ = 0;
    std::shared_ptr<void const> context_{}; ///< the context lives at least as long as the memory
    std::shared_ptr<void const> owner_{};
    void* data_ = nullptr;
};

} // namespace detail

/// Elements on a device; copies share them. The class needs neither CUDA's headers nor its runtime.
/// attune accepts memory from cudaMalloc too.
///
/// Example  attune::device_array<float> x{std::span<float const>{host}};
///          saxpy(x.span(), y.span(), 2.0f, n);
template <class T>
class device_array {
    static_assert(std::is_trivially_copyable_v<T>,
                  "attune::device_array<T>: only plain data can be copied to a device");

public:
    /// Makes elements without a value.
    /// @param device  number of the device; -1: the device of the calling thread's context, else 0
    /// Errors   attune::error: no driver, no such device, out of memory
    explicit device_array(std::size_t size, int device = -1)
        : memory_(size, sizeof(T), device)
        , size_(size)
    {
    }
    explicit device_array(std::span<T const> values, int device = -1)
        : device_array(values.size(), device)
    {
        memory_.copy_from(values.data());
    }

    [[nodiscard]] device_span<T> span() noexcept
    {
        return {static_cast<T*>(memory_.data()), size_};
    }
    [[nodiscard]] device_span<T const> span() const noexcept
    {
        return {static_cast<T const*>(memory_.data()), size_};
    }
    /// Waits for all earlier work on the device, and returns the elements.
    /// Errors   attune::error: the driver's own; a capture of a stream for which the legacy stream
    ///          waits
    [[nodiscard]] std::vector<T> to_host() const
    {
        std::vector<T> out(size_);
        memory_.copy_to(out.data());
        return out;
    }

private:
    detail::device_bytes memory_;
    std::size_t size_ = 0;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/cuda/device_array.ipp>
#endif
