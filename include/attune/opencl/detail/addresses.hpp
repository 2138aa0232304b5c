// attune/opencl/detail/addresses.hpp - addresses for the bytes of buffers.
// SPDX-License-Identifier: MIT
//
// A range of addresses is reserved, so that no other memory of this process has its addresses.
// tested by opencl/driver.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/opencl/detail/machine.hpp>
#include <attune/opencl/library.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <sys/mman.h>
#include <utility>

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
    held_memory(cuda::device_pointer at, std::size_t bytes)
    {
        std::shared_lock const reading(this_machine().memory_turn);
        found_memory const found = memory_at(at);
        if (found.in == nullptr || bytes > found.in->bytes - found.offset) return;
        if (cl().retain_memory(found.in->object) != success) return;
        object_ = found.in->object;
        offset_ = found.offset;
    }
    ~held_memory()
    {
        if (object_ != nullptr) cl().release_memory(object_);
    }
    held_memory(held_memory const&) = delete;
    held_memory& operator=(held_memory const&) = delete;

    [[nodiscard]] memory object() const noexcept { return object_; } ///< null: no such bytes
    [[nodiscard]] std::size_t offset() const noexcept { return offset_; }

private:
    memory object_ = nullptr;
    std::size_t offset_ = 0;
};

/// Calls `use(object, offset)` if `bytes` bytes at an address are in one buffer.
template <class Use>
[[nodiscard]] result with_memory(cuda::device_pointer at, std::size_t bytes, Use const& use)
{
    held_memory const held(at, bytes);
    return held.object() == nullptr ? result{invalid_value} : use(held.object(), held.offset());
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

} // namespace attune::inline ATTUNE_ABI::detail::opencl
