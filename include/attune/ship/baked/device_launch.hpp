// attune/ship/baked/device_launch.hpp - what launches on devices have in common: loaded code, its choice, geometry.
// SPDX-License-Identifier: MIT-0
// tested by ship/baked/device_machine.cpp
//
// cuda_launch.hpp and opencl_launch.hpp have a site each: the driver of one kind of device, and the
// place there of one call.
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
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// A baked_image in a context, ready to launch. Exists until the program ends.
struct loaded_image {
    baked_image const* image = nullptr;
    launch_number const* numbers = nullptr; ///< numbers of its configuration
    void const* place = nullptr;            ///< the site's: a context, and perhaps a device
    void* function = nullptr;
    loaded_image const* next = nullptr;
};

/// An argument of a kernel in the form that a device takes.
struct passed_form {
    std::size_t bytes = 0;
    bool is_array = false; ///< passed by its address
};

namespace launching {

/// A device in the terms of a store.
struct device_facts {
    std::string name{};   ///< "NVIDIA H100 (sm_90)"
    int architecture = 0; ///< CUDA: 90; OpenCL: 0
    std::string driver{}; ///< OpenCL: version of the driver
};

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

/// The code of the default for one device: a binary if there is one for the device, else text.
template <class Site>
[[nodiscard]] baked_image const* default_for(baked_launcher const& of, device_facts const& mine,
                                             bool only_text = false) noexcept
{
    for (std::size_t i = 0; i < of.default_count; ++i)
        if (Site::can_run(of.defaults[i], mine) && (of.defaults[i].is_text || !only_text))
            return &of.defaults[i];
    return nullptr;
}

/// All loaded images, the latest first.
inline std::atomic<loaded_image const*> all_loaded{nullptr};

[[nodiscard]] inline loaded_image const*
find_loaded(baked_image const& image, launch_number const* numbers, void const* place) noexcept
{
    loaded_image const* at = all_loaded.load(std::memory_order_acquire);
    while (at != nullptr && !(at->image == &image && at->numbers == numbers && at->place == place))
        at = at->next;
    return at;
}

/// Two threads may load the same image; both are usable.
inline void keep_loaded(loaded_image& made) noexcept
{
    made.next = all_loaded.load(std::memory_order_acquire);
    while (!all_loaded.compare_exchange_weak(made.next, &made, std::memory_order_acq_rel)) {
    }
}

[[nodiscard]] inline std::string list_of_images(baked_launcher const& of)
{
    std::string out;
    for (std::size_t i = 0; i < of.default_count; ++i)
        out += (out.empty() ? "" : ", ") + std::string(of.defaults[i].name);
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

/// Writes the reason, and ends the program.
[[noreturn]] inline void give_up(baked_table const& table, launch_status const& status)
{
    std::fprintf(stderr, "attune: kernel %s was not launched: %s\n", table.kernel,
                 status.why.c_str());
    std::abort();
}

} // namespace launching

} // namespace attune::inline ATTUNE_ABI::detail
