// attune/opencl/device.ipp - chooses a device by names or numbers; makes buffers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/opencl/device.hpp>
#include <attune/opencl/driver.hpp>
#include <attune/opencl/library.hpp>

#include <algorithm>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail::opencl {

/// A device with the numbers that a user may name.
struct numbered_device {
    found_device what;
    int ordinal = 0; ///< among all devices
    int platform = 0;
    int number = 0; ///< on the platform
};

[[nodiscard]] inline std::vector<numbered_device> numbered()
{
    std::vector<numbered_device> out;
    for (found_device const& one : devices_in_use()) {
        numbered_device made{one, static_cast<int>(out.size()), 0, 0};
        if (!out.empty()) {
            bool const is_same = out.back().what.of == made.what.of;
            made.platform = out.back().platform + (is_same ? 0 : 1);
            made.number = is_same ? out.back().number + 1 : 0;
        }
        out.push_back(std::move(made));
    }
    return out;
}

/// True if a text names this: nothing, the number, or a part of the name.
[[nodiscard]] inline bool is_meant(std::string const& asked, int number, std::string const& name)
{
    if (asked.empty()) return true;
    if (auto const given = attune::detail::parse_number<int>(asked)) return *given == number;
    return name.find(asked) != name.npos;
}

[[nodiscard]] inline std::string line_of(numbered_device const& one)
{
    return std::to_string(one.platform) + '.' + std::to_string(one.number) + ' ' +
           one.what.platform_name + ": " + one.what.name;
}

/// The devices of a context.
/// Errors   attune::error: it is no context
[[nodiscard]] inline std::vector<device> devices_of_context(context of)
{
    library const& cl = *library_in_use();
    std::size_t bytes = 0;
    result said = cl.get_context_info(of, of_context::devices, 0, nullptr, &bytes);
    std::vector<device> out(bytes / sizeof(device));
    if (said == success)
        said = cl.get_context_info(of, of_context::devices, bytes, out.data(), nullptr);
    if (said != success || out.empty())
        throw error("the program's OpenCL context has no devices", text_of(said),
                    "name a cl_context in opencl_options::context");
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail::opencl

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE opencl_target find_opencl_target(std::string const& platform,
                                               std::string const& device,
                                               std::string const& library, void* context)
{
    auto const driver = detail::opencl::open_driver(library);
    std::vector<detail::opencl::device> allowed;
    if (context != nullptr)
        allowed = detail::opencl::devices_of_context(static_cast<detail::opencl::context>(context));
    std::string all;
    std::string outside; ///< the first device that is meant and not in the context
    std::string inside;  ///< the devices of the context
    for (detail::opencl::numbered_device const& one : detail::opencl::numbered()) {
        std::string const line = detail::opencl::line_of(one);
        all += (all.empty() ? "" : "; ") + line;
        bool const is_allowed = context == nullptr || std::find(allowed.begin(), allowed.end(),
                                                                one.what.at) != allowed.end();
        if (is_allowed) inside += (inside.empty() ? "" : "; ") + line;
        if (!detail::opencl::is_meant(platform, one.platform, one.what.platform_name) ||
            !detail::opencl::is_meant(device, one.number, one.what.name))
            continue;
        if (!is_allowed) {
            if (outside.empty()) outside = line;
            continue;
        }
        opencl_target found;
        found.device.driver = driver;
        found.device.ordinal = one.ordinal;
        found.device.limits = detail::limits_of_device(*driver, one.ordinal);
        found.platform = one.what.platform_name;
        found.driver_version = one.what.driver_version;
        return found;
    }
    if (!outside.empty())
        throw error("the device is not in the program's OpenCL context",
                    outside + " is named, the context has " + inside,
                    "name a device of the context, or leave out its name");
    throw error("there is no OpenCL device '" + device + "' on a platform '" + platform + "'",
                "there are " + all,
                "name a part of these names or their numbers, and leave out the rest");
}

ATTUNE_INLINE std::vector<std::string> opencl_devices(std::string const& library)
{
    auto const driver = detail::opencl::open_driver(library);
    std::vector<std::string> out;
    for (detail::opencl::numbered_device const& one : detail::opencl::numbered()) {
        device_limits const limits = detail::limits_of_device(*driver, one.ordinal);
        out.push_back(detail::opencl::line_of(one) + ", " + std::to_string(limits.multiprocessors) +
                      " units, " + std::to_string(limits.global_bytes >> 20) + " MiB, driver " +
                      one.what.driver_version);
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE opencl_bytes::opencl_bytes(opencl_target const& on, std::size_t count,
                                         std::size_t each, void* shared)
    : device_(on.device)
{
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, each, &bytes))
        throw error("an array of a device is larger than any memory",
                    std::to_string(count) + " elements of " + std::to_string(each) + " bytes each",
                    "look where its size comes from: a negative number, perhaps");
    opencl::library const& cl = *opencl::library_in_use();
    opencl::result said = opencl::success;
    opencl::memory const made =
        cl.create_buffer(opencl::context_of(device_.ordinal),
                         opencl::flag::read_write |
                             (shared != nullptr ? opencl::flag::use_host_memory : opencl::bits{0}),
                         bytes == 0 ? 1 : bytes, shared, &said);
    if (said != opencl::success)
        throw error("no buffer of " + std::to_string(bytes) + " bytes can be made",
                    on.name() + ": " + opencl::text_of(said),
                    "free other arrays, or work on a smaller problem");
    struct share {
        opencl::library const& cl;
        opencl::memory made;
        ~share() { cl.release_memory(made); }
    } const mine{cl, made};
    *this = opencl_bytes(on, static_cast<void*>(made));
    bytes_ = bytes;
}

ATTUNE_INLINE opencl_bytes::opencl_bytes(opencl_target const& on, void* buffer)
    : device_(on.device)
    , buffer_(buffer)
{
    auto const range = std::make_shared<opencl::buffer_address>(
        device_.ordinal, static_cast<opencl::memory>(buffer));
    bytes_ = range->bytes();
    data_ = reinterpret_cast<void*>(static_cast<std::uintptr_t>(range->address()));
    is_picture_ = range->is_picture();
    owner_ = range;
}

ATTUNE_INLINE void opencl_bytes::copy_from(void const* host) const
{
    if (bytes_ == 0) return;
    cuda::primary_context const context{device_.driver, device_.ordinal};
    cuda::context_scope const here{context};
    auto const at = reinterpret_cast<cuda::device_pointer>(data_);
    cuda::require_success(*device_.driver, device_.driver->copy_to_device(at, host, bytes_),
                          "copying an array to the device");
}

ATTUNE_INLINE void opencl_bytes::copy_to(void* host) const
{
    if (bytes_ == 0) return;
    cuda::primary_context const context{device_.driver, device_.ordinal};
    cuda::context_scope const here{context};
    cuda::synchronize_context(*device_.driver, "copying an array from the device");
    auto const at = reinterpret_cast<cuda::device_pointer>(data_);
    cuda::require_success(*device_.driver, device_.driver->copy_to_host(host, at, bytes_),
                          "copying an array from the device");
}

} // namespace attune::inline ATTUNE_ABI::detail
