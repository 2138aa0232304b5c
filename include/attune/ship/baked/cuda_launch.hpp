// attune/ship/baked/cuda_launch.hpp - the CUDA driver in a released program, and launches with it.
// SPDX-License-Identifier: MIT-0
// tested by ship/baked/device_machine.cpp
// Source   CUDA driver API reference; no CUDA header is needed. "Binary compatibility" of the CUDA
//          C++ programming guide: a CUBIN runs on its major version, from its minor version on
//
// Only the unit of a table for a device includes this header (device_machine.hpp): a program
// without such a kernel opens no library. The first launch opens libcuda.so.1, which is never
// closed.
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/version.hpp
#endif

#include <attune/core/version.hpp>
#include <attune/ship/baked/device_code.hpp>
#include <attune/ship/baked/device_launch.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <optional>
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
    std::string why{}; ///< reason why the driver is unusable; empty: usable
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

/// The context of the calling thread. Without one, makes the primary context of device 0 current
/// during its lifetime.
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

    void* context = nullptr; ///< null: no context
    bool is_primary = false;

private:
    driver const& driver_;
};

/// While an object lives, the calling thread may load modules although it captures a stream.
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

struct cuda_image : loaded_image {
    std::int64_t shared_unasked = 0; ///< dynamic shared bytes of a launch without an attribute
    std::int64_t shared_most = 0;    ///< with an attribute of the function
    mutable std::atomic<bool> is_asked{false}; ///< true after the function got that attribute
};

/// @pre  a context is current
[[nodiscard]] inline device_facts facts_of_current(driver const& d)
{
    device_facts out;
    int device = 0, major = 0, minor = 0;
    char name[256] = "";
    if (d.get_device(&device) != 0 || d.device_attribute(&major, 75, device) != 0 ||
        d.device_attribute(&minor, 76, device) != 0)
        return out;
    out.architecture = 10 * major + minor;
    if (d.device_name(name, sizeof name - 1, device) == 0)
        out.name = name + (" (sm_" + std::to_string(out.architecture) + ')');
    return out;
}

/// @pre  `inside` is current
[[nodiscard]] inline loaded_image const* load(driver const& d, inside_context const& inside,
                                              baked_image const& image,
                                              launch_number const* numbers, launch_status& status)
{
    if (loaded_image const* const known = find_loaded(image, numbers, inside.context)) return known;
    relaxed_capture const beside_captures{d};
    void* module = nullptr;
    void* function = nullptr;
    if (int const error = d.load(&module, image.bytes); error != 0) {
        status = {"cuModuleLoadData: " + text_of_error(d, error), error};
        return nullptr;
    }
    if (int const error = d.get_function(&function, module, image.entry); error != 0) {
        d.unload(module);
        status = {"cuModuleGetFunction of " + std::string(image.entry) + ": " +
                      text_of_error(d, error),
                  error};
        return nullptr;
    }
    auto* const made = new cuda_image;
    made->image = &image;
    made->numbers = numbers;
    made->place = inside.context;
    made->function = function;
    int device = 0, most = 0, fixed = 0;
    if (d.get_attribute(&fixed, 1, function) != 0) fixed = 0;
    made->shared_unasked = 48 * 1024 - fixed;
    if (d.get_device(&device) == 0 && d.device_attribute(&most, 97, device) == 0)
        made->shared_most = most - fixed;
    keep_loaded(*made);
    return made;
}

