// attune/measure/arrays/content.hpp - the bytes of an array without the gaps between its rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Number of bytes that belong to the array, without gaps.
[[nodiscard]] inline std::size_t content_bytes(buffer const& b) noexcept
{
    return b.gaps.rows == 0 ? b.bytes : b.gaps.row * b.gaps.rows * b.gaps.slices;
}

/// Calls f(first, bytes) for each row, in order; once for an array without gaps.
template <class F>
void for_each_row(buffer const& b, F const& f)
{
    if (b.gaps.rows == 0) {
        if (b.bytes > 0) f(b.data, b.bytes);
        return;
    }
    for (std::size_t k = 0; k < b.gaps.slices; ++k)
        for (std::size_t i = 0; i < b.gaps.rows; ++i)
            f(b.data + k * b.gaps.slice_stride + i * b.gaps.row_stride, b.gaps.row);
}

/// A copy of the content, rows one after another.
/// Errors   bad_alloc
[[nodiscard]] inline std::vector<std::byte> content_of(buffer const& b)
{
    std::vector<std::byte> out;
    out.reserve(content_bytes(b));
    for_each_row(b, [&](std::byte const* first, std::size_t bytes) {
        out.insert(out.end(), first, first + bytes);
    });
    return out;
}

/// Copies the content, rows one after another. @pre dense.size() == content_bytes(b)
inline void copy_content(buffer const& b, std::span<std::byte> dense) noexcept
{
    std::byte* to = dense.data();
    for_each_row(b, [&](std::byte const* first, std::size_t bytes) {
        std::memcpy(to, first, bytes);
        to += bytes;
    });
}

/// Writes the content. @pre dense.size() == content_bytes(b)
inline void set_content(buffer const& b, std::span<std::byte const> dense) noexcept
{
    std::byte const* from = dense.data();
    for_each_row(b, [&](std::byte* first, std::size_t bytes) {
        std::memcpy(first, from, bytes);
        from += bytes;
    });
}

/// True when the content equals `dense`.
[[nodiscard]] inline bool holds(buffer const& b, std::span<std::byte const> dense) noexcept
{
    if (dense.size() != content_bytes(b)) return false;
    bool same = true;
    std::byte const* from = dense.data();
    for_each_row(b, [&](std::byte const* first, std::size_t bytes) {
        same = same && std::memcmp(first, from, bytes) == 0;
        from += bytes;
    });
    return same;
}

/// True for an array of numbers (or bytes) without gaps: its memory is its content.
[[nodiscard]] inline bool is_plain(buffer const& b) noexcept
{
    return b.gaps.rows == 0 && b.run_count == 0;
}

/// The number of fields of its structures; 1 without structures.
[[nodiscard]] inline std::size_t part_count(buffer const& b) noexcept
{
    return b.run_count == 0 ? 1 : b.run_count;
}

/// The buffer for part `k` of a content, with its numbers in `memory`.
[[nodiscard]] inline buffer part_of(buffer const& b, std::size_t k,
                                    std::span<std::byte> memory) noexcept
{
    buffer out;
    out.data = memory.data();
    out.bytes = memory.size();
    out.type = b.run_count == 0 ? b.type : b.runs[k].type;
    out.within = b.run_count == 0 ? b.within : b.runs[k].within;
    out.writable = b.writable;
    out.argument = b.argument;
    out.target = b.target;
    return out;
}

/// Copies the numbers of part `k` from a content.
/// Errors   bad_alloc
[[nodiscard]] inline std::vector<std::byte> take_part(buffer const& b, std::size_t k,
                                                      std::span<std::byte const> dense)
{
    if (b.run_count == 0) return {dense.begin(), dense.end()};
    element_run const& run = b.runs[k];
    std::size_t const width = run.count * element_bytes(run.type);
    std::vector<std::byte> out(dense.size() / b.structure * width);
    for (std::size_t i = 0; i < dense.size() / b.structure; ++i)
        std::memcpy(&out[i * width], &dense[i * b.structure + run.offset], width);
    return out;
}

/// Copies the numbers of part `k` back into a content.
inline void put_part(buffer const& b, std::size_t k, std::span<std::byte const> part,
                     std::span<std::byte> dense) noexcept
{
    if (b.run_count == 0) {
        if (!part.empty()) std::memcpy(dense.data(), part.data(), part.size());
        return;
    }
    element_run const& run = b.runs[k];
    std::size_t const width = run.count * element_bytes(run.type);
    for (std::size_t i = 0; i < dense.size() / b.structure; ++i)
        std::memcpy(&dense[i * b.structure + run.offset], &part[i * width], width);
}

} // namespace attune::inline ATTUNE_ABI::detail
