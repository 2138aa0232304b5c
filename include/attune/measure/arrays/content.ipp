// attune/measure/arrays/content.ipp - memory for copies; perturbation and comparison of contents.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/compare.hpp>
#include <attune/measure/arrays/content.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <new>
#include <numeric>
#include <sys/mman.h>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void prefer_large_pages([[maybe_unused]] void* first,
                                      [[maybe_unused]] std::size_t bytes) noexcept
{
#if defined(MADV_HUGEPAGE)
    ::madvise(first, bytes, MADV_HUGEPAGE);
#endif
}

ATTUNE_INLINE fresh_memory::fresh_memory(std::size_t bytes)
    : size_(bytes)
{
    if (bytes == 0) return;
    if (bytes < worth_a_large_page) {
        data_ = static_cast<std::byte*>(::operator new(bytes));
        return;
    }
    mapped_ = above(bytes) + large_page;
    void* const got =
        ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) throw std::bad_alloc();
    mapping_ = static_cast<std::byte*>(got);
    auto const begin = reinterpret_cast<std::uintptr_t>(got);
    data_ = mapping_ + (above(begin) - begin);
    prefer_large_pages(data_, above(bytes));
}

ATTUNE_INLINE fresh_memory::~fresh_memory()
{
    if (mapping_ != nullptr)
        ::munmap(mapping_, mapped_);
    else
        ::operator delete(data_);
}

/// Root mean square of the finite elements, with independent partial sums. Uses the slower function
/// of compare.hpp if squares overflow or underflow.
template <class T>
[[nodiscard]] double quick_root_mean_square(std::byte const* data, std::size_t count) noexcept
{
    constexpr std::size_t lanes = 8;
    double sums[lanes] = {};
    double finite[lanes] = {};
    std::size_t i = 0;
    auto const add = [&](std::size_t at, std::size_t lane) {
        double const x = static_cast<double>(element_at<T>(data, at));
        bool const is_finite = x - x == 0; // false for NaN and infinities
        sums[lane] += is_finite ? x * x : 0;
        finite[lane] += is_finite ? 1 : 0;
    };
    for (; i + lanes <= count; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane)
            add(i + lane, lane);
    for (; i < count; ++i)
        add(i, 0);
    double const sum = std::accumulate(std::begin(sums), std::end(sums), 0.0);
    double const all = std::accumulate(std::begin(finite), std::end(finite), 0.0);
    bool const is_exact = sum > 1e-250 && std::isfinite(sum);
    return is_exact ? std::sqrt(sum / all) : root_mean_square<T>(data, count);
}

/// Moves `x` away from zero, or across it, by at least `step`.
[[nodiscard]] inline double moved_from(double x, double step, bool across) noexcept
{
    double const away = x + std::copysign(0.25 * std::abs(x) + step, x);
    return across ? -away : away;
}

/// perturb_floats() for types without arithmetic on most processors.
template <class T>
void perturb_wide(buffer const& b, bool across)
{
    std::size_t const count = b.bytes / sizeof(T);
    double const rms = root_mean_square<T>(b.data, count);
    double const bound = b.within.absolute + 2 * b.within.relative * rms;
    double const step = std::max(0.25 * (rms > 0 ? rms : 1.0), 4 * bound);
    for (std::size_t i = 0; i < count; ++i) {
        double const x = static_cast<double>(element_at<T>(b.data, i));
        T const moved = static_cast<T>(std::isfinite(x) ? moved_from(x, step, across) : step);
        T const other = std::isfinite(static_cast<double>(moved))
                            ? moved
                            : static_cast<T>(across ? -x / 2 : x / 2);
        std::memcpy(b.data + i * sizeof(T), &other, sizeof(T));
    }
}

