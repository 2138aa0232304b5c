// attune/ship/baked/device_launch.hpp - launches kernels for GPUs that are in the program, by the driver.
// SPDX-License-Identifier: MIT-0
// tested by ship/baked/device_machine.cpp
// Source   "Binary compatibility" of the CUDA C++ programming guide: a CUBIN runs on its major
//          version, from its minor version on
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/requirements.hpp
#endif

#include <attune/core/version.hpp>
#include <attune/ship/baked/baked_table.hpp>
#include <attune/ship/baked/device_code.hpp>
#include <attune/ship/baked/device_driver.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// A baked_image in a context, ready to be launched. Exists until the program ends.
struct loaded_image {
    baked_image const* image = nullptr;
    launch_number const* numbers = nullptr; ///< of its configuration
    void* context = nullptr;
    void* function = nullptr;
    loaded_image const* next = nullptr;
    std::int64_t shared_unasked = 0; ///< dynamic shared bytes of a launch without more ado
    std::int64_t shared_most = 0;    ///< with an attribute of the function
    mutable std::atomic<bool> is_asked{false}; ///< the function has that attribute
};

namespace launching {

/// A device as a store names it.
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

/// The default's code for a device: an own CUBIN, else PTX.
[[nodiscard]] inline baked_image const* default_for(baked_launcher const& of, int architecture,
                                                    bool only_ptx = false) noexcept
{
    for (std::size_t i = 0; i < of.default_count; ++i)
        if (can_run(of.defaults[i], architecture) && (of.defaults[i].is_ptx || !only_ptx))
            return &of.defaults[i];
    return nullptr;
}

/// All that was loaded, the latest first.
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
    // Two threads may load the same; both serve.
    made->next = all_loaded.load(std::memory_order_acquire);
    while (!all_loaded.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
    }
    return made;
}

/// Stands for the context of the calling thread.
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
/// @param has_context  of the calling thread: else that of the code is current meanwhile
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

/// Tells why, and ends the program.
[[noreturn]] inline void give_up(baked_table const& table, launch_status const& status)
{
    std::fprintf(stderr, "attune: kernel %s was not launched: %s\n", table.kernel,
                 status.why.c_str());
    std::abort();
}

} // namespace launching

} // namespace attune::inline ATTUNE_ABI::detail
