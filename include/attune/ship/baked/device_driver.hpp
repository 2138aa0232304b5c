// attune/ship/baked/device_driver.hpp - the CUDA driver in a released program, and its contexts.
// SPDX-License-Identifier: MIT-0
// tested by ship/baked/device_machine.cpp
// Source   CUDA driver API reference; no CUDA header is needed
//
// The unit of a table for a device includes it (device_machine.hpp), nothing else: a program
// without such a kernel opens no library. libcuda.so.1 is opened by the first launch and never
// closed.
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/requirements.hpp
#endif

#include <attune/core/version.hpp>

#include <dlfcn.h>
#include <string>

namespace attune::inline ATTUNE_ABI::detail::launching {

/// CUlaunchAttribute and CUlaunchConfig.
struct attribute {
    int id = 0;
    char padding[4] = {};
    union alignas(8) {
        char bytes[64];
        unsigned cluster[3];
        int cooperative;
    } value{};
};
struct config {
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    void* stream;
    attribute* attributes;
    unsigned attribute_count;
};

/// The functions of the driver that a launch needs.
struct driver {
    int (*init)(unsigned) = nullptr;
    int (*error_name)(int, char const**) = nullptr;
    int (*error_text)(int, char const**) = nullptr;
    int (*get_current)(void**) = nullptr;
    int (*set_current)(void*) = nullptr;
    int (*get_device)(int*) = nullptr;
    int (*device_name)(char*, int, int) = nullptr;
    int (*device_attribute)(int*, int, int) = nullptr;
    int (*retain_primary)(void**, int) = nullptr;
    int (*load)(void**, void const*) = nullptr;
    int (*unload)(void*) = nullptr;
    int (*get_function)(void**, void*, char const*) = nullptr;
    int (*get_attribute)(int*, int, void*) = nullptr;
    int (*set_attribute)(void*, int, int) = nullptr;
    int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void*, void**, void**) = nullptr;
    int (*launch_ex)(config const*, void*, void**, void**) = nullptr; ///< since CUDA 11.8
    int (*exchange_capture_mode)(int*) = nullptr;                     ///< may be missing
    std::string why{}; ///< it cannot be used; empty: it can
};

template <class Function>
bool take(void* library, char const* name, Function*& to)
{
    to = reinterpret_cast<Function*>(::dlsym(library, name));
    return to != nullptr;
}

[[nodiscard]] inline std::string text_of_error(driver const& d, int error)
{
    char const* name = nullptr;
    char const* text = nullptr;
    if (d.error_name == nullptr || d.error_name(error, &name) != 0 || name == nullptr)
        return "CUDA error " + std::to_string(error);
    std::string out = name;
    if (d.error_text(error, &text) == 0 && text != nullptr) out = out + ": " + text;
    return out;
}

[[nodiscard]] inline driver opened_driver()
{
    driver out;
    void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        char const* const said = ::dlerror();
        out.why = "there is no CUDA driver: " + std::string(said != nullptr ? said : "");
        return out;
    }
    take(library, "cuLaunchKernelEx", out.launch_ex);
    take(library, "cuThreadExchangeStreamCaptureMode", out.exchange_capture_mode);
    bool const is_whole = take(library, "cuInit", out.init) &&
                          take(library, "cuGetErrorName", out.error_name) &&
                          take(library, "cuGetErrorString", out.error_text) &&
                          take(library, "cuCtxGetCurrent", out.get_current) &&
                          take(library, "cuCtxSetCurrent", out.set_current) &&
                          take(library, "cuCtxGetDevice", out.get_device) &&
                          take(library, "cuDeviceGetName", out.device_name) &&
                          take(library, "cuDeviceGetAttribute", out.device_attribute) &&
                          take(library, "cuDevicePrimaryCtxRetain", out.retain_primary) &&
                          take(library, "cuModuleLoadData", out.load) &&
                          take(library, "cuModuleUnload", out.unload) &&
                          take(library, "cuModuleGetFunction", out.get_function) &&
                          take(library, "cuFuncGetAttribute", out.get_attribute) &&
                          take(library, "cuFuncSetAttribute", out.set_attribute) &&
                          take(library, "cuLaunchKernel", out.launch);
    if (!is_whole)
        out.why = "libcuda.so.1 lacks functions: it is older than CUDA 11.4, or no CUDA driver";
    else if (int const error = out.init(0); error != 0)
        out.why = "the CUDA driver does not start: " + text_of_error(out, error);
    return out;
}

[[nodiscard]] inline driver const& the_driver()
{
    static driver const& one = *new driver(opened_driver()); // launches may come until the end
    return one;
}

/// The context of the calling thread; without one, the primary context of device 0 while this
/// lives.
class inside_context {
public:
    explicit inside_context(driver const& d)
        : driver_(d)
    {
        if (d.get_current(&context) == 0 && context != nullptr) return;
        context = nullptr;
        static void* const primary = [&d] {
            void* made = nullptr;
            return d.retain_primary(&made, 0) == 0 ? made : nullptr;
        }();
        if (primary == nullptr || d.set_current(primary) != 0) return;
        context = primary;
        is_primary = true;
    }
    ~inside_context()
    {
        if (is_primary) driver_.set_current(nullptr);
    }
    inside_context(inside_context const&) = delete;
    inside_context& operator=(inside_context const&) = delete;

    void* context = nullptr; ///< null: there is none
    bool is_primary = false;

private:
    driver const& driver_;
};

/// Modules may be loaded while the calling thread captures a stream.
class relaxed_capture {
public:
    explicit relaxed_capture(driver const& d)
        : driver_(d)
    {
        if (d.exchange_capture_mode != nullptr) d.exchange_capture_mode(&mode_);
    }
    ~relaxed_capture()
    {
        if (driver_.exchange_capture_mode != nullptr) driver_.exchange_capture_mode(&mode_);
    }
    relaxed_capture(relaxed_capture const&) = delete;
    relaxed_capture& operator=(relaxed_capture const&) = delete;

private:
    driver const& driver_;
    int mode_ = 2; // relaxed
};

} // namespace attune::inline ATTUNE_ABI::detail::launching
