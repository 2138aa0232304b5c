// tests/support/recorded_driver.hpp - a CUDA driver that launches nothing and writes down what it is asked for.
// SPDX-License-Identifier: MIT
//
// Only the functions that a launch needs are there. Device memory is memory of the process. One at
// a time: its functions have nowhere to keep a state but the one below.
#pragma once

#include <attune/cuda/driver.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace attune_test {

/// A launch as the driver saw it.
struct recorded_launch {
    attune::detail::cuda::context in = nullptr;
    attune::detail::cuda::function what = nullptr;
    std::vector<unsigned> geometry{}; ///< grid, block, shared bytes
    attune::detail::cuda::stream on = nullptr;
    std::vector<std::uint64_t> arguments{}; ///< values, as recorded_state::argument_bytes says
    std::vector<int> attributes{};          ///< their ids, of cuLaunchKernelEx
};

struct recorded_state {
    attune::detail::cuda::context current = nullptr;
    std::map<attune::detail::cuda::context, int> device_of{};
    int retained = 0;
    std::vector<std::size_t> argument_bytes{}; ///< sizes of a launch's arguments, to be read
    std::map<attune::detail::cuda::module, attune::detail::cuda::context> modules{};
    std::vector<std::string> said{};
    std::vector<recorded_launch> launches{};
    std::map<attune::detail::cuda::device_pointer, std::vector<std::byte>> memory{};
    std::size_t memory_left = std::size_t{1} << 20;
    attune::detail::cuda::result launch_answer = attune::detail::cuda::success;
    attune::detail::cuda::result load_answer = attune::detail::cuda::success;
    std::function<void(recorded_launch const&)> runs{}; ///< in place of the kernel
    std::uint64_t next = 0x1000;
    int capture_mode = 0;           ///< of the calling thread; 0: global
    bool captures_blocking = false; ///< another thread captures a stream that the legacy one awaits
    int unsafe_calls = 0;           ///< those that may not be made beside a capture of global mode
    int unsafe_in_global = 0;       ///< of them, those in that mode
};

inline recorded_state& recorded()
{
    static recorded_state state;
    return state;
}

/// A handle that nobody may look behind.
template <class Handle>
Handle handle_of(std::uint64_t number)
{
    return reinterpret_cast<Handle>(number);
}

