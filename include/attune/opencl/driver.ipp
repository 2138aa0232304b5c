// attune/opencl/driver.ipp - the functions of the table, in its order, and buffers of the program.
// SPDX-License-Identifier: MIT
// Source   Khronos OpenCL 3.0 specification, profiling operations: a queue of kernels is timed from
//          the start of the first to the end of the last
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>
#include <attune/opencl/detail/commands.hpp>
#include <attune/opencl/detail/machine.hpp>
#include <attune/opencl/driver.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <shared_mutex>
#include <sys/mman.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail::opencl {

inline cuda::result init(unsigned) { return cuda::success; }
inline cuda::result driver_get_version(int* out)
{
    *out = 0;
    return cuda::success;
}
inline cuda::result get_error_name(cuda::result got, char const** text)
{
    static thread_local std::string said;
    switch (got) {
    case cuda::success:
        said = "CL_SUCCESS";
        break;
    case cuda::out_of_memory:
        said = text_of(no_memory_for_object);
        break;
    case cuda::launch_failed:
        said = "the kernel failed on the device";
        break;
    default:
        said = got < 0 ? text_of(got) : "error " + std::to_string(got);
    }
    *text = said.c_str();
    return cuda::success;
}
inline cuda::result get_error_string(cuda::result got, char const** text)
{
    if (got != cuda::out_of_memory) return cuda::invalid_value;
    *text = "out of memory"; // worker_bench reads these words
    return cuda::success;
}
inline cuda::result device_get_count(int* out)
{
    *out = static_cast<int>(this_machine().devices.size());
    return cuda::success;
}
inline bool has_device(int ordinal)
{
    return ordinal >= 0 && static_cast<std::size_t>(ordinal) < this_machine().devices.size();
}
inline cuda::result device_get(cuda::device* out, int ordinal)
{
    *out = ordinal;
    return has_device(ordinal) ? cuda::success : cuda::invalid_device;
}
inline found_device const& device_at(cuda::device of)
{
    return this_machine().devices[static_cast<std::size_t>(of)];
}
inline cuda::result device_get_name(char* text, int bytes, cuda::device of)
{
    if (!has_device(of)) return cuda::invalid_device;
    std::snprintf(text, static_cast<std::size_t>(bytes), "%s", device_at(of).name.c_str());
    return cuda::success;
}
inline int clamped(std::uint64_t number)
{
    return static_cast<int>(
        std::min<std::uint64_t>(number, std::uint64_t{std::numeric_limits<int>::max()}));
}
inline cuda::result device_get_attribute(int* out, int attribute, cuda::device of)
{
    if (!has_device(of)) return cuda::invalid_device;
    device const at = device_at(of).at;
    auto const size = [&](unsigned what) {
        return clamped(number_of_device<std::size_t>(cl(), at, what));
    };
    auto const wide = [&](unsigned what) {
        return clamped(number_of_device<std::uint64_t>(cl(), at, what));
    };
    std::size_t extents[3] = {1, 1, 1};
    if (attribute >= cuda::of_device::block_x && attribute <= cuda::of_device::block_z)
        cl().get_device_info(at, of_device::work_item_sizes, sizeof extents, extents, nullptr);
    switch (attribute) {
    case cuda::of_device::threads_per_block:
    case cuda::of_device::threads_per_multiprocessor:
        *out = size(of_device::work_group_size);
        break;
    case cuda::of_device::block_x:
    case cuda::of_device::block_y:
    case cuda::of_device::block_z:
        *out = clamped(extents[attribute - cuda::of_device::block_x]);
        break;
    case cuda::of_device::grid_x:
    case cuda::of_device::grid_y:
    case cuda::of_device::grid_z:
    case cuda::of_device::registers_per_block:
    case cuda::of_device::registers_per_multiprocessor:
        *out = std::numeric_limits<int>::max(); // OpenCL names no limit
        break;
    case cuda::of_device::shared_bytes_per_block:
    case cuda::of_device::shared_bytes_opt_in:
    case cuda::of_device::shared_bytes_per_multiprocessor:
        *out = wide(of_device::local_bytes);
        break;
    case cuda::of_device::warp_threads:
    case cuda::of_device::blocks_per_multiprocessor:
        *out = 1;
        break;
    case cuda::of_device::multiprocessors:
        *out = clamped(number_of_device<unsigned>(cl(), at, of_device::compute_units));
        break;
    case cuda::of_device::l2_bytes:
        *out = wide(of_device::cache_bytes);
        break;
    default:
        *out = 0; // clusters, cooperative launches and shared servers do not exist
    }
    return cuda::success;
}
inline cuda::result device_total_mem(std::size_t* out, cuda::device of)
{
    if (!has_device(of)) return cuda::invalid_device;
    *out = number_of_device<std::uint64_t>(cl(), device_at(of).at, of_device::global_bytes);
    return cuda::success;
}
/// A text in the form of a bus id, equal in all processes: of the platform, the device's name, and
/// its number among equal ones.
inline cuda::result device_get_pci_bus_id(char* text, int bytes, cuda::device of)
{
    if (!has_device(of)) return cuda::invalid_device;
    found_device const& wanted = device_at(of);
    unsigned twins = 0;
    for (int i = 0; i < of; ++i)
        if (device_at(i).name == wanted.name && device_at(i).platform_name == wanted.platform_name)
            ++twins;
    content_hash hash;
    hash.add(wanted.platform_name).add(wanted.name);
    std::string const digits = hash.hex();
    std::snprintf(text, static_cast<std::size_t>(bytes), "%s:%s:%02x.0",
                  digits.substr(0, 4).c_str(), digits.substr(4, 2).c_str(), twins & 0x1F);
    return cuda::success;
}

