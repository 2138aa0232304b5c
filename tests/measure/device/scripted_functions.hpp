// tests/measure/device/scripted_functions.hpp - the functions of scripted_driver.hpp, which includes it.
// SPDX-License-Identifier: MIT
#pragma once

#include "scripted_driver.hpp"

namespace attune_test {

inline cu::result scripted_device::run(std::string const& image, scripted_launch launch)
{
    return enqueue([this, image, launch] {
        ++launches;
        now_s += kernels.at(image)(launch);
    });
}

#define ATTUNE_SCRIPTED(name)                                                                      \
    scripted_device& self = *scripted_device::self();                                              \
    if (cu::result const failed = self.enter(name); failed != cu::success) return failed;

/// Every function of the table, in its order.
inline std::shared_ptr<cu::driver const> scripted_device::driver()
{
    auto made = std::make_shared<cu::driver>();
    cu::driver& d = *made;
    d.version = 13000;
    d.path = "scripted";
    d.get_error_name = [](cu::result, char const** text) {
        *text = "CUDA_ERROR_SCRIPTED";
        return cu::result{0};
    };
    d.get_error_string = [](cu::result, char const** text) {
        *text = "as the script says";
        return cu::result{0};
    };
    d.device_get_count = [](int* count) {
        ATTUNE_SCRIPTED("device_get_count")
        *count = self.devices;
        return cu::result{0};
    };
    d.device_get = [](cu::device* out, int ordinal) {
        ATTUNE_SCRIPTED("device_get")
        *out = ordinal;
        return ordinal < self.devices ? cu::result{0} : cu::result{101};
    };
    d.device_get_name = [](char* text, int, cu::device) {
        ATTUNE_SCRIPTED("device_get_name")
        std::memcpy(text, "scripted", 9);
        return cu::result{0};
    };
    d.device_get_attribute = [](int* value, int which, cu::device) {
        ATTUNE_SCRIPTED("device_get_attribute")
        *value = which == cu::of_device::l2_bytes ? 1 << 20 : 1;
        return cu::result{0};
    };
    d.device_get_pci_bus_id = [](char* text, int, cu::device) {
        ATTUNE_SCRIPTED("device_get_pci_bus_id")
        std::memcpy(text, "0000:00:00.0", 13);
        return cu::result{0};
    };
    d.primary_context_retain = [](cu::context* out, cu::device) {
        ATTUNE_SCRIPTED("primary_context_retain")
        return self.make(out, "context");
    };
    d.primary_context_release = [](cu::device) {
        ATTUNE_SCRIPTED("primary_context_release")
        return self.drop("context");
    };
    d.context_get_current = [](cu::context* out) {
        ATTUNE_SCRIPTED("context_get_current")
        *out = self.current;
        return cu::result{0};
    };
    d.context_set_current = [](cu::context to) {
        ATTUNE_SCRIPTED("context_set_current")
        self.current = to;
        return cu::result{0};
    };
    d.context_synchronize = [] {
        ATTUNE_SCRIPTED("context_synchronize")
        return self.pending;
    };
    d.module_load_data = [](cu::module* out, void const* image) {
        ATTUNE_SCRIPTED("module_load_data")
        if (!self.kernels.contains(static_cast<char const*>(image))) return cu::result{200};
        self.make(out, "module");
        self.modules[*out] = static_cast<char const*>(image);
        return cu::result{0};
    };
    d.module_unload = [](cu::module) {
        ATTUNE_SCRIPTED("module_unload")
        return self.drop("module");
    };
    d.module_get_function = [](cu::function* out, cu::module from, char const* name) {
        ATTUNE_SCRIPTED("module_get_function")
        if (std::string(name) == "missing") return cu::result{500};
        *out = reinterpret_cast<cu::function>(from);
        self.functions[*out] = self.modules[from];
        return cu::result{0};
    };
    d.function_set_attribute = [](cu::function, int, int) {
        ATTUNE_SCRIPTED("function_set_attribute")
        return cu::result{0};
    };
    d.launch_kernel = [](cu::function what, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                         unsigned by, unsigned bz, unsigned shared, cu::stream, void** arguments,
                         void**) {
        ATTUNE_SCRIPTED("launch_kernel")
        return self.run(self.functions.at(what),
                        {{gx, gy, gz}, {bx, by, bz}, shared, arguments, false, 1});
    };
    d.launch_kernel_ex = [](cu::launch_config const* how, cu::function what, void** arguments,
                            void**) {
        ATTUNE_SCRIPTED("launch_kernel_ex")
        scripted_launch launch{{how->grid[0], how->grid[1], how->grid[2]},
                               {how->block[0], how->block[1], how->block[2]},
                               how->shared_bytes,
                               arguments,
                               false,
                               1};
        for (unsigned i = 0; i < how->attribute_count; ++i) {
            cu::launch_attribute const& a = how->attributes[i];
            if (a.id == cu::of_launch::cooperative)
                launch.is_cooperative = a.value.cooperative == 1;
            if (a.id == cu::of_launch::cluster)
                launch.cluster = a.value.cluster[0] * a.value.cluster[1] * a.value.cluster[2];
        }
        return self.run(self.functions.at(what), launch);
    };
    d.memory_allocate = [](cu::device_pointer* out, std::size_t bytes) {
        ATTUNE_SCRIPTED("memory_allocate")
        if (bytes == 0) return cu::result{1};
        if (self.used_bytes + bytes > self.memory_bytes) return cu::result{2};
        void* const got = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
        *out = reinterpret_cast<cu::device_pointer>(got);
        self.allocations[*out] = bytes;
        self.used_bytes += bytes;
        ++self.live["memory"];
        return cu::result{0};
    };
    d.memory_free = [](cu::device_pointer what) {
        ATTUNE_SCRIPTED("memory_free")
        self.used_bytes -= self.allocations.at(what);
        self.allocations.erase(what);
        std::free(reinterpret_cast<void*>(what));
        return self.drop("memory");
    };
    d.memory_get_info = [](std::size_t* unused, std::size_t* all) {
        ATTUNE_SCRIPTED("memory_get_info")
        *unused = self.memory_bytes - self.used_bytes;
        *all = self.memory_bytes;
        return cu::result{0};
    };
    d.memory_get_address_range = [](cu::device_pointer* base, std::size_t* bytes,
                                    cu::device_pointer of) {
        ATTUNE_SCRIPTED("memory_get_address_range")
        auto after = self.allocations.upper_bound(of);
        if (after == self.allocations.begin()) return cu::result{500};
        --after;
        *base = after->first;
        *bytes = after->second;
        return of < *base + *bytes ? cu::result{0} : cu::result{500};
    };
    d.pointer_get_attribute = [](void* value, int attribute, cu::device_pointer) {
        ATTUNE_SCRIPTED("pointer_get_attribute")
        if (attribute == cu::of_pointer::is_managed)
            *static_cast<bool*>(value) = false;
        else if (attribute == cu::of_pointer::is_legacy_ipc_capable)
            *static_cast<bool*>(value) = !self.is_in_pieces;
        else
            *static_cast<int*>(value) = attribute == cu::of_pointer::device_ordinal
                                            ? self.ordinal_of_pointers
                                            : self.pointer_kind;
        return cu::result{0};
    };
    d.copy_to_device = [](cu::device_pointer to, void const* from, std::size_t bytes) {
        ATTUNE_SCRIPTED("copy_to_device")
        return self.enqueue([=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
    };
    d.copy_to_host = [](void* to, cu::device_pointer from, std::size_t bytes) {
        ATTUNE_SCRIPTED("copy_to_host")
        return self.enqueue([=] { std::memcpy(to, reinterpret_cast<void*>(from), bytes); });
    };
    d.copy_on_device = [](cu::device_pointer to, cu::device_pointer from, std::size_t bytes) {
        ATTUNE_SCRIPTED("copy_on_device")
        return self.enqueue([=] {
            std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
        });
    };
    d.copy_on_device_async = [](cu::device_pointer to, cu::device_pointer from, std::size_t bytes,
                                cu::stream) {
        ATTUNE_SCRIPTED("copy_on_device_async")
        return self.enqueue([=] {
            std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
        });
    };
    d.set_bytes_async = [](cu::device_pointer to, unsigned char value, std::size_t bytes,
                           cu::stream) {
        ATTUNE_SCRIPTED("set_bytes_async")
        if (value == 0) self.flushed_bytes += bytes;
        return self.enqueue([=] { std::memset(reinterpret_cast<void*>(to), value, bytes); });
    };
    d.stream_create = [](cu::stream* out, unsigned) {
        ATTUNE_SCRIPTED("stream_create")
        return self.make(out, "stream");
    };
    d.stream_destroy = [](cu::stream) {
        ATTUNE_SCRIPTED("stream_destroy")
        return self.drop("stream");
    };
    d.stream_synchronize = [](cu::stream) {
        ATTUNE_SCRIPTED("stream_synchronize")
        return self.pending;
    };
    d.event_create = [](cu::event* out, unsigned) {
        ATTUNE_SCRIPTED("event_create")
        return self.make(out, "event");
    };
    d.event_destroy = [](cu::event) {
        ATTUNE_SCRIPTED("event_destroy")
        return self.drop("event");
    };
    d.event_record = [](cu::event what, cu::stream) {
        ATTUNE_SCRIPTED("event_record")
        self.now_s += self.event_cost_s;
        self.stamps[what] = self.now_s;
        return self.pending;
    };
    d.event_query = [](cu::event) {
        ATTUNE_SCRIPTED("event_query")
        if (self.pending != 0) return self.pending;
        if (self.looks_until_done == 0) return cu::result{0};
        if (self.looks_until_done > 0) --self.looks_until_done;
        return cu::result{600};
    };
    d.event_elapsed_ms = [](float* milliseconds, cu::event begin, cu::event end) {
        ATTUNE_SCRIPTED("event_elapsed_ms")
        *milliseconds = static_cast<float>(1e3 * (self.stamps.at(end) - self.stamps.at(begin)));
        return cu::result{0};
    };
    d.stream_begin_capture = [](cu::stream, int) {
        ATTUNE_SCRIPTED("stream_begin_capture")
        self.capturing = true;
        self.captured.clear();
        return cu::result{0};
    };
    d.stream_end_capture = [](cu::stream, cu::graph* out) {
        scripted_device::self()->capturing = false;
        ATTUNE_SCRIPTED("stream_end_capture")
        self.make(out, "graph");
        self.graphs[*out] = self.captured;
        return cu::result{0};
    };
    d.graph_instantiate = [](cu::executable_graph* out, cu::graph from, unsigned long long) {
        ATTUNE_SCRIPTED("graph_instantiate")
        self.make(out, "executable graph");
        self.graphs[*out] = self.graphs.at(from);
        return cu::result{0};
    };
    d.graph_launch = [](cu::executable_graph what, cu::stream) {
        ATTUNE_SCRIPTED("graph_launch")
        ++self.replays;
        for (auto const& work : self.graphs.at(what))
            work();
        return self.pending;
    };
    d.executable_graph_destroy = [](cu::executable_graph) {
        ATTUNE_SCRIPTED("executable_graph_destroy")
        return self.drop("executable graph");
    };
    d.graph_destroy = [](cu::graph) {
        ATTUNE_SCRIPTED("graph_destroy")
        return self.drop("graph");
    };
    return made;
}

#undef ATTUNE_SCRIPTED

} // namespace attune_test
