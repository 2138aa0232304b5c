// attune/measure/arrays/compare.ipp - comparison for each element type, field and row.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/compare.hpp>
#include <attune/measure/arrays/content.hpp>

#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

template <class T>
[[nodiscard]] std::optional<mismatch> compare_as(buffer const& got, std::byte const* want)
{
    std::size_t const count = got.bytes / sizeof(T);
    double rms = -1; // unknown: most elements agree without it
    std::optional<mismatch> first;
    for (std::size_t i = 0; i < count; ++i) {
        T const mine = element_at<T>(got.data, i);
        T const reference = element_at<T>(want, i);
        if (agrees(mine, reference, got.within, 0)) continue;
        if constexpr (!std::is_same_v<T, std::byte>) {
            if (rms < 0) rms = got.within.relative > 0 ? root_mean_square<T>(want, count) : 0;
            if (agrees(mine, reference, got.within, rms)) continue;
        }
        if (!first)
            first = mismatch{got.argument, i, element_text(mine), element_text(reference), 0, count,
                             got.target,   {}};
        ++first->count;
        first->farthest = std::max(first->farthest, number_distance(mine, reference));
    }
    return first;
}

/// The place of number `i` of part `k` as text: "row 2, column 5", "element 17, field 3".
[[nodiscard]] inline std::string place_text(buffer const& b, std::size_t k, std::size_t i)
{
    std::size_t const element = b.run_count > 0 ? i / b.runs[k].count : i;
    std::string text = "element " + std::to_string(element);
    std::size_t const width = b.run_count > 0 ? b.structure : element_bytes(b.type);
    if (std::size_t const columns = b.gaps.row / width; b.gaps.rows > 0 && columns > 0) {
        std::size_t const row = element / columns;
        text = "row " + std::to_string(row % b.gaps.rows) + ", column " +
               std::to_string(element % columns);
        if (b.gaps.slices > 1) text = "slice " + std::to_string(row / b.gaps.rows) + ", " + text;
    }
    if (b.run_count > 0) text += ", field " + std::to_string(k);
    return text;
}

/// Compares field by field, without gaps between rows.
[[nodiscard]] inline std::optional<mismatch> compare_parts(buffer const& got,
                                                           std::span<std::byte const> want)
{
    std::vector<std::byte> const dense = content_of(got);
    std::optional<mismatch> first;
    std::size_t count = 0;
    double farthest = 0;
    for (std::size_t k = 0; k < part_count(got); ++k) {
        std::vector<std::byte> mine = take_part(got, k, dense);
        buffer const part = part_of(got, k, mine);
        if (part.within.any) continue;
        std::vector<std::byte> const reference = take_part(got, k, want);
        auto found = with_element_type(
            part.type, [&](auto one) { return compare_as<decltype(one)>(part, reference.data()); });
        if (!found) continue;
        found->place = place_text(got, k, found->element);
        count += found->count;
        farthest = std::max(farthest, found->farthest);
        if (!first) first = std::move(found);
    }
    if (first) {
        first->count = count;
        first->farthest = farthest;
    }
    return first;
}

ATTUNE_INLINE std::string mismatch::text() const
{
    std::string const where = place.empty() ? "element " + std::to_string(element) : place;
    // A kernel's result is a single number: its place is left out.
    std::string said = owner_text(argument, target);
    if (argument != buffer::result || !place.empty()) said += ", " + where;
    said += ": got " + got + ", reference " + want;
    if (count > 1)
        said += " (" + std::to_string(count) + " of " + std::to_string(elements) + " differ)";
    return said;
}

ATTUNE_INLINE std::optional<mismatch> compare(buffer const& got, std::span<std::byte const> want)
{
    ATTUNE_ASSERT(got.bytes % element_bytes(got.type) == 0, "a buffer holds whole elements");
    std::size_t const bytes = content_bytes(got);
    if (bytes != want.size()) {
        std::size_t const width = element_bytes(got.type);
        std::size_t const shared = std::min(bytes, want.size()) / width;
        return mismatch{got.argument,
                        shared,
                        std::to_string(bytes / width) + " elements",
                        std::to_string(want.size() / width) + " elements",
                        1,
                        bytes / width,
                        got.target,
                        {}};
    }
    if (got.run_count == 0 && got.within.any) return {};
    if (holds(got, want)) return {};
    if (!is_plain(got)) return compare_parts(got, want);
    return with_element_type(got.type,
                             [&](auto one) { return compare_as<decltype(one)>(got, want.data()); });
}

} // namespace attune::inline ATTUNE_ABI::detail
