// attune/opencl/detail/machine.hpp - all that a process has of OpenCL, and contexts of devices.
// SPDX-License-Identifier: MIT
// tested by opencl/driver.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/opencl/library.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::opencl {

struct context_state {
    int ordinal = 0;
    context handle = nullptr;
    queue commands = nullptr; ///< the default queue; calls of the program are not profiled
};

/// A sub-buffer of the program.
struct named_part {
    memory object = nullptr;
    std::size_t bytes = 0;
    std::size_t shares = 0; ///< of buffer_address
};

/// An image made of bytes of a buffer, for kernels.
struct made_picture {
    memory object = nullptr;
    picture_head head{};
    std::atomic<bool> is_current{false}; ///< false: the buffer was written since
};

/// A buffer or an image of the program, with an address for each of its bytes.
struct allocation {
    memory object = nullptr;
    std::size_t bytes = 0;
    std::size_t reserved = 0; ///< bytes of the range
    int ordinal = 0;
    std::size_t shares = 0;                ///< of buffer_address; 0: of the driver itself
    std::map<std::size_t, memory> parts{}; ///< sub-buffers of attune's, by offset
    std::map<std::size_t, std::vector<named_part>> named_parts{}; ///< by offset
    std::optional<picture_head> head{};                           ///< of an image
    std::map<std::size_t, made_picture> pictures{};               ///< by offset
};

struct function_state {
    /// The value that the kernel object has already.
    struct known_argument {
        argument_form form{};
        bool is_set = false;
        std::uint64_t number = 0; ///< an address, or bytes of local memory
        std::vector<std::byte> value{};
    };

    kernel handle = nullptr;
    std::vector<known_argument> arguments{};
    std::uint64_t generation = 0; ///< of the memory, when the arguments were set
    std::set<std::array<std::size_t, 3>> compiled_for{}; ///< sizes of work-groups that have run
    double start_limit_s = 0;
    std::mutex turn{}; ///< a kernel object holds the arguments of one launch
};

struct module_state {
    program handle = nullptr;
    std::vector<argument_form> arguments{};
    double start_limit_s = 0;
    std::vector<std::unique_ptr<function_state>> functions{};
};

/// Work of a stream: enqueues itself.
using command = std::function<result(queue on, event* out)>;

struct graph_state {
    std::vector<command> commands{};
};

struct event_state;

struct stream_state {
    context_state* in = nullptr;
    queue handle = nullptr;
    event last = nullptr;                 ///< of the latest command
    std::vector<event_state*> awaiting{}; ///< recorded since then
    std::unique_ptr<graph_state> graph{}; ///< while it is captured
};

struct event_state {
    stream_state* on = nullptr;
    event marker = nullptr;
    event last_before = nullptr; ///< of the command before; null: none
    event first_after = nullptr;
};

/// All that this process has of OpenCL, as libcuda has its state.
struct machine {
    std::shared_ptr<library const> functions{};
    std::vector<found_device> devices{};
    std::shared_ptr<cuda::driver const> table{};
    std::mutex contexts_turn{};
    std::vector<std::unique_ptr<context_state>> contexts{}; ///< by ordinal; null: not used yet
    std::shared_mutex memory_turn{};
    std::map<cuda::device_pointer, allocation> memory_of{};
    std::atomic<std::uint64_t> generation{1}; ///< rises when an address gets another object
    std::mutex pictures_turn{}; ///< held while an image is made or filled, before memory_turn
    std::shared_mutex streams_turn{};
    std::vector<stream_state*> streams{};
    /// Queues of the program with launches by attune that no wait has covered; retained. The number
    /// is that of the latest launch.
    std::map<queue, std::atomic<std::uint64_t>> foreign{};
    std::atomic<std::uint64_t> foreign_launches{0};
};

[[nodiscard]] inline machine& this_machine()
{
    static machine* const all = new machine; // threads of a platform may outlive static objects
    return *all;
}
[[nodiscard]] inline library const& cl() { return *this_machine().functions; }

[[nodiscard]] inline context_state*& current_state() noexcept
{
    static thread_local context_state* current = nullptr;
    return current;
}

template <class Handle, class State>
[[nodiscard]] Handle handle_of(State* state) noexcept
{
    return reinterpret_cast<Handle>(state);
}
template <class State, class Handle>
[[nodiscard]] State& state_of(Handle handle) noexcept
{
    return *reinterpret_cast<State*>(handle);
}

/// The result in the table's numbers: those that attune handles are CUDA's, others stay OpenCL's.
[[nodiscard]] inline cuda::result table_result(result got) noexcept
{
    switch (got) {
    case success:
        return cuda::success;
    case no_memory_for_object:
    case out_of_host_memory:
    case invalid_buffer_size:
        return cuda::out_of_memory;
    default:
        return got;
    }
}

inline void require_cl(result got, std::string const& doing)
{
    if (got != success)
        throw error(doing + " failed", text_of(got), "see what clinfo lists of this device");
}

[[nodiscard]] inline queue make_queue(context_state const& in, bool is_profiled, result* said)
{
    device const at = this_machine().devices[static_cast<std::size_t>(in.ordinal)].at;
    bits const wanted = is_profiled ? bits{flag::profiling} : bits{0};
    if (cl().create_queue == nullptr) return cl().create_queue_1(in.handle, at, wanted, said);
    bits const properties[] = {of_queue::properties, wanted, 0};
    return cl().create_queue(in.handle, at, is_profiled ? properties : nullptr, said);
}

/// A context, or the library's error and what failed.
struct made_context {
    context_state* state = nullptr;
    result said = success;
    char const* doing = "";
};

/// @pre  contexts_turn is held
/// Errors   std::bad_alloc
[[nodiscard]] inline made_context make_context(int ordinal, context adopted)
{
    machine& m = this_machine();
    auto const at = static_cast<std::size_t>(ordinal);
    auto made = std::make_unique<context_state>();
    made->ordinal = ordinal;
    result said = success;
    if (adopted != nullptr) {
        said = cl().retain_context(adopted);
        if (said != success) return {nullptr, said, "using the program's OpenCL context for "};
        made->handle = adopted;
    } else {
        std::intptr_t const properties[] = {static_cast<std::intptr_t>(flag::context_platform),
                                            reinterpret_cast<std::intptr_t>(m.devices[at].of), 0};
        made->handle =
            cl().create_context(properties, 1, &m.devices[at].at, nullptr, nullptr, &said);
        if (said != success) return {nullptr, said, "making an OpenCL context for "};
    }
    made->commands = make_queue(*made, false, &said);
    if (said != success) {
        cl().release_context(made->handle);
        return {nullptr, said, "making a queue for "};
    }
    m.contexts[at] = std::move(made);
    return {m.contexts[at].get(), success, ""};
}

/// The state of a device; makes it at the first call.
/// Errors   std::bad_alloc
[[nodiscard]] inline made_context find_state(int ordinal)
{
    machine& m = this_machine();
    std::scoped_lock const one(m.contexts_turn);
    context_state* const known = m.contexts[static_cast<std::size_t>(ordinal)].get();
    return known != nullptr ? made_context{known, success, ""} : make_context(ordinal, nullptr);
}

/// Errors   attune::error: the library's own
inline context_state& require_state(made_context const& made, int ordinal)
{
    require_cl(made.said,
               made.doing + this_machine().devices[static_cast<std::size_t>(ordinal)].name);
    return *made.state;
}

} // namespace attune::inline ATTUNE_ABI::detail::opencl
