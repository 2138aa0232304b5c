// attune/tune/kernel/owned_call.ipp - copies what a call refers to.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/tune/kernel/detail/call_ranges.hpp>
#include <attune/tune/kernel/owned_call.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The copies of ranges.
struct owned_call::memory {
    struct copy {
        call_range of;
        std::byte* block; ///< what was allocated
        std::byte* at;    ///< of the first byte
    };
    std::vector<copy> copies{};

    memory() = default;
    memory(memory const&) = delete;
    memory& operator=(memory const&) = delete;
    ~memory()
    {
        for (copy const& c : copies)
            ::operator delete(c.block, std::align_val_t{kept_alignment});
    }
    /// Memory for a range; nothing is copied yet.
    void add(call_range const& range)
    {
        std::size_t const bytes = range.last - range.first;
        std::size_t const offset = range.first % kept_alignment;
        copies.reserve(copies.size() + 1);
        auto* const block = static_cast<std::byte*>(
            ::operator new(offset + bytes, std::align_val_t{kept_alignment}));
        copies.push_back({range, block, block + offset});
    }
    /// The copy of what is at `data`; `data` itself where nothing was copied.
    [[nodiscard]] std::byte* moved(std::byte* data) const noexcept
    {
        auto const at = reinterpret_cast<std::uintptr_t>(data);
        auto const after = std::upper_bound(
            copies.begin(), copies.end(), at,
            [](std::uintptr_t place, copy const& c) { return place < c.of.first; });
        if (after == copies.begin() || at >= std::prev(after)->of.last) return data;
        return std::prev(after)->at + (at - std::prev(after)->of.first);
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

ATTUNE_INLINE owned_call::owned_call(call_frame const& frame)
    : frame_(frame)
{
    auto made = std::make_shared<memory>();
    for (call_range const& range : ranges_of(frame))
        made->add(range);
    // What lies between rows is not the call's: other threads may write there, or it may be
    // unreadable.
    for (buffer const& b : frame.buffers)
        if (b.argument != buffer::result)
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

} // namespace attune::inline ATTUNE_ABI::detail
