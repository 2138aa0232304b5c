// attune/measure/arrays/content.hpp - the content of arrays, copies and perturbations of it.
// SPDX-License-Identifier: MIT
// Source   own measurements: the first access to a small page takes 0.1 to 2 us, up to 1.5 ms per
//          MiB, and freeing it half of that; pages of 2 MiB take a tenth of both
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
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

/// Returns true for an array of numbers (or bytes) without gaps: its memory is its content.
[[nodiscard]] inline bool is_plain(buffer const& b) noexcept
{
    return b.gaps.rows == 0 && b.run_count == 0;
}

/// Number of fields of a structure; 1 without structures.
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

inline constexpr std::size_t large_page = std::size_t{2} << 20;
/// From this size on, in bytes, filling a large page takes less time than filling small pages.
inline constexpr std::size_t worth_a_large_page = std::size_t{1} << 19;

/// The multiples of a large page below and above `address`.
[[nodiscard]] inline std::size_t below(std::size_t address) noexcept
{
    return address / large_page * large_page;
}
[[nodiscard]] inline std::size_t above(std::size_t address) noexcept
{
    return below(address + large_page - 1);
}

/// Requests large pages. The system uses small ones if it has no large ones.
void prefer_large_pages(void* first, std::size_t bytes) noexcept;

/// Owns bytes that are not initialised.
class fresh_memory {
public:
    fresh_memory() = default;
    /// Errors   bad_alloc
    explicit fresh_memory(std::size_t bytes);
    ~fresh_memory();
    /// Errors   bad_alloc
    fresh_memory(fresh_memory const& from)
        : fresh_memory(from.size_)
    {
        if (size_ > 0) std::memcpy(data_, from.data_, size_);
    }
    fresh_memory(fresh_memory&& from) noexcept
        : data_(std::exchange(from.data_, nullptr))
        , size_(std::exchange(from.size_, 0))
        , mapping_(std::exchange(from.mapping_, nullptr))
        , mapped_(std::exchange(from.mapped_, 0))
    {
    }
    fresh_memory& operator=(fresh_memory from) noexcept
    {
        std::swap(data_, from.data_);
        std::swap(size_, from.size_);
        std::swap(mapping_, from.mapping_);
        std::swap(mapped_, from.mapped_);
        return *this;
    }

    [[nodiscard]] std::span<std::byte> bytes() noexcept { return {data_, size_}; }
    [[nodiscard]] std::span<std::byte const> bytes() const noexcept { return {data_, size_}; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::byte* mapping_ = nullptr; ///< null: `data_` is from operator new
    std::size_t mapped_ = 0;
};

/// Copies of the writable buffers of a call, in the buffers' order.
class snapshot {
public:
    /// Copies the writable buffers.
    /// Errors   bad_alloc
    explicit snapshot(std::span<buffer const> buffers)
        : buffers_(buffers.begin(), buffers.end())
        , saved_(buffers.size())
    {
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            if (has_content(i)) {
                saved_[i] = detail::fresh_memory(content_bytes(buffers_[i]));
                copy_content(buffers_[i], saved_[i].bytes());
            }
    }

    /// Writes the copies back, except gaps between rows. Allocates nothing.
    /// @pre     the memory of the buffers still exists
    void restore() const noexcept
    {
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            if (has_content(i)) set_content(buffers_[i], saved_[i].bytes());
    }

    /// Copies the buffers again, into the same memory. Allocates nothing.
    void take_again() noexcept
    {
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            if (has_content(i)) copy_content(buffers_[i], saved_[i].bytes());
    }

    /// The copy of buffer `i`, without gaps; empty for a read-only buffer.
    /// @pre i < size()
    [[nodiscard]] std::span<std::byte const> saved(std::size_t i) const noexcept
    {
        return saved_[i].bytes();
    }
    /// Number of buffers, writable or not.
    [[nodiscard]] std::size_t size() const noexcept { return buffers_.size(); }

private:
    [[nodiscard]] bool has_content(std::size_t i) const noexcept
    {
        return buffers_[i].writable && buffers_[i].bytes > 0;
    }

