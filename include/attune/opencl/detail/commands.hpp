// attune/opencl/detail/commands.hpp - addresses of buffers; commands of a stream, events, launches.
// SPDX-License-Identifier: MIT
//
// A range of addresses is reserved, so that no other memory of this process has its addresses.
// tested by opencl/driver.cpp
#pragma once

#include <attune/core/posix/steady_seconds.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/opencl/detail/machine.hpp>
#include <attune/opencl/library.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <sys/mman.h>
#include <thread>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::opencl {

inline constexpr std::size_t page_bytes = 4096;

[[nodiscard]] inline cuda::device_pointer reserve(std::size_t bytes)
{
    void* const at =
        ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? 0 : reinterpret_cast<cuda::device_pointer>(at);
}

/// @pre  memory_turn is held for writing
/// @return  the begin of the range; 0: this process has no more addresses
[[nodiscard]] inline cuda::device_pointer add_allocation(memory object, std::size_t bytes,
                                                         int ordinal)
{
    allocation made;
    made.object = object;
    made.bytes = bytes;
    // The extra page keeps the end of a buffer apart from the begin of the next one.
    made.reserved = (bytes / page_bytes + 2) * page_bytes;
    made.ordinal = ordinal;
    cuda::device_pointer const at = reserve(made.reserved);
    if (at != 0) this_machine().memory_of.emplace(at, std::move(made));
    return at;
}

/// @pre  memory_turn is held for writing
inline void end_allocation(std::map<cuda::device_pointer, allocation>::iterator which)
{
    machine& m = this_machine();
    for (auto const& [offset, part] : which->second.parts)
        cl().release_memory(part);
    for (auto const& [offset, picture] : which->second.pictures)
        cl().release_memory(picture.object);
    cl().release_memory(which->second.object);
    ::munmap(reinterpret_cast<void*>(which->first), which->second.reserved);
    m.memory_of.erase(which);
    m.generation.fetch_add(1);
}

/// The buffer that an address is in, and the offset there.
struct found_memory {
    allocation* in = nullptr; ///< null: none
    cuda::device_pointer base = 0;
    std::size_t offset = 0;
};

/// @pre  memory_turn is held
[[nodiscard]] inline found_memory memory_at(cuda::device_pointer at)
{
    machine& m = this_machine();
    auto next = m.memory_of.upper_bound(at);
    if (next == m.memory_of.begin()) return {};
    --next;
    std::size_t const offset = static_cast<std::size_t>(at - next->first);
    if (offset > next->second.bytes) return {};
    return {&next->second, next->first, offset};
}

/// A share in the buffer that `bytes` bytes at an address are in. A command may use it without a
/// lock: transfers may wait for kernels, while other threads make and free buffers.
class held_memory {
public:
    held_memory(cuda::device_pointer at, std::size_t bytes, bool is_written)
    {
        std::shared_lock const reading(this_machine().memory_turn);
        found_memory const found = memory_at(at);
        if (found.in == nullptr || bytes > found.in->bytes - found.offset) return;
        if (is_written && found.in->head) return; // images are read only
        if (cl().retain_memory(found.in->object) != success) return;
        object_ = found.in->object;
        offset_ = found.offset;
        head_ = found.in->head;
        if (!is_written) return;
        for (auto& [offset, picture] : found.in->pictures) {
            bool const is_apart =
                offset + picture.head.all_bytes() <= offset_ || offset_ + bytes <= offset;
            if (is_apart) continue;
            picture.is_current = false;
            this_machine().generation.fetch_add(1);
        }
    }
    ~held_memory()
    {
        if (object_ != nullptr) cl().release_memory(object_);
    }
    held_memory(held_memory const&) = delete;
    held_memory& operator=(held_memory const&) = delete;

    [[nodiscard]] memory object() const noexcept { return object_; } ///< null: no such bytes
    [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
    /// Empty for a buffer.
    [[nodiscard]] std::optional<picture_head> const& head() const noexcept { return head_; }

private:
    memory object_ = nullptr;
    std::size_t offset_ = 0;
    std::optional<picture_head> head_{};
};

struct picture_region {
    std::size_t begin[3] = {0, 0, 0};
    std::size_t extent[3];

