// attune/measure/arrays/buffer.hpp - an array argument of a kernel as memory, in the caches or not.
// SPDX-License-Identifier: MIT
//
// On x86 and ARM each line is flushed, from shared caches too. On other processors, writes to a
// large array replace the contents of all caches.
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
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The layout of rows with gaps between them, in bytes. rows == 0: the array has no gaps.
struct row_layout {
    std::size_t row = 0; ///< bytes of one row, without the gap after it
    std::size_t rows = 0;
    std::size_t row_stride = 0; ///< from the start of a row to the next
    std::size_t slices = 1;
    std::size_t slice_stride = 0; ///< from the start of a slice to the next
};

/// An array argument. The memory is the caller's and must outlive it. A buffer is plain data, so
/// another process can receive it.
struct buffer {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    /// Value of `argument` if the buffer is the kernel's result.
    static constexpr std::size_t result = none;

    std::byte* data = nullptr; ///< read-only if `writable` is false; may be unaligned
    std::size_t bytes = 0;     ///< a multiple of element_bytes(type); gaps included
    element_type type = element_type::opaque;
    bool writable = false;
    tolerance within{};
    std::size_t argument = 0; ///< index of the kernel's argument, from 0

    row_layout gaps{};
    std::size_t structure = 0;   ///< bytes of one structure; 0: elements are of `type`
    std::uint32_t run_count = 0; ///< length of `runs`, the fields of a structure; 0: use `type`
    std::array<detail::element_run, element_format::most_runs> runs{};
    /// For an array of pointers: index of the first buffer that it points to.
    std::size_t first_target = none;
    std::size_t target = none; ///< of a buffer in such an array: index of its pointer, from 0
};

namespace detail {

/// "argument 2", "argument 2, array 7", "the result".
[[nodiscard]] inline std::string owner_text(std::size_t argument, std::size_t target)
{
    if (argument == buffer::result) return "the result";
    std::string text = "argument " + std::to_string(argument);
    if (target != buffer::none) text += ", array " + std::to_string(target);
    return text;
}

/// Sets the tolerance of the array and of all its fields.
inline void tolerate(buffer& b, tolerance within) noexcept
{
    b.within = within;
    for (element_run& run : b.runs)
        run.within = within;
}

/// Returns false if the element description contradicts itself, which is possible in a message.
[[nodiscard]] inline bool is_sound(buffer const& b) noexcept
{
    if (b.type > element_type::extended || b.run_count > b.runs.size()) return false;
    if (b.run_count == 0) return true;
    if (b.structure == 0 || b.bytes % b.structure != 0) return false;
    for (std::size_t i = 0; i < b.run_count; ++i) {
        element_run const& run = b.runs[i];
        if (run.type > element_type::extended || run.offset > b.structure ||
            run.count > (b.structure - run.offset) / element_bytes(run.type))
            return false;
    }
    return true;
}

/// A span as a buffer, with the default tolerance of its element type.
///
/// @param values    the array; may be empty. The buffer of a `span<T const>` is not writable
/// @param argument  index of the kernel's argument, from 0
/// Errors   none; for a `T` that is not trivially copyable, the compiler reports one sentence
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

/// The state of the caches at the start of a timed run.
enum class cache_state : std::uint8_t {
    warm, ///< as after the former run: for kernels that are called again on the same data
    cold, ///< without the call's arrays: for kernels that get new data at each call
};

namespace detail {

/// Bytes of an array that replaces all contents of the caches: twice the last level that the system
/// reports, from 32 to 512 MiB.
[[nodiscard]] std::size_t sweep_bytes() noexcept;

/// Evicts buffers from the caches, without a change of their contents.
class cache_eviction {
public:
    /// @pre the memory behind the buffers outlives this object
    explicit cache_eviction(std::span<buffer const> buffers);

    /// Cost  about 1 ns per line of 64 bytes that is not cached, more for a cached line
    /// @return  number of lines: of all buffers, or of the large array
    std::size_t evict() noexcept;

private:
    std::vector<buffer> buffers_;
    std::vector<std::byte> sweep_; ///< the large array; empty if lines can be flushed
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/arrays/buffer.ipp>
#endif
