// attune/tune/kernel/call_frame.ipp - the lengths behind the pointers of a call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE void call_frame::set_extent(std::size_t argument, std::size_t count)
{
    call_argument const& what = arguments[argument];
    if (what.target) return set_targets(what, count);
    buffers[what.buffer].bytes = count * what.element_bytes;
    (*elements)[what.buffer] = count;
}

ATTUNE_INLINE std::vector<std::byte*> call_frame::addresses() const
{
    std::vector<std::byte*> out;
    for (buffer const& b : buffers)
        out.push_back(b.data);
    return out;
}

ATTUNE_INLINE bool call_frame::is_complete() const noexcept
{
    for (call_argument const& one : arguments)
        if (one.target && buffers[one.buffer].first_target == buffer::none) return false;
    return true;
}

ATTUNE_INLINE bool call_frame::has_only_empty_arrays() const noexcept
{
    bool has_arrays = false;
    for (buffer const& b : buffers) {
        if (b.argument == buffer::result) continue;
        if (b.bytes > 0) return false;
        has_arrays = true;
    }
    return has_arrays;
}

ATTUNE_INLINE bool call_frame::writes_nothing() const noexcept
{
    for (buffer const& b : buffers)
        if (b.writable && b.bytes > 0) return false;
    return true;
}

ATTUNE_INLINE void call_frame::set_targets(call_argument const& what, std::size_t count)
{
    std::size_t const pointers = buffers[what.buffer].bytes / sizeof(void*);
    std::byte const* const at = buffers[what.buffer].data;
    if (buffers[what.buffer].first_target == buffer::none) {
        buffers[what.buffer].first_target = buffers.size();
        buffers.resize(buffers.size() + pointers, *what.target);
    }
    for (std::size_t i = 0; i < pointers; ++i) {
        buffer& target = buffers[buffers[what.buffer].first_target + i];
        std::memcpy(&target.data, at + i * sizeof(void*), sizeof(void*));
        target.bytes = target.data == nullptr ? 0 : count * what.element_bytes;
        target.target = i;
    }
}

} // namespace attune::inline ATTUNE_ABI
