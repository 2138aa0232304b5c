// attune/measure/arrays/buffer.hpp - one array argument of a kernel as memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/kernel_type.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace attune::inline ATTUNE_ABI {

/// The layout of rows with gaps between them, in bytes. rows == 0: the array has no gaps.
struct row_layout {
    std::size_t row = 0; ///< bytes of one row, without the gap after it
    std::size_t rows = 0;
    std::size_t row_stride = 0; ///< between the beginnings of two rows
    std::size_t slices = 1;
    std::size_t slice_stride = 0; ///< between the beginnings of two slices
};

/// One array argument. It refers to memory of the caller, which must outlive it. Plain data, so
/// that it can be sent to another process.
struct buffer {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    /// Value of `argument` for the kernel's result.
    static constexpr std::size_t result = none;

    std::byte* data = nullptr; ///< only read when `writable` is false; may be unaligned
    std::size_t bytes = 0;     ///< a multiple of element_bytes(type); gaps included
    element_type type = element_type::opaque;
    bool writable = false;
    tolerance within{};
    std::size_t argument = 0; ///< index of the kernel's argument, from 0

    row_layout gaps{};
    std::size_t structure = 0;   ///< bytes of one structure; 0: elements are of `type`
    std::uint32_t run_count = 0; ///< length of `runs`, the fields of each structure; 0: use `type`
    std::array<detail::element_run, element_format::most_runs> runs{};
    /// For an array of pointers: index of the first of the buffers that it points to.
    std::size_t first_target = none;
    std::size_t target = none; ///< for such a target: its index in the array of pointers, from 0
};

namespace detail {

/// "argument 2", "argument 2, array 7", "the result".
[[nodiscard]] std::string owner_text(std::size_t argument, std::size_t target);

/// Sets the tolerance of the array and of all its fields.
void tolerate(buffer& b, tolerance within) noexcept;

/// False when the element description contradicts itself, as one from another process may.
[[nodiscard]] bool is_sound(buffer const& b) noexcept;

/// A span as a buffer, with the default tolerance of its element type.
///
/// @param values    the array; may be empty. The buffer of a `span<T const>` is not writable
/// @param argument  index of the kernel's argument, from 0
/// Errors   none; a `T` that is not trivially copyable is one sentence at compile time
template <class T>
[[nodiscard]] buffer as_buffer(std::span<T> values, std::size_t argument)
{
    static_assert(
        std::is_trivially_copyable_v<std::remove_cv_t<T>>,
        "attune::detail::as_buffer(values, argument): the elements of 'values' are not trivially "
        "copyable; attune saves and restores arrays byte by byte: pass a span of numbers "
        "or of plain structures");
    static_assert(
        !std::is_volatile_v<T>,
        "attune::detail::as_buffer(values, argument): 'values' is a span of volatile elements, "
        "which cannot be saved and restored; pass a span of ordinary elements");
    element_format const& format = format_of<T>();
    buffer made;
    made.data = reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(values.data()));
    made.bytes = values.size_bytes();
    made.type = format.type;
    made.writable = !std::is_const_v<T>;
    made.within = format.within;
    made.argument = argument;
    if (format.run_count > 0) {
        made.structure = format.bytes;
        made.run_count = format.run_count;
        made.runs = format.runs;
    }
    return made;
}

/// A span with a static extent as a buffer.
template <class T, std::size_t Extent>
    requires(Extent != std::dynamic_extent)
[[nodiscard]] buffer as_buffer(std::span<T, Extent> values, std::size_t argument)
{
    return as_buffer(std::span<T>(values), argument);
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/arrays/buffer.ipp>
#endif