inline cuda::result primary_context_retain(cuda::context* out, cuda::device of)
{
    if (!has_device(of)) return cuda::invalid_device;
    try {
        made_context const made = find_state(of);
        *out = handle_of<cuda::context>(made.state);
        return table_result(made.said);
    } catch (std::bad_alloc const&) {
        return cuda::out_of_memory;
    }
}
inline cuda::result primary_context_release(cuda::device) { return cuda::success; }
inline cuda::result context_get_current(cuda::context* out)
{
    *out = handle_of<cuda::context>(current_state());
    return cuda::success;
}
inline cuda::result context_set_current(cuda::context to)
{
    current_state() = reinterpret_cast<context_state*>(to);
    return cuda::success;
}
inline cuda::result context_get_device(cuda::device* out)
{
    if (current_state() == nullptr) return cuda::invalid_value;
    *out = current_state()->ordinal;
    return cuda::success;
}
inline cuda::result context_synchronize()
{
    if (current_state() == nullptr) return cuda::invalid_value;
    return table_result(finish_all(*current_state()));
}

inline cuda::result module_load_data(cuda::module* out, void const* image)
{
    if (current_state() == nullptr) return cuda::invalid_value;
    std::optional<code_image> const code = image_at(image);
    if (!code) return cuda::no_binary_for_device;
    device const at = device_at(current_state()->ordinal).at;
    char const* text = code->binary.data();
    auto const* bytes = reinterpret_cast<unsigned char const*>(text);
    std::size_t const size = code->binary.size();
    result said = success;
    result of_binary = success;
    context const in = current_state()->handle;
    program const made = code->is_text ? cl().create_program_with_source(in, 1, &text, &size, &said)
                                       : cl().create_program_with_binary(in, 1, &at, &size, &bytes,
                                                                         &of_binary, &said);
    if (said != success) return table_result(said);
    said = of_binary;
    if (said == success)
        said = cl().build_program(made, 1, &at, code->options.c_str(), nullptr, nullptr);
    if (said != success) {
        cl().release_program(made);
        return table_result(said);
    }
    *out = handle_of<cuda::module>(new module_state{
        made, code->arguments, static_cast<double>(code->start_limit_ms) * 1e-3, {}});
    return cuda::success;
}
inline cuda::result module_unload(cuda::module of)
{
    std::unique_ptr<module_state> const ended(&state_of<module_state>(of));
    for (std::unique_ptr<function_state> const& one : ended->functions)
        cl().release_kernel(one->handle);
    cl().release_program(ended->handle);
    return cuda::success;
}
inline cuda::result module_get_function(cuda::function* out, cuda::module from, char const* name)
{
    auto& in = state_of<module_state>(from);
    result said = success;
    auto made = std::make_unique<function_state>();
    made->handle = cl().create_kernel(in.handle, name, &said);
    if (said != success) return table_result(said);
    made->start_limit_s = in.start_limit_s;
    for (argument_form const& form : in.arguments)
        made->arguments.push_back({form, false, 0, std::vector<std::byte>(form.bytes)});
    in.functions.push_back(std::move(made));
    *out = handle_of<cuda::function>(in.functions.back().get());
    return cuda::success;
}
inline cuda::result function_set_attribute(cuda::function, int, int)
{
    return cuda::success; // the launch's local memory needs no permission
}
inline cuda::result launch_kernel(cuda::function what, unsigned grid_x, unsigned grid_y,
                                  unsigned grid_z, unsigned block_x, unsigned block_y,
                                  unsigned block_z, unsigned shared_bytes, cuda::stream on,
                                  void** arguments, void**)
{
    auto& f = state_of<function_state>(what);
    launch_size const how{{std::size_t{grid_x} * block_x, std::size_t{grid_y} * block_y,
                           std::size_t{grid_z} * block_z},
                          {block_x, block_y, block_z},
                          grid_z > 1 || block_z > 1   ? 3U
                          : grid_y > 1 || block_y > 1 ? 2U
                                                      : 1U,
                          shared_bytes};
    try {
        stream_state* const own = on == nullptr ? nullptr : own_stream(on);
        if (own == nullptr) { // a call of the program
            queue const commands = queue_of(on);
            if (commands == nullptr) return invalid_value;
            result const got = enqueue(f, how, arguments, commands, nullptr);
            if (got == success && on != nullptr && commands != default_commands())
                note_foreign(commands);
            return table_result(got);
        }
        if (own->graph == nullptr) {
            event made = nullptr;
            result const got = enqueue(f, how, arguments, own->handle, &made);
            if (got == success) note_command(*own, made);
            return table_result(got);
        }
        own->graph->commands.emplace_back(
            [&f, how, kept = kept_arguments(f, arguments)](queue commands, event* out) {
                return enqueue(f, how, kept.all().data(), commands, out);
            });
        return cuda::success;
    } catch (std::bad_alloc const&) {
        return cuda::out_of_memory;
    }
}