    std::vector<buffer> buffers_;
    std::vector<detail::fresh_memory> saved_;
};

/// Runs twice and returns true if the results are equal: a run then needs no restored buffers. A
/// kernel that updates its data must start from the same contents each time. The buffers keep the
/// last results.
/// Errors   whatever `run` throws; bad_alloc
[[nodiscard]] inline bool is_repeatable(std::span<buffer const> buffers,
                                        std::function<void()> const& run)
{
    run();
    snapshot const once(buffers);
    run();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        std::span<std::byte const> const saved = once.saved(i);
        if (!saved.empty() && !holds(buffers[i], saved)) return false;
    }
    return true;
}

/// Changes every element of every writable buffer, deterministically. A floating-point number
/// changes by at least a quarter of the buffer's root mean square, and by more than its tolerance.
/// In integers and opaque bytes the lowest bit flips, so that an index stays near its value. An
/// integer that would exceed its array's maximum becomes smaller by one instead, if the maximum is
/// above 0.
/// @param across  false: floating-point numbers move away from zero. true: all of them cross zero,
///                and an array's largest integers become greater by one. An index may be out of
///                range then: run code on such contents only if the program survives wild accesses
/// @pre  buffers do not overlap
void perturb(std::span<buffer const> buffers, bool across = false);

/// Changes each floating-point number by `by`, relative to the number. Zero, infinities and NaN
/// stay.
/// @param up  true: all numbers become greater; false: each becomes greater or less by its place
///            and by buffer::argument
void nudge(buffer const& b, double by, bool up);

/// Contents of buffers at some moment: views of bytes elsewhere. The bytes of read-only buffers are
/// unspecified.
class contents_view {
public:
    /// @pre the viewed bytes outlive this object
    contents_view(snapshot const& kept) // NOLINT(google-explicit-constructor): it is one
    {
        for (std::size_t i = 0; i < kept.size(); ++i)
            bytes_.push_back(kept.saved(i));
    }
    explicit contents_view(std::span<buffer const> buffers)
    {
        for (buffer const& b : buffers)
            bytes_.emplace_back(b.data, b.bytes);
    }

    [[nodiscard]] std::span<std::byte const> saved(std::size_t i) const { return bytes_[i]; }

private:
    std::vector<std::span<std::byte const>> bytes_{};
};

/// The contents of the buffers before and after a run of trusted code.
struct run_contents {
    contents_view before;
    contents_view after;
};

/// Returns true if the kernel's results do not depend on the contents that it overwrites. Each
/// element must be unchanged by both runs, or equal after both. Equal means within its tolerance,
/// and with a change far smaller than the perturbation. Refuses `y += x`, even if the tolerance
/// hides y beside x; accepts it if rounding removes all of y. Accepts `y = x`, also on a part of y.
/// Ignores any_value arrays.
///
/// @pre  both runs used buffers like `buffers`; the second one began with perturbed contents
[[nodiscard]] bool overwrites_all(std::span<buffer const> buffers, run_contents const& run,
                                  run_contents const& perturbed_run);

/// Marks each array that is writable, not empty, not any_value, and unchanged within its tolerance.
[[nodiscard]] std::vector<bool> idle_arrays(std::span<buffer const> buffers,
                                            run_contents const& run);

/// Returns true if the perturbed run leaves a NaN or an infinity where the other run leaves a
/// finite number. Such contents are then no valid input of the code. Structures count as finite.
[[nodiscard]] bool loses_finite_numbers(std::span<buffer const> buffers, run_contents const& run,
                                        run_contents const& perturbed_run);

/// Returns true if the first run leaves an array unchanged that the second run changes. The first
/// run alone could then not detect a variant that writes nothing.
[[nodiscard]] bool hides_idleness(std::span<buffer const> buffers, run_contents const& run,
                                  run_contents const& perturbed_run);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/arrays/content.ipp>
#endif
