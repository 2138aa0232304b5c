// tests/emulated_cuda/modules.cpp - cuModule*, cuFunc*, cuOccupancyMaxActiveBlocksPerMultiprocessor.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <dlfcn.h>
#include <utility>

#include "capability.hpp"
#include "modules.hpp"

using namespace attune_emulated;

namespace {

struct emulated_module {
    std::string symbol;
    std::shared_ptr<emulated_function> kernel;
};

int load(std::string_view image, emulated_module& out)
{
    image_name const name = parse_image(image);
    // Code for a real device is well formed, but not for this one.
    if (name.path.empty()) return image.starts_with("\177ELF") ? 209 : 200;
    void* const object = ::dlopen(name.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (object == nullptr) return 200;
    auto made = std::make_shared<emulated_function>();
    made->code.object = object;
    made->code.run = reinterpret_cast<void (*)(void**)>(::dlsym(object, name.symbol.c_str()));
    made->code.place = static_cast<thread_place const**>(::dlsym(object, "attune_emulated_place"));
    made->code.machine = static_cast<services const**>(::dlsym(object, "attune_emulated_machine"));
    if (made->code.run == nullptr || made->code.place == nullptr || made->code.machine == nullptr)
        return 200;
    made->takes = resources_of(object);
    made->code.static_shared_bytes = made->takes.static_shared_bytes;
    made->most_dynamic_bytes =
        std::max(0, 48 * 1024 - static_cast<int>(made->takes.static_shared_bytes));
    made->device = current_context()->device;
    int const wanted = static_cast<int>(made->takes.architecture);
    int const there = current_device().capability;
    if (wanted != 0 && (wanted / 10 != there / 10 || wanted > there)) return 209;
    out = {name.symbol, std::move(made)};
    return 0;
}

} // namespace

namespace attune_emulated {

emulated_function::~emulated_function()
{
    if (code.object != nullptr) ::dlclose(code.object);
}

std::shared_ptr<emulated_function> function_of(void* handle)
{
    if (!the_machine().knows(handle, handle_kind::module)) return nullptr;
    return static_cast<emulated_module*>(handle)->kernel;
}

int resident_blocks(emulated_function const& f, std::size_t threads, std::size_t dynamic_bytes)
{
    capability_limits const& c = limits_of(current_device().capability);
    auto const up = [](std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; };
    std::size_t const warps = (threads + 31) / 32;
    std::size_t blocks = std::min(static_cast<std::size_t>(c.blocks),
                                  static_cast<std::size_t>(c.threads) / 32 / warps);
    auto const registers = static_cast<std::size_t>(f.takes.registers);
    if (registers > 0) {
        std::size_t const of_a_warp = up(registers * 32, 256);
        blocks = std::min(blocks, 65536 / of_a_warp / 4 * 4 / warps);
    }
    std::size_t const shared = f.code.static_shared_bytes + dynamic_bytes;
    std::size_t const taken = up(shared + static_cast<std::size_t>(c.reserved_bytes), 128);
    if (taken > 0) blocks = std::min(blocks, static_cast<std::size_t>(c.shared_bytes) / taken);
    return static_cast<int>(blocks);
}

} // namespace attune_emulated

ATTUNE_EMULATED_API int cuModuleLoadData(void** out, void const* image)
{
    return call("cuModuleLoadData", need::context, [&](machine& m) {
        if (out == nullptr || image == nullptr) return 1;
        if (int const refused = disturb_captures(disturbance::unsafe); refused != 0) return refused;
        auto made = std::make_unique<emulated_module>();
        if (int const error = load(static_cast<char const*>(image), *made); error != 0)
            return error;
        m.handles.emplace(made.get(), handle_kind::module);
        *out = made.release();
        return 0;
    });
}

ATTUNE_EMULATED_API int cuModuleUnload(void* what)
{
    return call("cuModuleUnload", need::initialized, [&](machine& m) {
        if (!m.knows(what, handle_kind::module)) return 400;
        if (int const refused = disturb_captures(disturbance::unsafe); refused != 0) return refused;
        m.handles.erase(what);
        delete static_cast<emulated_module*>(what);
        return m.sticky;
    });
}

ATTUNE_EMULATED_API int cuModuleGetFunction(void** out, void* from, char const* name)
{
    return call("cuModuleGetFunction", need::context, [&](machine& m) {
        if (!m.knows(from, handle_kind::module)) return 400;
        if (name == nullptr || *name == '\0') return 1;
        if (static_cast<emulated_module*>(from)->symbol != name) return 500;
        *out = from; // the module's only one
        return 0;
    });
}

ATTUNE_EMULATED_API int cuFuncSetAttribute(void* of, int attribute, int value)
{
    return call("cuFuncSetAttribute", need::context, [&](machine&) {
        auto const f = function_of(of);
        if (f == nullptr) return 400;
        int const most = limits_of(current_device().capability).shared_opt_in_bytes;
        if (attribute == 8) {
            if (value < 0 || value > most - static_cast<int>(f->code.static_shared_bytes)) return 1;
            f->most_dynamic_bytes = value;
        } else if (attribute == 14) {
            f->may_have_large_clusters = value != 0;
        } else if (attribute != 9) {
            return 1;
        }
        return 0;
    });
}