/// Returns true if a device has room for so many bytes beside the known buffers. PoCL makes more
/// buffers than fit, and the system ends the process that fills them.
[[nodiscard]] inline bool has_room(int ordinal, std::uint64_t bytes)
{
    device const at = device_at(ordinal).at;
    if (bytes > number_of_device<std::uint64_t>(cl(), at, of_device::largest_allocation))
        return false;
    auto const all = number_of_device<std::uint64_t>(cl(), at, of_device::global_bytes);
    std::uint64_t held = 0;
    std::shared_lock const reading(this_machine().memory_turn);
    for (auto const& [base, one] : this_machine().memory_of)
        if (one.ordinal == ordinal) held += one.bytes;
    return held <= all && bytes <= all - held;
}

inline cuda::result memory_allocate(cuda::device_pointer* out, std::size_t bytes)
{
    context_state const* const in = current_state();
    if (in == nullptr) return cuda::invalid_value;
    if (!has_room(in->ordinal, bytes)) return cuda::out_of_memory;
    result said = success;
    memory const made = cl().create_buffer(in->handle, flag::read_write, bytes, nullptr, &said);
    if (said != success) return table_result(said);
    std::unique_lock const writing(this_machine().memory_turn);
    *out = add_allocation(made, bytes, in->ordinal);
    if (*out != 0) return cuda::success;
    cl().release_memory(made);
    return cuda::out_of_memory;
}
inline cuda::result memory_free(cuda::device_pointer at)
{
    std::unique_lock const writing(this_machine().memory_turn);
    auto const known = this_machine().memory_of.find(at);
    if (known == this_machine().memory_of.end()) return invalid_value;
    end_allocation(known);
    return cuda::success;
}
inline cuda::result memory_get_info(std::size_t*, std::size_t*)
{
    return cuda::invalid_value; // OpenCL does not report free memory
}
inline cuda::result memory_get_address_range(cuda::device_pointer* base, std::size_t* bytes,
                                             cuda::device_pointer of)
{
    std::shared_lock const reading(this_machine().memory_turn);
    found_memory const found = memory_at(of);
    if (found.in == nullptr) return cuda::invalid_value;
    named_part const* const part = named_part_at(found);
    *base = part != nullptr ? of : found.base;
    *bytes = part != nullptr ? part->bytes : found.in->bytes;
    return cuda::success;
}
inline cuda::result pointer_get_attribute(void* out, int attribute, cuda::device_pointer of)
{
    std::shared_lock const reading(this_machine().memory_turn);
    found_memory const found = memory_at(of);
    if (found.in == nullptr) return cuda::invalid_value;
    int value = 0;
    if (attribute == cuda::of_pointer::memory_type) value = cuda::of_pointer::device_memory;
    if (attribute == cuda::of_pointer::device_ordinal) value = found.in->ordinal;
    if (attribute == cuda::of_pointer::is_legacy_ipc_capable) value = 1; // in one piece
    std::memcpy(out, &value, sizeof value);
    return cuda::success;
}
/// Runs a command on the current context's default queue and waits for it.
template <class Command>
[[nodiscard]] cuda::result run_now(Command const& what)
{
    if (current_state() == nullptr) return cuda::invalid_value;
    result got = what(current_state()->commands);
    if (got == success) got = cl().finish(current_state()->commands);
    return table_result(got);
}
inline cuda::result copy_to_device(cuda::device_pointer to, void const* from, std::size_t bytes)
{
    return run_now([&](queue on) {
        return with_written(to, bytes, [&](memory object, std::size_t offset) {
            return cl().enqueue_write(on, object, 1, offset, bytes, from, 0, nullptr, nullptr);
        });
    });
}
inline cuda::result copy_to_host(void* to, cuda::device_pointer from, std::size_t bytes)
{
    return run_now([&](queue on) { return read_bytes(on, to, from, bytes); });
}
inline cuda::result copy_on_device(cuda::device_pointer to, cuda::device_pointer from,
                                   std::size_t bytes)
{
    return run_now([&](queue on) { return copy_bytes(on, to, from, bytes, nullptr); });
}
inline cuda::result copy_on_device_async(cuda::device_pointer to, cuda::device_pointer from,
                                         std::size_t bytes, cuda::stream on)
{
    return submit(
        on, [=](queue commands, event* out) { return copy_bytes(commands, to, from, bytes, out); });
}
inline cuda::result set_bytes_async(cuda::device_pointer to, unsigned char value, std::size_t bytes,
                                    cuda::stream on)
{
    if (bytes == 0) return cuda::success;
    return submit(on, [=](queue commands, event* out) {
        return with_written(to, bytes, [&](memory object, std::size_t offset) {
            unsigned char pattern[16];
            std::memset(pattern, value, sizeof pattern);
            std::size_t const width =
                offset % sizeof pattern == 0 && bytes % sizeof pattern == 0 ? sizeof pattern : 1;
            return cl().enqueue_fill(commands, object, pattern, width, offset, bytes, 0, nullptr,
                                     out);
        });
    });
}
inline cuda::result ipc_get_memory(cuda::ipc_handle*, cuda::device_pointer)
{
    return cuda::invalid_value; // arrays go to a worker through host memory
}
inline cuda::result ipc_open_memory(cuda::device_pointer*, cuda::ipc_handle, unsigned)
{
    return cuda::invalid_value;
}
inline cuda::result ipc_close_memory(cuda::device_pointer) { return cuda::invalid_value; }