template <class T>
void perturb_floats(buffer const& b, bool across)
{
    std::size_t const count = b.bytes / sizeof(T);
    double const rms = quick_root_mean_square<T>(b.data, count);
    double const bound = b.within.absolute + 2 * b.within.relative * rms;
    double const step = std::max(0.25 * (rms > 0 ? rms : 1.0), 4 * bound);
    auto const other = [step, across](T value) {
        double const x = static_cast<double>(value);
        T const moved = static_cast<T>(x - x == 0 ? moved_from(x, step, across) : step);
        return moved - moved == 0 ? moved : static_cast<T>(across ? -x / 2 : x / 2);
    };
    constexpr std::size_t lanes = 8; // lets the compiler use vector instructions
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        T values[lanes];
        std::memcpy(values, b.data + i * sizeof(T), sizeof values);
        for (T& value : values)
            value = other(value);
        std::memcpy(b.data + i * sizeof(T), values, sizeof values);
    }
    for (; i < count; ++i) {
        T const value = other(element_at<T>(b.data, i));
        std::memcpy(b.data + i * sizeof(T), &value, sizeof(T));
    }
}

template <class T>
void perturb_integers(buffer const& b, bool across)
{
    std::size_t const count = b.bytes / sizeof(T);
    if (count == 0) return;
    T most = element_at<T>(b.data, 0);
    for (std::size_t i = 1; i < count; ++i)
        most = std::max(most, element_at<T>(b.data, i));
    bool const may_exceed = across && most > 1 && most < std::numeric_limits<T>::max();
    for (std::size_t i = 0; i < count; ++i) {
        T const x = element_at<T>(b.data, i);
        T moved = static_cast<T>(x ^ T{1});
        if (moved > most && x > 0) moved = static_cast<T>(x - 1);
        if (may_exceed && x == most) moved = static_cast<T>(x + 1);
        std::memcpy(b.data + i * sizeof(T), &moved, sizeof(T));
    }
}

/// `b` without gaps, at memory that contains its content.
[[nodiscard]] inline buffer at_memory(buffer b, std::byte* data, std::size_t bytes) noexcept
{
    b.data = data;
    b.bytes = bytes;
    b.gaps = {};
    return b;
}

/// A result is independent if it changes by at most this share of its element's perturbation.
inline constexpr double most_answered = 0.125;

/// Returns true if two arrays have equal bytes in [first, last).
[[nodiscard]] inline bool are_equal(std::span<std::byte const> a, std::span<std::byte const> b,
                                    std::size_t first, std::size_t last) noexcept
{
    return std::memcmp(a.data() + first, b.data() + first, last - first) == 0;
}

/// The contents of an array of numbers before and after both runs.
struct four_contents {
    std::span<std::byte const> before;
    std::span<std::byte const> after;
    std::span<std::byte const> perturbed_before;
    std::span<std::byte const> perturbed_after;
};

/// Returns true if the result of an element depends on its former value.
template <class T>
[[nodiscard]] bool answers(four_contents const& of)
{
    auto const& [begin, end, other_begin, other_end] = of;
    std::size_t const count = end.size() / sizeof(T);
    auto const at = [](std::span<std::byte const> bytes, std::size_t k) {
        return static_cast<double>(element_at<T>(bytes.data(), k));
    };
    constexpr std::size_t block = 4096 / sizeof(T);
    for (std::size_t first = 0; first < count; first += block) {
        std::size_t const last = std::min(first + block, count);
        if (are_equal(end, other_end, first * sizeof(T), last * sizeof(T))) continue;
        for (std::size_t k = first; k < last; ++k) {
            double const answered = std::abs(at(other_end, k) - at(end, k));
            double const moved = std::abs(at(other_begin, k) - at(begin, k));
            bool const was_left =
                at(end, k) == at(begin, k) && at(other_end, k) == at(other_begin, k);
            if (answered > most_answered * moved && !was_left) return true;
        }
    }
    return false;
}