    explicit picture_region(picture_head const& of)
        : extent{of.width, of.height, 1}
    {
    }
};

/// Calls `use(object, offset)` to write `bytes` bytes at an address, if they are in one buffer.
template <class Use>
[[nodiscard]] result with_written(cuda::device_pointer at, std::size_t bytes, Use const& use)
{
    held_memory const held(at, bytes, true);
    return held.object() == nullptr ? result{invalid_value} : use(held.object(), held.offset());
}

/// Copies bytes to the host and waits, also those of an image in the form of an array.
[[nodiscard]] inline result read_bytes(queue on, void* to, cuda::device_pointer from,
                                       std::size_t bytes)
{
    held_memory const held(from, bytes, false);
    if (held.object() == nullptr) return invalid_value;
    if (!held.head())
        return cl().enqueue_read(on, held.object(), 1, held.offset(), bytes, to, 0, nullptr,
                                 nullptr);
    picture_region const all(*held.head());
    std::vector<std::byte> form(held.head()->all_bytes());
    std::memcpy(form.data(), &*held.head(), sizeof(picture_head));
    result const got =
        cl().enqueue_read_picture(on, held.object(), 1, all.begin, all.extent, 0, 0,
                                  form.data() + sizeof(picture_head), 0, nullptr, nullptr);
    if (got == success) std::memcpy(to, form.data() + held.offset(), bytes);
    return got;
}

/// Copies bytes on the device. An image is copied as a whole: its head, then its rows.
[[nodiscard]] inline result copy_bytes(queue on, cuda::device_pointer to, cuda::device_pointer from,
                                       std::size_t bytes, event* out)
{
    held_memory const source(from, bytes, false);
    if (source.object() == nullptr) return invalid_value;
    return with_written(to, bytes, [&](memory target, std::size_t offset) {
        if (!source.head())
            return cl().enqueue_copy(on, source.object(), target, source.offset(), offset, bytes, 0,
                                     nullptr, out);
        picture_head const& head = *source.head();
        if (bytes != head.all_bytes()) return result{invalid_value};
        picture_region const all(head);
        result const got =
            cl().enqueue_write(on, target, 1, offset, sizeof head, &head, 0, nullptr, nullptr);
        if (got != success) return got;
        return cl().enqueue_picture_to_buffer(on, source.object(), target, all.begin, all.extent,
                                              offset + sizeof head, 0, nullptr, out);
    });
}

/// The longest sub-buffer of the program that begins at this place; null: none. A kernel gets it.
/// @pre  memory_turn is held
[[nodiscard]] inline named_part const* named_part_at(found_memory const& place)
{
    if (place.offset == 0) return nullptr; // the whole buffer has this address too
    auto const known = place.in->named_parts.find(place.offset);
    if (known == place.in->named_parts.end()) return nullptr;
    return &*std::max_element(
        known->second.begin(), known->second.end(),
        [](named_part const& a, named_part const& b) { return a.bytes < b.bytes; });
}

/// The buffer that a kernel gets for an address.
[[nodiscard]] inline std::pair<memory, result> argument_at(cuda::device_pointer at)
{
    if (at == 0) return {nullptr, success};
    {
        std::shared_lock const reading(this_machine().memory_turn);
        found_memory const found = memory_at(at);
        if (found.in == nullptr) return {nullptr, invalid_value};
        if (found.in->head) return {nullptr, invalid_memory}; // the kernel takes a buffer
        if (found.offset == 0) return {found.in->object, success};
        if (found.offset == found.in->bytes) return {nullptr, success}; // an empty array
        if (named_part const* const named = named_part_at(found)) return {named->object, success};
        if (auto const known = found.in->parts.find(found.offset); known != found.in->parts.end())
            return {known->second, success};
    }
    std::unique_lock const writing(this_machine().memory_turn);
    found_memory const found = memory_at(at);
    if (found.in == nullptr) return {nullptr, invalid_value};
    memory& part = found.in->parts[found.offset];
    if (part != nullptr) return {part, success};
    sub_buffer const region{found.offset, found.in->bytes - found.offset};
    result said = success;
    part = cl().create_sub_buffer(found.in->object, 0, flag::sub_buffer_region, &region, &said);
    if (said != success) found.in->parts.erase(found.offset);
    return {said == success ? part : nullptr, said};
}

/// The image that a kernel gets for the address of one, or of an array in its form. The first
/// call makes it of the array's bytes, and so does the first one after a change of them.
[[nodiscard]] inline std::pair<memory, result> picture_at(cuda::device_pointer at, queue on)
{
    machine& m = this_machine();
    std::scoped_lock const one(m.pictures_turn);
    memory buffer = nullptr;
    std::size_t offset = 0;
    std::size_t room = 0;
    context in = nullptr;
    made_picture known;
    {
        std::shared_lock const reading(m.memory_turn);
        found_memory const found = memory_at(at);
        if (found.in == nullptr) return {nullptr, invalid_value};
        if (found.in->head && found.offset == 0) return {found.in->object, success};
        if (found.in->head) return {nullptr, invalid_memory};
        buffer = found.in->object;
        offset = found.offset;
        room = found.in->bytes - found.offset;
        in = m.contexts[static_cast<std::size_t>(found.in->ordinal)]->handle;
        if (auto const made = found.in->pictures.find(offset); made != found.in->pictures.end()) {
            if (made->second.is_current) return {made->second.object, success};
            known.object = made->second.object;
            known.head = made->second.head;
        }
    }
    picture_head head;
    if (room < sizeof head) return {nullptr, invalid_memory};
    result said = cl().enqueue_read(on, buffer, 1, offset, sizeof head, &head, 0, nullptr, nullptr);
    if (said != success) return {nullptr, said};
    constexpr std::uint64_t most = std::uint64_t{1} << 20; // no product below overflows
    if (head.mark != picture_head::own_mark || head.width > most || head.height > most ||
        head.pixel_bytes > 64 || head.all_bytes() > room)
        return {nullptr, invalid_memory};
    memory object = known.object;
    if (object == nullptr || !(known.head == head)) {
        picture_extents extents;
        extents.width = head.width;
        extents.height = head.height;
        object = cl().create_picture(in, flag::read_only, &head.format, &extents, nullptr, &said);
        if (said != success) return {nullptr, said};
    }
    picture_region const all(head);
    said = cl().enqueue_buffer_to_picture(on, buffer, object, offset + sizeof head, all.begin,
                                          all.extent, 0, nullptr, nullptr);
    if (said == success) said = cl().finish(on); // launches on other queues may follow
    std::unique_lock const writing(m.memory_turn);
    found_memory const found = memory_at(at);
    if (said != success || found.in == nullptr) {
        if (object != known.object) cl().release_memory(object);
        return {nullptr, said != success ? said : result{invalid_value}};
    }
    made_picture& kept = found.in->pictures[offset];
    if (kept.object != nullptr && kept.object != object) cl().release_memory(kept.object);
    kept.object = object;
    kept.head = head;
    kept.is_current = true;
    return {object, success};
}

/// The stream of the driver's own, or null for a queue of the program.
[[nodiscard]] inline stream_state* own_stream(cuda::stream on)
{
    machine& m = this_machine();
    std::shared_lock const reading(m.streams_turn);
    auto* const asked = reinterpret_cast<stream_state*>(on);
    auto const at = std::find(m.streams.begin(), m.streams.end(), asked);
    return at == m.streams.end() ? nullptr : asked;
}

/// The default queue of the current context; null: there is none.
[[nodiscard]] inline queue default_commands()
{
    return current_state() == nullptr ? nullptr : current_state()->commands;
}

[[nodiscard]] inline queue queue_of(cuda::stream on)
{
    if (on == nullptr) return default_commands();
    if (stream_state const* const own = own_stream(on)) return own->handle;
    return reinterpret_cast<queue>(on);
}

/// Retained queues of the program, with the number of the latest launch.
using noted_queues = std::vector<std::pair<queue, std::uint64_t>>;

/// Waits for noted queues and releases them. Forgets those without a launch since they were taken:
/// until then, other threads wait for them too.
[[nodiscard]] inline result finish_noted(noted_queues const& all)
{
    result got = success;
    for (auto const& [one, launch] : all)
        if (result const said = cl().finish(one); got == success) got = said;
    machine& m = this_machine();
    std::unique_lock const writing(m.streams_turn);
    for (auto const& [one, launch] : all) {
        auto const known = m.foreign.find(one);
        if (known != m.foreign.end() && known->second == launch) {
            m.foreign.erase(known);
            cl().release_queue(one);
        }
        cl().release_queue(one);
    }
    return got;
}

/// Keeps a queue of the program, with a launch of attune's, for the next finish_all().
inline void note_foreign(queue on)
{
    machine& m = this_machine();
    std::uint64_t const launch = ++m.foreign_launches;
    auto const is_noted = [&] {
        auto const known = m.foreign.find(on);
        if (known == m.foreign.end()) return false;
        known->second = launch;
        return true;
    };
    {
        std::shared_lock const reading(m.streams_turn);
        if (is_noted()) return;
    }
    noted_queues left; // the program has released them
    {
        std::unique_lock const writing(m.streams_turn);
        if (is_noted() || cl().retain_queue(on) != success) return;
        for (auto const& [one, latest] : m.foreign) {
            bool const is_ours_alone =
                value_by<unsigned>([&](std::size_t room, void* out, std::size_t* bytes) {
                    return cl().get_queue_info(one, of_queue::shares, room, out, bytes);
                }) == 1;
            if (is_ours_alone && cl().retain_queue(one) == success) left.emplace_back(one, latest);
        }
        m.foreign.emplace(on, launch);
    }
    static_cast<void>(finish_noted(left));
}

/// Waits for all queues of a context, and for those of the program that attune has used.
[[nodiscard]] inline result finish_all(context_state const& in)
{
    machine& m = this_machine();
    noted_queues foreign;
    std::vector<queue> own;
    {
        std::shared_lock const reading(m.streams_turn);
        for (auto const& [one, latest] : m.foreign)
            if (cl().retain_queue(one) == success) foreign.emplace_back(one, latest);
        for (stream_state const* const one : m.streams)
            if (one->in == &in && cl().retain_queue(one->handle) == success)
                own.push_back(one->handle);
    }
    result got = cl().finish(in.commands);
    for (queue const one : own) {
        result const said = cl().finish(one);
        if (got == success) got = said;
        cl().release_queue(one);
    }
    result const said = finish_noted(foreign);
    return got == success ? said : got;
}

inline void forget(event& one) noexcept
{
    if (one != nullptr) cl().release_event(std::exchange(one, nullptr));
}

inline void note_command(stream_state& on, event made)
{
    forget(on.last);
    on.last = made;
    for (event_state* const one : std::exchange(on.awaiting, {}))
        if (cl().retain_event(made) == success) one->first_after = made;
}

[[nodiscard]] inline result run_command(stream_state& on, command const& what)
{
    event made = nullptr;
    result const got = what(on.handle, &made);
    if (got == success && made != nullptr) note_command(on, made);
    return got;
}

/// Enqueues a command, or adds it to the graph of a stream that is being captured.
template <class Command>
[[nodiscard]] cuda::result submit(cuda::stream on, Command what)
{
    if (on != nullptr)
        if (stream_state* const own = own_stream(on)) {
            if (own->graph != nullptr) {
                own->graph->commands.emplace_back(std::move(what));
                return cuda::success;
            }
            return table_result(run_command(*own, what));
        }
    queue const commands = queue_of(on);
    if (commands == nullptr) return invalid_value;
    return table_result(what(commands, nullptr));
}

inline void forget_record(event_state& of)
{
    if (of.on != nullptr) std::erase(of.on->awaiting, &of);
    forget(of.marker);
    forget(of.last_before);
    forget(of.first_after);
    of.on = nullptr;
}

[[nodiscard]] inline std::uint64_t nanoseconds(event of, unsigned what)
{
    return value_by<std::uint64_t>([&](std::size_t room, void* out, std::size_t* bytes) {
        return cl().get_event_profiling_info(of, what, room, out, bytes);
    });
}

[[nodiscard]] inline int status_of(event of)
{
    return value_by<int>(
        [&](std::size_t room, void* out, std::size_t* bytes) {
            return cl().get_event_info(of, of_event::status, room, out, bytes);
        },
        int{invalid_value});
}

// Launches.

struct launch_size {
    std::size_t global[3];
    std::size_t local[3];
    unsigned dimensions;
    std::uint64_t local_bytes;
};

/// Waits until a kernel runs, and returns true if it does. Some platforms, such as PoCL, compile
/// for the size of a work-group at its first launch. That time is no part of the kernel's time
/// limit.
[[nodiscard]] inline bool wait_for_start(queue on, event of, double limit_s)
{
    constexpr int running = 1;
    if (cl().flush(on) != success) return false;
    double const until_s = attune::detail::steady_seconds() + limit_s;
    while (status_of(of) > running && attune::detail::steady_seconds() < until_s)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    int const now = status_of(of);
    return now >= 0 && now <= running;
}

/// Sets the arguments that differ from those of the launch before, and enqueues the kernel.
[[nodiscard]] inline result enqueue(function_state& f, launch_size const& how,
                                    void const* const* given, queue on, event* out)
{
    std::scoped_lock const one(f.turn);
    std::uint64_t const now = this_machine().generation.load(std::memory_order_acquire);
    if (std::exchange(f.generation, now) != now)
        for (function_state::known_argument& a : f.arguments)
            a.is_set = a.is_set && a.form.kind != argument_kind::array &&
                       a.form.kind != argument_kind::picture;
    std::size_t next = 0;
    for (std::size_t i = 0; i < f.arguments.size(); ++i) {
        function_state::known_argument& a = f.arguments[i];
        auto const index = static_cast<unsigned>(i);
        result said = success;
        if (a.form.kind == argument_kind::local) {
            if (a.is_set && a.number == how.local_bytes) continue;
            said = cl().set_kernel_arg(f.handle, index, how.local_bytes, nullptr);
            a.number = how.local_bytes;
        } else if (void const* const value = given[next++]; a.form.kind == argument_kind::value) {
            if (a.is_set && std::memcmp(a.value.data(), value, a.value.size()) == 0) continue;
            said = cl().set_kernel_arg(f.handle, index, a.value.size(), value);
            std::memcpy(a.value.data(), value, a.value.size());
        } else {
            std::uint64_t address = 0;
            std::memcpy(&address, value, sizeof address);
            if (a.is_set && a.number == address) continue;
            auto const [object, found] = a.form.kind == argument_kind::picture
                                             ? picture_at(address, on)
                                             : argument_at(address);
            said = found != success ? found
                                    : cl().set_kernel_arg(f.handle, index, sizeof object, &object);
            a.number = address;
        }
        a.is_set = said == success;
        if (said != success) return said;
    }
    result const said = cl().enqueue_kernel(on, f.handle, how.dimensions, nullptr, how.global,
                                            how.local, 0, nullptr, out);
    std::array<std::size_t, 3> const local{how.local[0], how.local[1], how.local[2]};
    if (said == success && out != nullptr && !f.compiled_for.contains(local) &&
        wait_for_start(on, *out, f.start_limit_s))
        f.compiled_for.insert(local);
    return said;
}

/// The arguments of a launch that runs later, when the caller's are gone.
class kept_arguments {
public:
    kept_arguments(function_state const& of, void const* const* given)
    {
        std::size_t next = 0;
        for (function_state::known_argument const& a : of.arguments) {
            if (a.form.kind == argument_kind::local) continue;
            std::size_t const bytes =
                a.form.kind == argument_kind::value ? a.value.size() : sizeof(std::uint64_t);
            auto const* const from = static_cast<std::byte const*>(given[next++]);
            values_.emplace_back(from, from + bytes);
        }
    }
    [[nodiscard]] std::vector<void const*> all() const
    {
        std::vector<void const*> out;
        for (std::vector<std::byte> const& one : values_)
            out.push_back(one.data());
        return out;
    }

private:
    std::vector<std::vector<std::byte>> values_{};
};

} // namespace attune::inline ATTUNE_ABI::detail::opencl