inline cuda::result stream_create(cuda::stream* out, unsigned)
{
    if (current_state() == nullptr) return cuda::invalid_value;
    auto made = std::make_unique<stream_state>();
    result said = success;
    made->in = current_state();
    made->handle = make_queue(*current_state(), true, &said);
    if (said != success) return table_result(said);
    machine& m = this_machine();
    std::unique_lock const writing(m.streams_turn);
    m.streams.push_back(made.get());
    *out = handle_of<cuda::stream>(made.release());
    return cuda::success;
}
inline cuda::result stream_destroy(cuda::stream what)
{
    machine& m = this_machine();
    std::unique_ptr<stream_state> const ended(&state_of<stream_state>(what));
    {
        std::unique_lock const writing(m.streams_turn);
        std::erase(m.streams, ended.get());
    }
    for (event_state* const one : ended->awaiting)
        one->on = nullptr;
    forget(ended->last);
    return table_result(cl().release_queue(ended->handle));
}
inline cuda::result stream_synchronize(cuda::stream what)
{
    queue const on = queue_of(what);
    return on == nullptr ? cuda::result{cuda::invalid_value} : table_result(cl().finish(on));
}
inline cuda::result event_create(cuda::event* out, unsigned)
{
    *out = handle_of<cuda::event>(new event_state);
    return cuda::success;
}
inline cuda::result event_destroy(cuda::event what)
{
    std::unique_ptr<event_state> const ended(&state_of<event_state>(what));
    forget_record(*ended);
    return cuda::success;
}
inline cuda::result event_record(cuda::event what, cuda::stream on)
{
    auto& record = state_of<event_state>(what);
    stream_state* const own = own_stream(on);
    if (own == nullptr) return cuda::invalid_value;
    forget_record(record);
    if (own->last != nullptr && cl().retain_event(own->last) == success)
        record.last_before = own->last;
    result got = cl().enqueue_marker(own->handle, 0, nullptr, &record.marker);
    if (got == success) got = cl().flush(own->handle);
    record.on = own;
    own->awaiting.push_back(&record);
    return table_result(got);
}
inline cuda::result event_query(cuda::event what)
{
    auto const& record = state_of<event_state>(what);
    for (event const one : {record.last_before, record.marker}) {
        if (one == nullptr) continue;
        int const status = status_of(one);
        if (status < 0) return cuda::launch_failed;
        if (status > 0) return cuda::not_ready;
    }
    return cuda::success;
}
inline cuda::result event_elapsed_ms(float* out, cuda::event begin, cuda::event end)
{
    auto const& first = state_of<event_state>(begin);
    auto const& last = state_of<event_state>(end);
    bool const has_work = first.first_after != nullptr && last.last_before != nullptr;
    std::uint64_t const from_ns = has_work ? nanoseconds(first.first_after, of_event::started)
                                           : nanoseconds(first.marker, of_event::ended);
    std::uint64_t const to_ns = has_work ? nanoseconds(last.last_before, of_event::ended)
                                         : nanoseconds(last.marker, of_event::ended);
    *out = to_ns > from_ns ? static_cast<float>(static_cast<double>(to_ns - from_ns) * 1e-6) : 0.0F;
    return from_ns == 0 || to_ns == 0 ? cuda::result{invalid_value} : cuda::success;
}

