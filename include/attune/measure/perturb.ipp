// attune/measure/perturb.ipp - changing and classifying contents, behind perturb.hpp.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> [measure] -> remember
// In       see perturb.hpp
// Out      definitions for one translation unit; needs compare.ipp there
// Source   own
// Depends  std only
// Tests    tests/measure/perturb.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/compare.hpp>
#include <attune/measure/perturb.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

template <class T>
void perturb_floats(buffer const& b)
{
    std::size_t const count = b.bytes / sizeof(T);
    double const rms = root_mean_square<T>(b.data, count);
    double const bound = b.within.absolute + 2 * b.within.relative * rms;
    double const step = std::max(0.25 * (rms > 0 ? rms : 1.0), 4 * bound);
    for (std::size_t i = 0; i < count; ++i) {
        double const x = static_cast<double>(element_at<T>(b.data, i));
        double const away =
            std::isfinite(x) ? x + (x < 0 ? -1 : 1) * (0.25 * std::abs(x) + step) : step;
        T const moved = static_cast<T>(away);
        T const other = std::isfinite(moved) ? moved : static_cast<T>(x / 2);
        std::memcpy(b.data + i * sizeof(T), &other, sizeof(T));
    }
}

/// `b` over other memory.
[[nodiscard]] inline buffer at_memory(buffer b, std::byte* data) noexcept
{
    b.data = data;
    return b;
}

/// Of the move of an element, what its result may move by if it owes nothing to it.
inline constexpr double most_answered = 0.125;

/// Whether some element ended elsewhere because it began elsewhere.
template <class T>
[[nodiscard]] bool
answers(std::size_t i, run_contents const& run, run_contents const& perturbed_run)
{
    std::span<std::byte const> const end = run.after.saved(i);
    for (std::size_t k = 0; k < end.size() / sizeof(T); ++k) {
        auto const at = [k](snapshot const& s, std::size_t buffer) {
            return static_cast<double>(element_at<T>(s.saved(buffer).data(), k));
        };
        double const answered = std::abs(at(perturbed_run.after, i) - at(run.after, i));
        double const moved = std::abs(at(perturbed_run.before, i) - at(run.before, i));
        bool const was_left = at(run.after, i) == at(run.before, i) &&
                              at(perturbed_run.after, i) == at(perturbed_run.before, i);
        if (answered > most_answered * moved && !was_left) return true;
    }
    return false;
}

[[nodiscard]] inline bool
agree(buffer const& like, std::span<std::byte const> got, std::span<std::byte const> want)
{
    std::vector<std::byte> mine(got.begin(), got.end());
    return !compare(at_memory(like, mine.data()), want);
}

} // namespace detail

void perturb(std::span<buffer const> buffers)
{
    for (buffer const& b : buffers) {
        if (!b.writable) continue;
        if (b.type == element_type::f32) {
            detail::perturb_floats<float>(b);
        } else if (b.type == element_type::f64) {
            detail::perturb_floats<double>(b);
        } else {
            // The lowest bit of each element is in its first byte: little-endian, as all are here;
            // elsewhere it is another bit, which does as well.
            std::size_t const width = element_bytes(b.type);
            for (std::size_t i = 0; i < b.bytes; i += width)
                b.data[i] ^= std::byte{1};
        }
    }
}

bool overwrites_all(std::span<buffer const> buffers,
                    run_contents const& run,
                    run_contents const& perturbed_run)
{
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (!buffers[i].writable || buffers[i].within.any) continue;
        bool const depends = detail::with_element_type(buffers[i].type, [&](auto one) {
            using element = decltype(one);
            if constexpr (std::is_same_v<element, std::byte>)
                return false; // equal bytes are asked for below
            else
                return detail::answers<element>(i, run, perturbed_run);
        });
        if (depends) return false;
        std::size_t const width = element_bytes(buffers[i].type);
        auto const same =
            [width](std::span<std::byte const> a, std::span<std::byte const> b, std::size_t at) {
                return std::memcmp(a.data() + at, b.data() + at, width) == 0;
            };
        std::span<std::byte const> const want = run.after.saved(i);
        std::span<std::byte const> const other = perturbed_run.after.saved(i);
        std::vector<std::byte> got(other.begin(), other.end());
        for (std::size_t at = 0; at < got.size(); at += width)
            if (same(run.before.saved(i), want, at) &&
                same(perturbed_run.before.saved(i), other, at))
                std::memcpy(got.data() + at, want.data() + at, width);
        if (compare(detail::at_memory(buffers[i], got.data()), want)) return false;
    }
    return true;
}

bool hides_idleness(std::span<buffer const> buffers,
                    run_contents const& run,
                    run_contents const& perturbed_run)
{
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (!buffers[i].writable || buffers[i].bytes == 0) continue;
        bool const idle = detail::agree(buffers[i], run.before.saved(i), run.after.saved(i));
        bool const busy =
            !detail::agree(buffers[i], perturbed_run.before.saved(i), perturbed_run.after.saved(i));
        if (idle && busy) return true;
    }
    return false;
}

} // namespace attune::inline ATTUNE_ABI
