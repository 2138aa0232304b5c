// attune/tune/kernel/owned_call.ipp - copies the arrays of a call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/tune/kernel/owned_call.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <span>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::vector<call_range> ranges_of(call_frame const& frame)
{
    std::vector<call_range> all;
    for (buffer const& b : frame.buffers) {
        if (b.argument == buffer::result || b.bytes == 0) continue;
        auto const first = reinterpret_cast<std::uintptr_t>(b.data);
        all.push_back({first, first + b.bytes, frame.arguments[b.argument].on_device});
    }
    std::sort(all.begin(), all.end(),
              [](call_range const& a, call_range const& b) { return a.first < b.first; });
    std::vector<call_range> merged;
    for (call_range const& one : all) {
        if (!merged.empty() && one.first < merged.back().last)
            merged.back().last = std::max(merged.back().last, one.last);
        else
            merged.push_back(one);
    }
    return merged;
}

/// Memory of the host whose address modulo kept_alignment is `place`.
[[nodiscard]] inline std::shared_ptr<std::byte> host_array(std::size_t bytes, std::size_t place)
{
    auto* const block =
        static_cast<std::byte*>(::operator new(place + bytes, std::align_val_t{kept_alignment}));
    return {block + place,
            [block](std::byte*) { ::operator delete(block, std::align_val_t{kept_alignment}); }};
}

/// The copies of ranges.
struct owned_call::memory {
    struct copy {
        call_range of;
        std::shared_ptr<std::byte> at; ///< of the first byte
    };
    std::vector<copy> copies{};

    /// Memory for a range. Copies the bytes of an array of the device, and no others yet.
    void add(call_range const& range, device_target const* device, array_copy how)
    {
        std::size_t const bytes = range.last - range.first;
        std::size_t const place = range.first % kept_alignment;
        bool const is_made_there = range.on_device && how != array_copy::to_host;
        copies.push_back(
            {range, is_made_there ? device->make_array(bytes, place) : host_array(bytes, place)});
        if (range.on_device)
            device->copy_array(how, copies.back().at.get(),
                               reinterpret_cast<std::byte const*>(range.first), bytes);
    }
    /// Returns the copy of the bytes at `data`, or `data` itself if it was not copied.
    [[nodiscard]] std::byte* moved(std::byte* data) const noexcept
    {
        auto const at = reinterpret_cast<std::uintptr_t>(data);
        auto const after = std::upper_bound(
            copies.begin(), copies.end(), at,
            [](std::uintptr_t place, copy const& c) { return place < c.of.first; });
        if (after == copies.begin() || at >= std::prev(after)->of.last) return data;
        return std::prev(after)->at.get() + (at - std::prev(after)->of.first);
    }
    void move(call_frame& frame) const
    {
        for (buffer& b : frame.buffers)
            if (b.argument != buffer::result && b.bytes > 0) b.data = moved(b.data);
    }
};

ATTUNE_INLINE std::size_t bytes_to_own(call_frame const& frame)
{
    std::size_t bytes = 0;
    for (call_range const& range : ranges_of(frame)) {
        std::size_t const used = range.first % kept_alignment + (range.last - range.first);
        bytes += (used + kept_alignment - 1) / kept_alignment * kept_alignment;
    }
    return bytes;
}

ATTUNE_INLINE owned_call::owned_call(call_frame const& frame, device_target const* device,
                                     array_copy how)
    : frame_(frame)
{
    auto made = std::make_shared<memory>();
    for (call_range const& range : ranges_of(frame))
        made->add(range, device, how);
    // Gaps between rows are not part of the call: other threads may write there, or they may be
    // unreadable.
    for (buffer const& b : frame.buffers)
        if (b.argument != buffer::result && !frame.arguments[b.argument].on_device)
            for_each_row(b, [&made](std::byte* first, std::size_t bytes) {
                std::memcpy(made->moved(first), first, bytes);
            });
    made->move(frame_);
    for (call_argument const& one : frame_.arguments) {
        if (!one.target) continue;
        buffer const& pointers = frame_.buffers[one.buffer];
        for (std::size_t i = 0; i < pointers.bytes / sizeof(void*); ++i) {
            std::byte* const target = frame_.buffers[pointers.first_target + i].data;
            std::memcpy(pointers.data + i * sizeof(void*), &target, sizeof target);
        }
    }
    memory_ = made;
    if (frame.resized)
        frame_.resized = [resized = frame.resized,
                          held = memory_](std::span<std::int64_t const> sizes) {
            call_frame smaller = resized(sizes);
            held->move(smaller);
            return smaller;
        };
}

struct call_copies::room {
    std::size_t most;
    fork_safe_mutex lock{lock_use::brief}; ///< guards the members below
    std::size_t bytes = 0;
    pid_t process = 0; ///< the process of `bytes`: copies of other processes are not counted
};

struct call_copies::copy {
    std::shared_ptr<room> of;
    std::size_t bytes = 0; ///< bytes taken from the room
    pid_t process;
    std::shared_ptr<owned_call const> call{};

    /// Takes no room yet.
    explicit copy(std::shared_ptr<room> from)
        : of(std::move(from))
        , process(::getpid())
    {
    }
    copy(copy const&) = delete;
    copy& operator=(copy const&) = delete;
    ~copy()
    {
        call.reset();
        std::scoped_lock<fork_safe_mutex> const here(of->lock);
        if (of->process == process) of->bytes -= bytes;
    }
};

ATTUNE_INLINE call_copies::call_copies(std::size_t most_bytes)
    : room_(std::make_shared<room>(most_bytes))
{
}

ATTUNE_INLINE bool call_copies::can_ever_make(call_frame const& frame) const
{
    return bytes_to_own(frame) <= room_->most;
}

ATTUNE_INLINE call_copy call_copies::make(call_frame const& frame,
                                          device_target const* device) const
{
    std::size_t const bytes = bytes_to_own(frame);
    if (bytes > room_->most)
        return {.refusal =
                    "nothing is tuned or verified in the background: a copy of the "
                    "arguments takes " +
                    std::to_string(bytes) + " bytes, and tuning_options::limits.copied_bytes is " +
                    std::to_string(room_->most) + "; tuned.tune(arguments...) tunes in the call"};
    try {
        auto made = std::make_shared<copy>(room_); // releases its room at any exception
        {
            std::scoped_lock<fork_safe_mutex> const here(room_->lock);
            if (pid_t const me = ::getpid(); std::exchange(room_->process, me) != me)
                room_->bytes = 0;
            if (room_->bytes > room_->most - bytes) return {};
            room_->bytes += bytes;
            made->bytes = bytes;
        }
        made->call = std::make_shared<owned_call const>(frame, device); // slow, so without the lock
        owned_call const* const held = made->call.get();
        return {.call = {std::move(made), held}};
    } catch (std::exception const& e) {
        return {.refusal =
                    std::string("nothing is tuned or verified in the background: ") + e.what()};
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
