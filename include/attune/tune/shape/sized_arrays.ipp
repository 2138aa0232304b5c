// attune/tune/shape/sized_arrays.ipp - copies arrays to where a drawn call wants them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/shape/sized_arrays.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE call_frame sized_arrays::make(call_frame const& frame, drawn_call const& call)
{
    constexpr std::size_t line = 64;
    blocks_.clear();
    call_frame out = frame.resized ? frame.resized(call.sizes) : frame;
    std::size_t array = 0;
    for (std::size_t i = 0; i < out.arguments.size(); ++i) {
        call_argument const& one = out.arguments[i];
        if (one.buffer == call_argument::by_value) continue;
        std::int64_t const place =
            array < call.places.size() ? call.places[array] : drawn_call::unchanged;
        ++array;
        buffer& its = out.buffers[one.buffer];
        std::size_t const count = call.sizes[i] == drawn_call::unchanged
                                      ? (*out.elements)[one.buffer]
                                      : static_cast<std::size_t>(call.sizes[i]);
        bool const is_longer = count > (*out.elements)[one.buffer];
        if (!is_longer && place == drawn_call::unchanged) continue;
        std::size_t const bytes = count * one.element_bytes;
        std::size_t const wanted = place == drawn_call::unchanged
                                       ? reinterpret_cast<std::uintptr_t>(its.data) % line
                                       : static_cast<std::size_t>(place);
        blocks_.push_back(std::make_unique<std::byte[]>(bytes + 2 * line));
        std::byte* const block = blocks_.back().get();
        std::size_t const has = reinterpret_cast<std::uintptr_t>(block) % line;
        std::byte* const to = block + (line - has) + wanted;
        // An odd number of elements is repeated: with a power of two, an index that overflows would
        // read the same.
        std::size_t const has_elements = its.bytes / one.element_bytes;
        bool const is_even = has_elements > 1 && has_elements % 2 == 0;
        std::size_t const period = (has_elements - (is_even ? 1 : 0)) * one.element_bytes;
        for (std::size_t at = 0; at < bytes && period > 0; at += period)
            std::memcpy(to + at, its.data, std::min(at == 0 ? its.bytes : period, bytes - at));
        its.data = to;
        its.bytes = bytes;
        (*out.elements)[one.buffer] = count;
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