[[nodiscard]] inline int start(driver const& d, cuda_image const& what, baked_geometry const& g,
                               bool is_cooperative, void* stream, void** arguments)
{
    auto const number = [](std::int64_t n) { return static_cast<unsigned>(n); };
    bool const has_clusters = g.cluster != std::array<std::int64_t, 3>{1, 1, 1};
    if (!has_clusters && !is_cooperative)
        return d.launch(what.function, number(g.grid[0]), number(g.grid[1]), number(g.grid[2]),
                        number(g.block[0]), number(g.block[1]), number(g.block[2]),
                        number(g.shared_bytes), stream, arguments, nullptr);
    if (d.launch_ex == nullptr) return 801; // not supported
    attribute attributes[2];
    unsigned count = 0;
    if (has_clusters) {
        attributes[count].id = 4;
        for (std::size_t i = 0; i < 3; ++i)
            attributes[count].value.cluster[i] = number(g.cluster[i]);
        ++count;
    }
    if (is_cooperative) {
        attributes[count].id = 2;
        attributes[count].value.cooperative = 1;
        ++count;
    }
    config const how{{number(g.grid[0]), number(g.grid[1]), number(g.grid[2])},
                     {number(g.block[0]), number(g.block[1]), number(g.block[2])},
                     number(g.shared_bytes),
                     stream,
                     attributes,
                     count};
    return d.launch_ex(&how, what.function, arguments, nullptr);
}

/// The current context of the calling thread, for one call. Without one, the primary context of
/// device 0.
class cuda_site {
public:
    static constexpr char const* absent = "there is no CUDA driver, or no context";
    static constexpr char const* unsupported =
        "the variant needs instructions that this processor does not have";
    static constexpr bool has_handles = false; ///< true: an array is passed as the driver's object

    [[nodiscard]] static bool can_run(baked_image const& image, device_facts const& on) noexcept
    {
        if (image.is_text) return image.architecture <= on.architecture;
        return image.architecture / 10 == on.architecture / 10 &&
               image.architecture <= on.architecture;
    }
    /// Returns true if a binary is not for this device after all, for example for a Tegra, to which
    /// the rule does not apply.
    [[nodiscard]] static bool is_foreign_binary(int error) noexcept { return error == 209; }

    cuda_site(void* stream, void const*)
        : driver_(the_driver())
        , stream_(stream)
    {
        if (!driver_.why.empty() || driver_.get_current(&context_) != 0) context_ = nullptr;
    }

    /// A number for the context; 0: none.
    [[nodiscard]] std::int64_t number() const noexcept
    {
        return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(context_));
    }
    /// Makes a context current until the end of this object. Returns the reason if there is none.
    [[nodiscard]] std::string enter()
    {
        if (!driver_.why.empty()) return driver_.why;
        inside_.emplace(driver_);
        return inside_->context != nullptr ? ""
                                           : "there is no CUDA context, and device 0 gives none";
    }
    /// @pre  enter() succeeded, also for load()
    [[nodiscard]] device_facts facts() const { return facts_of_current(driver_); }
    [[nodiscard]] loaded_image const* load(baked_image const& image, launch_number const* numbers,
                                           launch_status& status) const
    {
        return launching::load(driver_, *inside_, image, numbers, status);
    }
    /// Begins a launch.
    /// @param arguments  an address for each
    [[nodiscard]] launch_status start(loaded_image const& code, baked_geometry const& g,
                                      bool is_cooperative, void** arguments, passed_form const*,
                                      std::size_t)
    {
        auto const& what = static_cast<cuda_image const&>(code);
        driver const& d = driver_;
        struct put_back {
            driver const& d;
            bool is_needed;
            ~put_back()
            {
                if (is_needed) d.set_current(nullptr);
            }
        } const at_end{d, context_ == nullptr && !inside_};
        if (at_end.is_needed && d.set_current(const_cast<void*>(what.place)) != 0)
            return {"the primary context of device 0 cannot be made current", 0};
        if (g.shared_bytes > what.shared_unasked &&
            !what.is_asked.load(std::memory_order_acquire)) {
            if (int const error =
                    d.set_attribute(what.function, 8, static_cast<int>(what.shared_most)))
                return {"cuFuncSetAttribute for " + text_of(g) + ": " + text_of_error(d, error),
                        error};
            what.is_asked.store(true, std::memory_order_release);
        }
        if (int const error = launching::start(d, what, g, is_cooperative, stream_, arguments))
            return {"cuLaunchKernel, " + text_of(g) + ": " + text_of_error(d, error), error};
        return {};
    }

private:
    driver const& driver_;
    void* stream_;
    void* context_ = nullptr;
    std::optional<inside_context> inside_{};
};

} // namespace attune::inline ATTUNE_ABI::detail::launching