inline cuda::result stream_begin_capture(cuda::stream on, int)
{
    stream_state* const own = own_stream(on);
    if (own == nullptr) return cuda::capture_unsupported;
    own->graph = std::make_unique<graph_state>();
    return cuda::success;
}
inline cuda::result stream_end_capture(cuda::stream on, cuda::graph* out)
{
    stream_state* const own = own_stream(on);
    if (own == nullptr || own->graph == nullptr) return cuda::invalid_value;
    *out = handle_of<cuda::graph>(own->graph.release());
    return cuda::success;
}
inline cuda::result graph_instantiate(cuda::executable_graph* out, cuda::graph from,
                                      unsigned long long)
{
    *out = handle_of<cuda::executable_graph>(new graph_state(state_of<graph_state>(from)));
    return cuda::success;
}
inline cuda::result graph_launch(cuda::executable_graph what, cuda::stream on)
{
    stream_state* const own = own_stream(on);
    if (own == nullptr) return cuda::invalid_value;
    for (command const& one : state_of<graph_state>(what).commands)
        if (result const got = run_command(*own, one); got != success) return table_result(got);
    return cuda::success;
}
inline cuda::result executable_graph_destroy(cuda::executable_graph what)
{
    delete &state_of<graph_state>(what);
    return cuda::success;
}
inline cuda::result graph_destroy(cuda::graph what)
{
    delete &state_of<graph_state>(what);
    return cuda::success;
}

