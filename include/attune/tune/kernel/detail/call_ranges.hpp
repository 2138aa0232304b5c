// attune/tune/kernel/detail/call_ranges.hpp - the memory that the arrays of a call lie in.
// SPDX-License-Identifier: MIT
// tested by tune/kernel/owned_call.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/kernel/call_frame.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Copies keep their addresses modulo this many bytes: a page, the largest of what code is aligned
/// to.
inline constexpr std::size_t kept_alignment = 4096;

/// A range of addresses of the caller's.
struct call_range {
    std::uintptr_t first;
    std::uintptr_t last; ///< one past the end
};

/// Where the arrays lie; ranges that overlap are one. Sorted.
[[nodiscard]] inline std::vector<call_range> ranges_of(call_frame const& frame)
{
    std::vector<call_range> all;
    for (buffer const& b : frame.buffers) {
        if (b.argument == buffer::result || b.bytes == 0) continue;
        auto const first = reinterpret_cast<std::uintptr_t>(b.data);
        all.push_back({first, first + b.bytes});
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

} // namespace attune::inline ATTUNE_ABI::detail
