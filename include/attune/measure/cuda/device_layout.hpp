// attune/measure/cuda/device_layout.hpp - the layout of a call's arrays in their copies.
// SPDX-License-Identifier: MIT
//
// A copy has the original's offset from a multiple of 256 bytes, so that a vector load that is
// misaligned in the original is misaligned in the copy.
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/cuda/device_call.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Minimum alignment of cuMemAlloc, in bytes.
inline constexpr std::size_t device_alignment = 256;

/// Memory that contains one array of the caller, or several overlapping ones.
struct device_region {
    memory_place place = memory_place::device;
    std::uintptr_t begin = 0; ///< the caller's addresses
    std::uintptr_t end = 0;
    bool writable = false;            ///< true when one of its arrays is writable
    std::vector<std::size_t> members; ///< indices of the arrays, by address

    [[nodiscard]] std::size_t bytes() const noexcept { return end - begin; }
    /// Offset of a copy from a multiple of the alignment.
    [[nodiscard]] std::size_t skew() const noexcept
    {
        return place == memory_place::device ? begin % device_alignment : 0;
    }
};

struct device_layout {
    struct position {
        std::size_t region = 0;
        std::size_t offset = 0; ///< bytes from the region's beginning
    };
    std::vector<device_region> regions;
    std::vector<position> of; ///< of each array
};

[[nodiscard]] inline device_layout plan_copies(std::span<device_buffer const> buffers)
{
    auto const begin_of = [&](std::size_t i) {
        return reinterpret_cast<std::uintptr_t>(buffers[i].where.data);
    };
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (buffers[a].place != buffers[b].place) return buffers[a].place < buffers[b].place;
        return begin_of(a) != begin_of(b) ? begin_of(a) < begin_of(b) : a < b;
    });
    device_layout out;
    out.of.resize(buffers.size());
    for (std::size_t const i : order) {
        buffer const& b = buffers[i].where;
        if (b.bytes == 0) continue;
        bool const joins = !out.regions.empty() && out.regions.back().place == buffers[i].place &&
                           begin_of(i) < out.regions.back().end;
        if (!joins) out.regions.push_back({buffers[i].place, begin_of(i), begin_of(i), false, {}});
        device_region& r = out.regions.back();
        r.end = std::max(r.end, begin_of(i) + b.bytes);
        r.writable = r.writable || b.writable;
        r.members.push_back(i);
        out.of[i] = {out.regions.size() - 1, begin_of(i) - r.begin};
    }
    // Empty arrays come last, because one inside another array must not separate overlapping
    // arrays.
    for (std::size_t const i : order) {
        buffer const& b = buffers[i].where;
        if (b.bytes > 0) continue;
        out.of[i] = {out.regions.size(), 0};
        out.regions.push_back({buffers[i].place, begin_of(i), begin_of(i), b.writable, {i}});
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
