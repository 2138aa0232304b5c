// tests/emulated_cuda/launches.cpp - cuLaunchKernel, cuLaunchKernelEx: refuses what a device would, then runs the kernel.
// SPDX-License-Identifier: MIT
#include <utility>

#include "capability.hpp"
#include "modules.hpp"
#include "streams.hpp"

using namespace attune_emulated;

namespace {

/// CUlaunchAttribute and CUlaunchConfig of cuda.h.
struct launch_attribute {
    int id;
    char padding[4];
    union {
        char bytes[64];
        unsigned cluster[3];
        int cooperative;
    } value;
};
struct launch_config {
    unsigned grid[3], block[3], shared_bytes;
    void* on;
    launch_attribute const* attributes;
    unsigned attribute_count;
};

int objection(emulated_function const& f, launch_shape const& s)
{
    auto const [bx, by, bz] = s.threads;
    auto const [gx, gy, gz] = s.blocks;
    auto const [cx, cy, cz] = s.cluster;
    if (bx == 0 || by == 0 || bz == 0 || gx == 0 || gy == 0 || gz == 0) return 1;
    if (bx > 1024 || by > 1024 || bz > 64 || gx > 2147483647U || gy > 65535 || gz > 65535) return 1;
    std::size_t const threads = std::size_t{bx} * by * bz;
    if (threads > 1024) return 1;
    if (f.takes.most_threads > 0 && threads > static_cast<std::size_t>(f.takes.most_threads))
        return 1;
    if (s.shared_bytes > static_cast<std::size_t>(f.most_dynamic_bytes)) return 1;
    if ((threads + 31) / 32 * 32 * static_cast<std::size_t>(f.takes.registers) > 65536) return 701;
    std::size_t const blocks = std::size_t{gx} * gy * gz;
    std::size_t const cluster = std::size_t{cx} * cy * cz;
    if (cluster == 0 || gx % cx != 0 || gy % cy != 0 || gz % cz != 0) return 1;
    if (cluster > 1 && current_device().capability < 90) return 1;
    if (cluster > (f.may_have_large_clusters ? 16U : 8U)) return 912;
    if (s.is_cooperative &&
        blocks > static_cast<std::size_t>(resident_blocks(f, threads, s.shared_bytes)) *
                     static_cast<std::size_t>(current_device().multiprocessors))
        return 720;
    return 0;
}

int run(machine& m, device_state& d, emulated_function const& f, launch_shape const& shape,
        std::vector<std::vector<std::byte>> values)
{
    ++m.launches;
    std::vector<void*> arguments;
    for (std::vector<std::byte>& v : values)
        arguments.push_back(v.data());
    grid_result result;
    {
        open_memory const opened(f.device);
        result = run_grid(f.code, shape, arguments.data(), m.hang_s, m.newest_first);
    }
    d.clock_ns += result.cost_ns;
    d.hangs = d.hangs || result.hangs;
    if (result.error != 0) return result.error;
    return slack_is_whole(f.device) ? 0 : 700;
}

int launch(void* what, launch_shape const& shape, void* on, void** arguments, void** extra)
{
    auto f = function_of(what);
    if (f == nullptr || f->device != current_context()->device) return 400;
    if (extra != nullptr || (arguments == nullptr && !f->takes.argument_bytes.empty())) return 1;
    if (int const refused = objection(*f, shape); refused != 0) return refused;
    // Values are taken now, whenever the kernel runs.
    std::vector<std::vector<std::byte>> values;
    for (std::size_t i = 0; i < f->takes.argument_bytes.size(); ++i) {
        auto const* const from = static_cast<std::byte const*>(arguments[i]);
        if (from == nullptr) return 1;
        values.emplace_back(from, from + f->takes.argument_bytes[i]);
    }
    return submit(on, [f = std::move(f), shape, values](machine& m, device_state& d) {
        return run(m, d, *f, shape, values);
    });
}

} // namespace

ATTUNE_EMULATED_API int cuLaunchKernel(void* what, unsigned grid_x, unsigned grid_y,
                                       unsigned grid_z, unsigned block_x, unsigned block_y,
                                       unsigned block_z, unsigned shared_bytes, void* on,
                                       void** arguments, void** extra)
{
    return call("cuLaunchKernel", need::context, [&](machine&) {
        launch_shape shape;
        shape.blocks = {grid_x, grid_y, grid_z};
        shape.threads = {block_x, block_y, block_z};
        shape.shared_bytes = shared_bytes;
        return launch(what, shape, on, arguments, extra);
    });
}

ATTUNE_EMULATED_API int cuLaunchKernelEx(launch_config const* how, void* what, void** arguments,
                                         void** extra)
{
    return call("cuLaunchKernelEx", need::context, [&](machine&) {
        if (how == nullptr || (how->attributes == nullptr && how->attribute_count > 0)) return 1;
        launch_shape shape;
        shape.blocks = {how->grid[0], how->grid[1], how->grid[2]};
        shape.threads = {how->block[0], how->block[1], how->block[2]};
        shape.shared_bytes = how->shared_bytes;
        for (unsigned i = 0; i < how->attribute_count; ++i) {
            launch_attribute const& a = how->attributes[i];
            if (a.id == 2)
                shape.is_cooperative = a.value.cooperative != 0;
            else if (a.id == 4)
                shape.cluster = {a.value.cluster[0], a.value.cluster[1], a.value.cluster[2]};
            else if (a.id != 0)
                return 1; // another attribute, or no attribute at all
        }
        return launch(what, shape, how->on, arguments, extra);
    });
}