[[nodiscard]] inline std::shared_ptr<cuda::driver> make_table(std::string const& path)
{
    auto const made = std::make_shared<cuda::driver>();
    *made = cuda::driver{.init = init,
                         .driver_get_version = driver_get_version,
                         .get_error_name = get_error_name,
                         .get_error_string = get_error_string,
                         .device_get_count = device_get_count,
                         .device_get = device_get,
                         .device_get_name = device_get_name,
                         .device_get_attribute = device_get_attribute,
                         .device_total_mem = device_total_mem,
                         .device_get_pci_bus_id = device_get_pci_bus_id,
                         .primary_context_retain = primary_context_retain,
                         .primary_context_release = primary_context_release,
                         .context_get_current = context_get_current,
                         .context_set_current = context_set_current,
                         .context_get_device = context_get_device,
                         .context_synchronize = context_synchronize,
                         .module_load_data = module_load_data,
                         .module_unload = module_unload,
                         .module_get_function = module_get_function,
                         .function_set_attribute = function_set_attribute,
                         .launch_kernel = launch_kernel,
                         .launch_kernel_ex = nullptr,
                         .memory_allocate = memory_allocate,
                         .memory_free = memory_free,
                         .memory_get_info = memory_get_info,
                         .memory_get_address_range = memory_get_address_range,
                         .pointer_get_attribute = pointer_get_attribute,
                         .copy_to_device = copy_to_device,
                         .copy_to_host = copy_to_host,
                         .copy_on_device = copy_on_device,
                         .copy_on_device_async = copy_on_device_async,
                         .set_bytes_async = set_bytes_async,
                         .ipc_get_memory = ipc_get_memory,
                         .ipc_open_memory = ipc_open_memory,
                         .ipc_close_memory = ipc_close_memory,
                         .stream_create = stream_create,
                         .stream_destroy = stream_destroy,
                         .stream_synchronize = stream_synchronize,
                         .event_create = event_create,
                         .event_destroy = event_destroy,
                         .event_record = event_record,
                         .event_query = event_query,
                         .event_elapsed_ms = event_elapsed_ms,
                         .exchange_capture_mode = nullptr,
                         .stream_begin_capture = stream_begin_capture,
                         .stream_is_capturing = nullptr,
                         .stream_end_capture = stream_end_capture,
                         .graph_instantiate = graph_instantiate,
                         .graph_launch = graph_launch,
                         .executable_graph_destroy = executable_graph_destroy,
                         .graph_destroy = graph_destroy,
                         .version = 0,
                         .path = std::string(driver_prefix) + path};
    return made;
}

ATTUNE_INLINE std::shared_ptr<cuda::driver const> open_driver(std::string const& path)
{
    std::string const wanted =
        path.starts_with(driver_prefix) ? path.substr(driver_prefix.size()) : path;
    machine& m = this_machine();
    std::scoped_lock const one(m.contexts_turn);
    auto const opened = open_library(wanted);
    if (m.table != nullptr) {
        if (opened->path == m.functions->path) return m.table;
        throw error("this process uses another OpenCL library already", m.functions->path,
                    "name the same library everywhere: " + opened->path + " was asked for");
    }
    std::vector<found_device> found = devices_of(*opened);
    if (found.empty())
        throw error("there is no OpenCL device", "the library " + opened->path + " lists none",
                    "install a platform (Debian: pocl-opencl-icd), or see what clinfo lists");
    m.functions = opened;
    m.contexts.resize(found.size());
    m.devices = std::move(found);
    m.table = make_table(opened->path);
    return m.table;
}

ATTUNE_INLINE std::shared_ptr<library const> library_in_use() { return this_machine().functions; }

ATTUNE_INLINE std::shared_ptr<cuda::driver const> driver_of_process()
{
    return this_machine().table;
}
ATTUNE_INLINE std::vector<found_device> const& devices_in_use() { return this_machine().devices; }

ATTUNE_INLINE void adopt_context(int ordinal, context of)
{
    machine& m = this_machine();
    std::scoped_lock const one(m.contexts_turn);
    context_state const* const known = m.contexts[static_cast<std::size_t>(ordinal)].get();
    if (known == nullptr)
        require_state(make_context(ordinal, of), ordinal);
    else if (known->handle != of)
        throw error("the device has another OpenCL context already",
                    m.devices[static_cast<std::size_t>(ordinal)].name,
                    "make one context for a device, and name it in the first "
                    "opencl_options::context");
}

ATTUNE_INLINE context context_of(int ordinal)
{
    return require_state(find_state(ordinal), ordinal).handle;
}
ATTUNE_INLINE queue default_queue_of(int ordinal)
{
    return require_state(find_state(ordinal), ordinal).commands;
}

ATTUNE_INLINE std::size_t base_alignment(int ordinal)
{
    auto const in_bits =
        number_of_device<unsigned>(cl(), device_at(ordinal).at, of_device::base_alignment);
    return std::max<std::size_t>(in_bits / 8, 1);
}

template <class T>
[[nodiscard]] T about_memory(memory of, unsigned what)
{
    return value_by<T>([&](std::size_t room, void* out, std::size_t* bytes) {
        return cl().get_memory_info(of, what, room, out, bytes);
    });
}

