// attune/measure/cuda/device_memory.hpp - owns memory on a device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/cuda/device_session.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// One allocation, aligned to 256 bytes.
class device_memory {
public:
    /// @param what_for  for the error: "argument 2"  @pre the session's context is current
    /// Errors   attune::error: out of memory (the text has the bytes requested and free)
    device_memory(std::shared_ptr<device_session> where, std::size_t bytes,
                  std::string const& what_for);
    /// Empty when there is no room.
    /// Errors   attune::error: other errors of the driver
    [[nodiscard]] static std::optional<device_memory>
    if_it_fits(std::shared_ptr<device_session> where, std::size_t bytes);

    ~device_memory();
    device_memory(device_memory&& other) noexcept;
    device_memory& operator=(device_memory&& other) noexcept;

    [[nodiscard]] cuda::device_pointer address() const noexcept { return address_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    device_memory(std::shared_ptr<device_session> where, cuda::device_pointer address,
                  std::size_t bytes) noexcept;

    std::shared_ptr<device_session> where_;
    cuda::device_pointer address_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_memory.ipp>
#endif