/// Returns true if an element differs from its reference. Stops at the first one, unlike compare().
template <class T>
[[nodiscard]] bool is_far_off(tolerance const& within, std::span<std::byte const> got,
                              std::span<std::byte const> want)
{
    std::size_t const count = want.size() / sizeof(T);
    double const rms =
        within.relative > 0 ? 1.0001 * quick_root_mean_square<T>(want.data(), count) : 0.0;
    for (std::size_t k = 0; k < count; ++k)
        if (!agrees(element_at<T>(got.data(), k), element_at<T>(want.data(), k), within, rms))
            return true;
    return false;
}

[[nodiscard]] inline bool agree(buffer const& like, std::span<std::byte const> got,
                                std::span<std::byte const> want)
{
    bool const is_any = like.run_count == 0 && like.within.any;
    if (is_any || want.empty() || are_equal(got, want, 0, want.size())) return true;
    bool const is_off = with_element_type(like.type, [&](auto one) {
        using element = decltype(one);
        if constexpr (std::is_same_v<element, std::byte>)
            return like.run_count == 0; // fields are compared as numbers
        else
            return is_far_off<element>(like.within, got, want);
    });
    // compare() does not write.
    return !is_off &&
           !compare(at_memory(like, const_cast<std::byte*>(got.data()), got.size()), want);
}

/// Returns true if results do not depend on the former contents.
/// @param like  type and tolerance of an array without fields
[[nodiscard]] inline bool overwrites(buffer const& like, four_contents const& of)
{
    bool const depends = with_element_type(like.type, [&](auto one) {
        using element = decltype(one);
        if constexpr (std::is_same_v<element, std::byte>)
            return false; // the bytes are compared below
        else
            return answers<element>(of);
    });
    if (depends) return false;
    std::span<std::byte const> const want = of.after;
    if (want.empty() || are_equal(want, of.perturbed_after, 0, want.size())) return true;
    std::size_t const width = element_bytes(like.type);
    auto const same = [width](std::span<std::byte const> a, std::span<std::byte const> b,
                              std::size_t at) {
        return std::memcmp(a.data() + at, b.data() + at, width) == 0;
    };
    std::vector<std::byte> got(of.perturbed_after.begin(), of.perturbed_after.end());
    for (std::size_t at = 0; at < got.size(); at += width)
        if (same(of.before, want, at) && same(of.perturbed_before, of.perturbed_after, at))
            std::memcpy(got.data() + at, want.data() + at, width);
    return !compare(at_memory(like, got.data(), got.size()), want);
}

/// @pre  `b` is plain
inline void perturb_plain(buffer const& b, bool across)
{
    with_element_type(b.type, [&](auto one) {
        using element = decltype(one);
        if constexpr (std::is_same_v<element, float> || std::is_same_v<element, double>) {
            perturb_floats<element>(b, across);
        } else if constexpr (is_real<element>) {
            perturb_wide<element>(b, across);
        } else if constexpr (std::is_integral_v<element>) {
            perturb_integers<element>(b, across);
        } else {
            static_assert(std::is_same_v<element, std::byte>);
            for (std::size_t i = 0; i < b.bytes; ++i)
                b.data[i] ^= std::byte{1};
        }
    });
}

ATTUNE_INLINE void perturb(std::span<buffer const> buffers, bool across)
{
    for (buffer const& b : buffers) {
        if (!b.writable || b.bytes == 0) continue;
        if (is_plain(b)) {
            perturb_plain(b, across);
            continue;
        }
        std::vector<std::byte> dense = content_of(b);
        for (std::size_t k = 0; k < part_count(b); ++k) {
            std::vector<std::byte> part = take_part(b, k, dense);
            perturb_plain(part_of(b, k, part), across);
            put_part(b, k, part, dense);
        }
        set_content(b, dense);
    }
}

