// attune/ship/baked/device_launch.hpp - the CUDA driver in a released program, and launches with it.
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
#include <attune/ship/baked/baked_table.hpp>
#include <attune/ship/baked/device_code.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

namespace launching {

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

} // namespace launching

/// A baked_image in a context, ready to launch. Exists until the program ends.
struct loaded_image {
    baked_image const* image = nullptr;
    launch_number const* numbers = nullptr; ///< numbers of its configuration
    void* context = nullptr;
    void* function = nullptr;
    loaded_image const* next = nullptr;
    std::int64_t shared_unasked = 0; ///< dynamic shared bytes of a launch without an attribute
    std::int64_t shared_most = 0;    ///< with an attribute of the function
    mutable std::atomic<bool> is_asked{false}; ///< true after the function got that attribute
};

namespace launching {

/// A device in the terms of a store.
struct device_facts {
    std::string name{}; ///< "NVIDIA H100 (sm_90)"
    int architecture = 0;
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

[[nodiscard]] inline bool can_run(baked_image const& image, int architecture) noexcept
{
    if (image.is_ptx) return image.architecture <= architecture;
    return image.architecture / 10 == architecture / 10 && image.architecture <= architecture;
}

/// The same device, else the same architecture, else the same major version, else the first.
[[nodiscard]] inline baked_device const& device_among(baked_table const& table,
                                                      device_facts const& mine) noexcept
{
    baked_device const* best = table.devices.begin();
    int best_fit = 0;
    for (baked_device const& one : table.devices) {
        int const fit = mine.name == one.name                             ? 3
                        : one.architecture == mine.architecture           ? 2
                        : one.architecture / 10 == mine.architecture / 10 ? 1
                                                                          : 0;
        if (fit > best_fit) {
            best = &one;
            best_fit = fit;
        }
    }
    return *best;
}

/// The default's code for a device: a CUBIN for it, else PTX.
[[nodiscard]] inline baked_image const* default_for(baked_launcher const& of, int architecture,
                                                    bool only_ptx = false) noexcept
{
    for (std::size_t i = 0; i < of.default_count; ++i)
        if (can_run(of.defaults[i], architecture) && (of.defaults[i].is_ptx || !only_ptx))
            return &of.defaults[i];
    return nullptr;
}

/// All loaded images, the latest first.
inline std::atomic<loaded_image const*> all_loaded{nullptr};

[[nodiscard]] inline loaded_image const*
find_loaded(baked_image const& image, launch_number const* numbers, void* context) noexcept
{
    loaded_image const* at = all_loaded.load(std::memory_order_acquire);
    while (at != nullptr &&
           !(at->image == &image && at->numbers == numbers && at->context == context))
        at = at->next;
    return at;
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
    auto* const made = new loaded_image;
    made->image = &image;
    made->numbers = numbers;
    made->context = inside.context;
    made->function = function;
    int device = 0, most = 0, fixed = 0;
    if (d.get_attribute(&fixed, 1, function) != 0) fixed = 0;
    made->shared_unasked = 48 * 1024 - fixed;
    if (d.get_device(&device) == 0 && d.device_attribute(&most, 97, device) == 0)
        made->shared_most = most - fixed;
    // Two threads may load the same image; both are usable.
    made->next = all_loaded.load(std::memory_order_acquire);
    while (!all_loaded.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
    }
    return made;
}

/// A number for the context of the calling thread.
[[nodiscard]] inline std::int64_t here()
{
    driver const& d = the_driver();
    void* context = nullptr;
    if (!d.why.empty() || d.get_current(&context) != 0) return 0;
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(context));
}

[[nodiscard]] inline std::string list_of_architectures(baked_launcher const& of)
{
    std::string out;
    for (std::size_t i = 0; i < of.default_count; ++i)
        out += (out.empty() ? "" : ", ") + std::string(of.defaults[i].is_ptx ? "PTX " : "") +
               "sm_" + std::to_string(of.defaults[i].architecture);
    return out;
}

[[nodiscard]] inline std::string text_of(baked_geometry const& g)
{
    auto const extents = [](std::array<std::int64_t, 3> const& e) {
        return std::to_string(e[0]) + 'x' + std::to_string(e[1]) + 'x' + std::to_string(e[2]);
    };
    std::string out = "grid " + extents(g.grid) + ", block " + extents(g.block);
    if (g.cluster != std::array<std::int64_t, 3>{1, 1, 1}) out += ", cluster " + extents(g.cluster);
    return out + ", " + std::to_string(g.shared_bytes) + " bytes shared";
}

[[nodiscard]] inline bool is_possible(baked_geometry const& g) noexcept
{
    constexpr std::int64_t most = 2'147'483'647;
    for (auto const* const extents : {&g.grid, &g.block, &g.cluster})
        for (std::int64_t const e : *extents)
            if (e < 1 || e > most) return false;
    return g.shared_bytes >= 0 && g.shared_bytes <= most;
}

[[nodiscard]] inline int start(driver const& d, loaded_image const& what, baked_geometry const& g,
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

/// Begins a launch.
/// @param inputs       of the call  @param arguments  an address for each
/// @param has_context  true: the calling thread has a context; otherwise that of the code is
///                     current meanwhile
[[nodiscard]] inline launch_status launch(baked_launcher const& by, loaded_image const& what,
                                          launch_number const* inputs, bool has_context,
                                          void* stream, void** arguments)
{
    driver const& d = the_driver();
    baked_geometry g;
    by.geometry(inputs, what.numbers, g);
    if (!is_possible(g)) return {"no device launches this: " + text_of(g), 0};
    if (!has_context && d.set_current(what.context) != 0)
        return {"the primary context of device 0 cannot be made current", 0};
    struct put_back {
        driver const& d;
        bool is_needed;
        ~put_back()
        {
            if (is_needed) d.set_current(nullptr);
        }
    } const at_end{d, !has_context};
    if (g.shared_bytes > what.shared_unasked && !what.is_asked.load(std::memory_order_acquire)) {
        if (int const error = d.set_attribute(what.function, 8, static_cast<int>(what.shared_most)))
            return {"cuFuncSetAttribute for " + text_of(g) + ": " + text_of_error(d, error), error};
        what.is_asked.store(true, std::memory_order_release);
    }
    if (int const error = start(d, what, g, by.is_cooperative, stream, arguments))
        return {"cuLaunchKernel, " + text_of(g) + ": " + text_of_error(d, error), error};
    return {};
}

/// Writes the reason, and ends the program.
[[noreturn]] inline void give_up(baked_table const& table, launch_status const& status)
{
    std::fprintf(stderr, "attune: kernel %s was not launched: %s\n", table.kernel,
                 status.why.c_str());
    std::abort();
}

} // namespace launching

} // namespace attune::inline ATTUNE_ABI::detail
