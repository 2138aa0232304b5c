// attune/tune/kernel/declared_lengths.ipp - compares the lengths of a call with the declared ones.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/kernel/declared_lengths.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::vector<std::int64_t> numbers_of(declared_lengths const& lengths,
                                                   call_frame const& frame)
{
    std::vector<std::int64_t> out;
    if (!lengths.numbers) return out;
    std::vector<std::byte*> data;
    for (buffer const& b : frame.buffers)
        data.push_back(b.data);
    frame.with_arguments(data, [&](void const* arguments) { out = lengths.numbers(arguments); });
    return out;
}

ATTUNE_INLINE void require_lengths(std::string const& kernel, declared_lengths const& lengths,
                                   call_frame const& frame)
{
    std::vector<std::int64_t> const numbers = numbers_of(lengths, frame);
    for (std::size_t i = 0; i < frame.arguments.size(); ++i) {
        if (!lengths.says(i)) continue;
        std::int64_t const declared = lengths.of[i](numbers);
        auto const has = static_cast<std::int64_t>((*frame.elements)[frame.arguments[i].buffer]);
        if (has < declared)
            throw error("argument " + std::to_string(i) + " of kernel '" + kernel + "' has " +
                            std::to_string(has) + " elements, and kernel.lengths(...) says " +
                            std::to_string(declared),
                        "a call of the kernel",
                        "pass a longer array, or correct kernel.lengths(...)");
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