/// @pre  `b` is plain
inline void nudge_plain(buffer const& b, double by, bool up)
{
    with_element_type(b.type, [&]<class T>(T) {
        if constexpr (is_real<T>) {
            std::uint64_t bits = b.argument;
            for (std::size_t i = 0; i < b.bytes / sizeof(T); ++i) {
                bits = (bits + 1) * 0x9e3779b97f4a7c15u;
                auto const x = static_cast<wide<T>>(element_at<T>(b.data, i));
                bool const grows = up ? x > 0 : (bits >> 63) != 0; // away from zero
                T const value = static_cast<T>(x * static_cast<wide<T>>(grows ? 1 + by : 1 - by));
                std::memcpy(b.data + i * sizeof(T), &value, sizeof(T));
            }
        }
    });
}

ATTUNE_INLINE void nudge(buffer const& b, double by, bool up)
{
    if (is_plain(b)) return nudge_plain(b, by, up);
    std::vector<std::byte> dense = content_of(b);
    for (std::size_t k = 0; k < part_count(b); ++k) {
        std::vector<std::byte> part = take_part(b, k, dense);
        nudge_plain(part_of(b, k, part), by, up);
        put_part(b, k, part, dense);
    }
    set_content(b, dense);
}

ATTUNE_INLINE bool overwrites_all(std::span<buffer const> buffers, run_contents const& run,
                                  run_contents const& perturbed_run)
{
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        buffer const& b = buffers[i];
        if (!b.writable) continue;
        four_contents const whole{run.before.saved(i), run.after.saved(i),
                                  perturbed_run.before.saved(i), perturbed_run.after.saved(i)};
        if (b.run_count == 0) {
            if (!b.within.any && !detail::overwrites(b, whole)) return false;
            continue;
        }
        for (std::size_t k = 0; k < part_count(b); ++k) {
            std::vector<std::byte> const parts[] = {
                take_part(b, k, whole.before), take_part(b, k, whole.after),
                take_part(b, k, whole.perturbed_before), take_part(b, k, whole.perturbed_after)};
            buffer const like = part_of(b, k, {});
            if (!like.within.any &&
                !detail::overwrites(like, {parts[0], parts[1], parts[2], parts[3]}))
                return false;
        }
    }
    return true;
}

ATTUNE_INLINE std::vector<bool> idle_arrays(std::span<buffer const> buffers,
                                            run_contents const& run)
{
    std::vector<bool> out;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        buffer const& b = buffers[i];
        out.push_back(b.writable && b.bytes > 0 && !b.within.any &&
                      agree(b, run.before.saved(i), run.after.saved(i)));
    }
    return out;
}

ATTUNE_INLINE bool loses_finite_numbers(std::span<buffer const> buffers, run_contents const& run,
                                        run_contents const& perturbed_run)
{
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        buffer const& b = buffers[i];
        if (!b.writable || b.run_count > 0 || b.within.any) continue;
        bool const loses = with_element_type(b.type, [&](auto one) {
            using element = decltype(one);
            if constexpr (is_real<element>) {
                std::span<std::byte const> const usual = run.after.saved(i);
                std::span<std::byte const> const other = perturbed_run.after.saved(i);
                auto const is_finite = [](std::span<std::byte const> bytes, std::size_t k) {
                    return std::isfinite(static_cast<double>(element_at<element>(bytes.data(), k)));
                };
                for (std::size_t k = 0; k < usual.size() / sizeof(element); ++k)
                    if (!is_finite(other, k) && is_finite(usual, k)) return true;
            }
            return false;
        });
        if (loses) return true;
    }
    return false;
}

ATTUNE_INLINE bool hides_idleness(std::span<buffer const> buffers, run_contents const& run,
                                  run_contents const& perturbed_run)
{
    std::vector<bool> const first = idle_arrays(buffers, run);
    std::vector<bool> const second = idle_arrays(buffers, perturbed_run);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        if (first[i] && !second[i]) return true;
    return false;
}

} // namespace attune::inline ATTUNE_ABI::detail