namespace detail {

using namespace attune::detail::cuda;

inline recorded_launch note_launch(function what, void** arguments, stream on)
{
    recorded_launch out;
    out.in = recorded().current;
    out.what = what;
    out.on = on;
    for (std::size_t i = 0; i < recorded().argument_bytes.size(); ++i) {
        std::uint64_t value = 0;
        std::memcpy(&value, arguments[i], recorded().argument_bytes[i]);
        out.arguments.push_back(value);
    }
    return out;
}

inline void note_unsafe()
{
    ++recorded().unsafe_calls;
    if (recorded().capture_mode == 0) ++recorded().unsafe_in_global;
}

inline std::shared_ptr<driver> make_driver()
{
    auto out = std::make_shared<driver>();
    driver& d = *out;
    d.get_error_name = [](result, char const** text) {
        *text = "CUDA_ERROR_SCRIPTED";
        return result{success};
    };
    d.get_error_string = [](result, char const** text) {
        *text = "as the script says";
        return result{success};
    };
    d.device_get = [](device* of, int ordinal) {
        *of = ordinal;
        return result{success};
    };
    d.primary_context_retain = [](context* of, device which) {
        ++recorded().retained;
        *of = handle_of<context>(0x100 + static_cast<std::uint64_t>(which));
        recorded().device_of[*of] = which;
        return result{success};
    };
    d.primary_context_release = [](device) {
        --recorded().retained;
        return result{success};
    };
    d.context_get_current = [](context* of) {
        *of = recorded().current;
        return result{success};
    };
    d.context_set_current = [](context to) {
        recorded().current = to;
        return result{success};
    };
    d.context_get_device = [](device* of) {
        if (recorded().current == nullptr) return result{201};
        *of = recorded().device_of.at(recorded().current);
        return result{success};
    };
    d.context_synchronize = [] {
        recorded().said.emplace_back("wait for context");
        return result{success};
    };
    d.exchange_capture_mode = [](int* mode) {
        std::swap(*mode, recorded().capture_mode);
        return result{success};
    };
    d.stream_is_capturing = [](stream of, int* status) {
        if (of == nullptr && recorded().captures_blocking) return result{capture_implicit};
        *status = 0;
        return result{success};
    };
    d.module_load_data = [](module* of, void const* image) {
        note_unsafe();
        if (recorded().load_answer != success) return recorded().load_answer;
        *of = handle_of<module>(recorded().next += 0x10);
        recorded().modules[*of] = recorded().current;
        recorded().said.push_back("load " + std::string(static_cast<char const*>(image)));
        return result{success};
    };
    d.module_unload = [](module of) {
        note_unsafe();
        recorded().modules.erase(of);
        recorded().said.emplace_back("unload");
        return result{success};
    };
    d.module_get_function = [](function* of, module from, char const* name) {
        if (std::string(name) == "missing") return result{500};
        *of = handle_of<function>(reinterpret_cast<std::uint64_t>(from) + 1);
        return result{success};
    };
    d.function_set_attribute = [](function, int attribute, int value) {
        recorded().said.push_back("attribute " + std::to_string(attribute) + " = " +
                                  std::to_string(value));
        return result{success};
    };
    d.launch_kernel = [](function what, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z,
                         unsigned shared_bytes, stream on, void** arguments, void**) {
        recorded_launch one = note_launch(what, arguments, on);
        one.geometry = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes};
        recorded().launches.push_back(one);
        if (recorded().runs) recorded().runs(one);
        return recorded().launch_answer;
    };
    d.launch_kernel_ex = [](launch_config const* how, function what, void** arguments, void**) {
        recorded_launch one = note_launch(what, arguments, how->on);
        for (unsigned const e : how->grid)
            one.geometry.push_back(e);
        for (unsigned const e : how->block)
            one.geometry.push_back(e);
        one.geometry.push_back(how->shared_bytes);
        for (unsigned i = 0; i < how->attribute_count; ++i)
            one.attributes.push_back(how->attributes[i].id);
        recorded().launches.push_back(one);
        return recorded().launch_answer;
    };
    d.memory_allocate = [](device_pointer* of, std::size_t bytes) {
        note_unsafe();
        if (bytes > recorded().memory_left) return result{out_of_memory};
        std::vector<std::byte> made(bytes);
        *of = reinterpret_cast<device_pointer>(made.data());
        recorded().memory[*of] = std::move(made);
        return result{success};
    };
    d.memory_free = [](device_pointer what) {
        note_unsafe();
        recorded().memory.erase(what);
        return result{success};
    };
    d.memory_get_info = [](std::size_t* free_bytes, std::size_t* total_bytes) {
        *free_bytes = recorded().memory_left;
        *total_bytes = std::size_t{1} << 20;
        return result{success};
    };
    d.copy_to_device = [](device_pointer to, void const* from, std::size_t bytes) {
        note_unsafe();
        std::memcpy(handle_of<void*>(to), from, bytes);
        return result{success};
    };
    d.copy_to_host = [](void* to, device_pointer from, std::size_t bytes) {
        note_unsafe();
        std::memcpy(to, handle_of<void const*>(from), bytes);
        return result{success};
    };
    d.stream_synchronize = [](stream of) {
        recorded().said.push_back("wait for stream " +
                                  std::to_string(reinterpret_cast<std::uint64_t>(of)));
        return result{success};
    };
    d.version = 13000;
    d.path = "recorded";
    return out;
}

} // namespace detail

/// A driver with nothing written down yet.
inline std::shared_ptr<attune::detail::cuda::driver> recorded_driver()
{
    recorded() = {};
    return detail::make_driver();
}

} // namespace attune_test
