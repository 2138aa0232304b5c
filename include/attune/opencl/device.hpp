// attune/opencl/device.hpp - OpenCL devices, and their buffers as typed arrays.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/device_span.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The device that compiles and runs the code.
struct opencl_target {
    cuda_target device{};         ///< its functions, number and limits
    std::string platform{};       ///< "Portable Computing Language"
    std::string driver_version{}; ///< an update changes it
    double start_limit_s = 60;    ///< wall seconds in which a first launch may compile

    /// "OpenCL cpu-haswell (Portable Computing Language)".
    [[nodiscard]] std::string name() const
    {
        return "OpenCL " + device.limits.name + " (" + platform + ')';
    }
};

/// @param platform  part of a platform's name, or its number; empty: any
/// @param device    part of a device's name, or its number on that platform; empty: the first
/// @param library   see opencl::open_library
/// @param context   a cl_context whose devices alone are looked at; null: all devices
/// Errors   attune::error: no library, no platform, no such device (with the devices there are); the
///          named device is not in the context (with both names)
[[nodiscard]] opencl_target find_opencl_target(std::string const& platform = {},
                                               std::string const& device = {},
                                               std::string const& library = {},
                                               void* context = nullptr);

/// A line for each device: "0.0 Portable Computing Language: cpu-haswell, 2 units, 3982 MiB, driver
/// 3.1".
/// Errors   as find_opencl_target()
[[nodiscard]] std::vector<std::string> opencl_devices(std::string const& library = {});

namespace detail {

/// A buffer that the kernels of a device may use; copies share it.
class opencl_bytes {
public:
    /// Makes a buffer for `count` elements.
    /// @param shared  shared virtual memory that they are in; null: new memory
    /// Errors   attune::error: more bytes than a number can state, out of memory, the library's own
    opencl_bytes(opencl_target const& on, std::size_t count, std::size_t each,
                 void* shared = nullptr);
    /// Takes a share in a cl_mem of the program, a buffer or a 2-D image.
    /// Errors   attune::error: neither, or one of another context
    opencl_bytes(opencl_target const& on, void* buffer);

    [[nodiscard]] void* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] void* buffer() const noexcept { return buffer_; }
    [[nodiscard]] bool is_picture() const noexcept { return is_picture_; }
    /// Errors   attune::error: the library's own
    void copy_from(void const* host) const;
    void copy_to(void* host) const;

private:
    cuda_target device_;
    std::size_t bytes_ = 0;
    std::shared_ptr<void const> owner_{};
    void* data_ = nullptr;
    void* buffer_ = nullptr;
    bool is_picture_ = false;
};

} // namespace detail

/// Elements in a buffer of an OpenCL device, for kernels declared with attune::device_span; copies
/// share them. The address in span() names the buffer: only kernels that attune launches
/// accept it, as long as a copy of this object lives.
///
/// Example  attune::opencl_array<float> x{compiler.target(), std::span<float const>{host}};
template <class T>
class opencl_array {
    static_assert(std::is_trivially_copyable_v<T>,
                  "attune::opencl_array<T>: only plain data can be copied to a device");

public:
    /// Makes elements without a value.
    /// Errors   attune::error: out of memory, the library's own
    opencl_array(opencl_target const& on, std::size_t size)
        : memory_(on, size, sizeof(T))
        , size_(size)
    {
    }
    opencl_array(opencl_target const& on, std::span<T const> values)
        : opencl_array(on, values.size())
    {
        memory_.copy_from(values.data());
    }
    /// The whole of a buffer or sub-buffer of the program, or of a 2-D image for a kernel with a
    /// `read_only image2d_t`. Retains it. An image is an array of bytes (T = std::byte): its size
    /// and format in 64 bytes, then its rows. Kernels must not write it.
    /// @param buffer  a cl_mem, also as a void*
    /// Errors   attune::error: no buffer or 2-D image, or one of another context than the
    ///          compiler's; its size is no multiple of the element's
    template <class Buffer>
        requires std::is_class_v<Buffer> || std::is_void_v<Buffer>
    opencl_array(opencl_target const& on, Buffer* buffer)
        : memory_(on, static_cast<void*>(buffer))
        , size_(memory_.bytes() / sizeof(T))
    {
        if (memory_.is_picture() && !std::is_same_v<std::remove_const_t<T>, std::byte>)
            throw error("an image of the program is no array of numbers",
                        std::to_string(memory_.bytes()) + " bytes",
                        "pass it as attune::opencl_array<std::byte>, to a kernel that is declared "
                        "with attune::device_span<std::byte const>");
        if (size_ * sizeof(T) != memory_.bytes())
            throw error("a buffer does not hold whole elements",
                        std::to_string(memory_.bytes()) + " bytes, " + std::to_string(sizeof(T)) +
                            " each",
                        "make a sub-buffer of whole elements");
    }

    /// Elements in shared virtual memory (clSVMAlloc) of the compiler's context, which must live as
    /// long as a copy of the result. Kernels work there. To read or write the elements by their
    /// pointer, the program maps the memory as OpenCL demands (clEnqueueSVMMap).
    /// Errors   attune::error: the library's own
    [[nodiscard]] static opencl_array in_shared_memory(opencl_target const& on, std::span<T> at)
    {
        return {detail::opencl_bytes(on, at.size(), sizeof(T), at.data()), at.size()};
    }

    [[nodiscard]] device_span<T> span() noexcept
    {
        return {static_cast<T*>(memory_.data()), size_};
    }
    [[nodiscard]] device_span<T const> span() const noexcept
    {
        return {static_cast<T const*>(memory_.data()), size_};
    }
    /// The cl_mem.
    [[nodiscard]] void* buffer() const noexcept { return memory_.buffer(); }
    /// Waits for all launches by attune on the device.
    /// Errors   attune::error: the library's own
    [[nodiscard]] std::vector<T> to_host() const
    {
        std::vector<T> out(size_);
        memory_.copy_to(out.data());
        return out;
    }

private:
    opencl_array(detail::opencl_bytes memory, std::size_t size)
        : memory_(std::move(memory))
        , size_(size)
    {
    }

    detail::opencl_bytes memory_;
    std::size_t size_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/opencl/device.ipp>
#endif