/// Empty for a buffer.
/// Errors   attune::error: an image of more or fewer dimensions
[[nodiscard]] inline std::optional<picture_head> head_of(memory of)
{
    auto const type = about_memory<unsigned>(of, of_memory::type);
    if (type == of_memory::buffer) return {};
    if (type != of_memory::picture)
        throw error("an image of the program has not two dimensions", "",
                    "pass a buffer, or a 2-D image");
    auto const ask = [&]<class T>(T otherwise, unsigned what) {
        return value_by<T>(
            [&](std::size_t room, void* out, std::size_t* bytes) {
                return cl().get_picture_info(of, what, room, out, bytes);
            },
            otherwise);
    };
    picture_head out;
    out.width = ask(std::size_t{0}, of_picture::width);
    out.height = ask(std::size_t{0}, of_picture::height);
    out.pixel_bytes = ask(std::size_t{0}, of_picture::pixel_bytes);
    out.format = ask(picture_format{}, of_picture::format);
    return out;
}

ATTUNE_INLINE buffer_address::buffer_address(int ordinal, memory of)
    : of_(of)
{
    std::string const where = this_machine().devices[static_cast<std::size_t>(ordinal)].name;
    if (about_memory<context>(of, of_memory::context) != context_of(ordinal))
        throw error("a buffer is of another OpenCL context than the kernel", where,
                    "name the program's context in opencl_options::context, or make the buffer in "
                    "the one of opencl_compiler");
    std::optional<picture_head> const head = head_of(of);
    is_picture_ = head.has_value();
    bytes_ = head ? head->all_bytes() : about_memory<std::size_t>(of, of_memory::bytes);
    memory parent = head ? nullptr : about_memory<memory>(of, of_memory::parent);
    // The parent that Intel's library reports of a buffer in shared memory is no buffer.
    if (parent != nullptr && about_memory<unsigned>(parent, of_memory::type) != of_memory::buffer)
        parent = nullptr;
    memory const whole = parent == nullptr ? of : parent;
    std::size_t const offset =
        parent == nullptr ? 0 : about_memory<std::size_t>(of, of_memory::offset);
    machine& m = this_machine();
    std::unique_lock const writing(m.memory_turn);
    auto known = std::find_if(m.memory_of.begin(), m.memory_of.end(), [&](auto const& one) {
        return one.second.object == whole && one.second.shares > 0;
    });
    if (known == m.memory_of.end()) {
        require_cl(cl().retain_memory(whole), "using a buffer");
        std::size_t const bytes =
            head ? bytes_ : about_memory<std::size_t>(whole, of_memory::bytes);
        cuda::device_pointer const at = add_allocation(whole, bytes, ordinal);
        if (at == 0) {
            cl().release_memory(whole);
            throw error("this process has no addresses for a buffer",
                        std::to_string(bytes) + " bytes on " + where,
                        "raise the limit on address space (ulimit -v)");
        }
        known = m.memory_of.find(at);
        known->second.head = head;
    }
    require_cl(cl().retain_memory(of), "using a buffer");
    ++known->second.shares;
    if (parent != nullptr) {
        std::vector<named_part>& here = known->second.named_parts[offset];
        auto part = std::find_if(here.begin(), here.end(),
                                 [&](named_part const& one) { return one.object == of; });
        if (part == here.end()) {
            part = here.insert(here.end(), {of, bytes_, 0});
            m.generation.fetch_add(1); // a kernel may have another object for this address
        }
        ++part->shares;
    }
    address_ = known->first + offset;
}

ATTUNE_INLINE buffer_address::~buffer_address()
{
    machine& m = this_machine();
    std::unique_lock const writing(m.memory_turn);
    found_memory const found = memory_at(address_);
    if (found.in != nullptr) {
        if (auto const here = found.in->named_parts.find(found.offset);
            here != found.in->named_parts.end()) {
            bool const has_ended = std::erase_if(here->second, [&](named_part& one) {
                                       return one.object == of_ && --one.shares == 0;
                                   }) > 0;
            if (here->second.empty()) found.in->named_parts.erase(here);
            if (has_ended) m.generation.fetch_add(1);
        }
        if (--found.in->shares == 0) end_allocation(m.memory_of.find(found.base));
    }
    cl().release_memory(of_);
}

} // namespace attune::inline ATTUNE_ABI::detail::opencl
