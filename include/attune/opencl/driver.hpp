// attune/opencl/driver.hpp - OpenCL as the table of device functions that measuring and launching use.
// SPDX-License-Identifier: MIT
//
// The table is that of cuda/driver.hpp, so measure/ and the worker process serve both. Devices of
// all platforms are numbered in the order of the library. An address of the table is one of a
// reserved range without memory: each buffer has such a range, a sub-buffer is a part of it.
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/opencl/library.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::opencl {

/// The path of such a driver is "opencl:" and the path of the library.
inline constexpr std::string_view driver_prefix = "opencl:";

/// A process has one such driver, as it has one libcuda.
/// @param path  of libOpenCL, or such a driver's path; see open_library()
/// Errors   attune::error: as open_library(); no platform, no device; another library is open
[[nodiscard]] std::shared_ptr<cuda::driver const> open_driver(std::string const& path = {});

/// The library behind the driver.
/// @pre  open_driver() succeeded
[[nodiscard]] std::shared_ptr<library const> library_in_use();

/// That driver itself.
/// @pre  open_driver() succeeded
[[nodiscard]] std::shared_ptr<cuda::driver const> driver_of_process();
/// The devices, by ordinal, as the library listed them at the first open_driver().
/// @pre  open_driver() succeeded
[[nodiscard]] std::vector<found_device> const& devices_in_use();

/// Makes a program's context the one of a device, which is kept. Call it before the first use.
/// Errors   attune::error: the device has another context already, or the library's own error
void adopt_context(int ordinal, context of);
/// The context of a device, in which the driver's functions work, and its default queue. The first
/// call makes them, for the end of the process.
/// Errors   attune::error: the library's own
[[nodiscard]] context context_of(int ordinal);
[[nodiscard]] queue default_queue_of(int ordinal);

/// A multiple of base_alignment() of every device that is known: NVIDIA's has 512 bytes.
inline constexpr std::size_t most_alignment = 4096;
/// Bytes: a kernel's argument begins at a multiple of this offset in its buffer.
[[nodiscard]] std::size_t base_alignment(int ordinal);

/// A share in the address range of a buffer, or of a 2-D image in the form of an array (see
/// picture_head). Copies of addresses are valid while it lives.
class buffer_address {
public:
    /// Retains the buffer or image.
    /// Errors   attune::error: neither, or one of another context than context_of(ordinal)
    buffer_address(int ordinal, memory of);
    ~buffer_address();
    buffer_address(buffer_address const&) = delete;
    buffer_address& operator=(buffer_address const&) = delete;

    [[nodiscard]] cuda::device_pointer address() const noexcept { return address_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] memory handle() const noexcept { return of_; }
    [[nodiscard]] bool is_picture() const noexcept { return is_picture_; }

private:
    memory of_;
    cuda::device_pointer address_ = 0;
    std::size_t bytes_ = 0;
    bool is_picture_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail::opencl

#ifdef ATTUNE_HEADER_ONLY
#include <attune/opencl/driver.ipp>
#endif
