// attune/measure/compare.ipp - the comparison behind compare.hpp.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> [measure] -> remember
// In       see compare.hpp
// Out      definitions for one translation unit
// Source   own
// Depends  std only; <charconv>, because printf writes a decimal comma in some locales
// Tests    tests/measure/compare.cpp
#pragma once

#include <attune/core/assert.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/compare.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Calls f(T{}) with the type of the elements.
template <class Function>
auto with_element_type(element_type type, Function const& f)
{
    switch (type) {
    case element_type::f32:
        return f(float{});
    case element_type::f64:
        return f(double{});
    case element_type::i8:
        return f(std::int8_t{});
    case element_type::u8:
        return f(std::uint8_t{});
    case element_type::i16:
        return f(std::int16_t{});
    case element_type::u16:
        return f(std::uint16_t{});
    case element_type::i32:
        return f(std::int32_t{});
    case element_type::u32:
        return f(std::uint32_t{});
    case element_type::i64:
        return f(std::int64_t{});
    case element_type::u64:
        return f(std::uint64_t{});
    case element_type::opaque:
        break;
    }
    return f(std::byte{});
}

/// Reads element `i` of memory that may be unaligned.
template <class T>
[[nodiscard]] T element_at(std::byte const* data, std::size_t i) noexcept
{
    T value;
    std::memcpy(&value, data + i * sizeof(T), sizeof(T));
    return value;
}

template <class T>
[[nodiscard]] std::string element_text(T value)
{
    if constexpr (std::is_same_v<T, std::byte>) {
        constexpr char digits[] = "0123456789abcdef";
        auto const bits = std::to_integer<unsigned>(value);
        return {'0', 'x', digits[bits >> 4], digits[bits & 15]};
    } else {
        char text[64];
        auto const end = std::to_chars(text, text + sizeof text, value);
        return {text, end.ptr};
    }
}

/// Root mean square of the finite elements: scaled by the largest, so that no square overflows or
/// vanishes.
template <class T>
[[nodiscard]] double root_mean_square(std::byte const* data, std::size_t count) noexcept
{
    double largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        double const size = std::abs(static_cast<double>(element_at<T>(data, i)));
        if (std::isfinite(size)) largest = std::max(largest, size);
    }
    if (largest == 0) return 0;
    double sum = 0;
    std::size_t finite = 0;
    for (std::size_t i = 0; i < count; ++i) {
        double const scaled = static_cast<double>(element_at<T>(data, i)) / largest;
        if (!std::isfinite(scaled)) continue;
        sum += scaled * scaled;
        ++finite;
    }
    return largest * std::sqrt(sum / static_cast<double>(finite));
}

/// |a - b| of two integers, without overflow; exact up to 2^53, rounded above.
template <class T>
[[nodiscard]] double integer_distance(T a, T b) noexcept
{
    T const high = std::max(a, b);
    T const low = std::min(a, b);
    return static_cast<double>(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
}

template <class T>
[[nodiscard]] bool agrees(T got, T want, tolerance const& within, double rms) noexcept
{
    if (got == want) return true;
    if constexpr (std::is_same_v<T, std::byte>) {
        return false;
    } else {
        double const target = static_cast<double>(want);
        double distance = 0;
        if constexpr (std::is_floating_point_v<T>) {
            if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want);
            if (std::isinf(got) || std::isinf(want)) return false;
            distance = std::abs(static_cast<double>(got) - target);
        } else {
            distance = integer_distance(got, want);
        }
        return distance <= within.absolute + within.relative * std::max(std::abs(target), rms);
    }
}

template <class T>
[[nodiscard]] std::optional<mismatch> compare_as(buffer const& got, std::byte const* want)
{
    std::size_t const count = got.bytes / sizeof(T);
    double rms = 0;
    if constexpr (!std::is_same_v<T, std::byte>)
        if (got.within.relative > 0) rms = root_mean_square<T>(want, count);
    std::optional<mismatch> first;
    for (std::size_t i = 0; i < count; ++i) {
        T const mine = element_at<T>(got.data, i);
        T const reference = element_at<T>(want, i);
        if (agrees(mine, reference, got.within, rms)) continue;
        if (!first)
            first =
                mismatch{got.argument, i, element_text(mine), element_text(reference), 0, count};
        ++first->count;
    }
    return first;
}

} // namespace detail

std::string mismatch::text() const
{
    std::string said = "argument " + std::to_string(argument) + ", element " +
                       std::to_string(element) + ": got " + got + ", reference " + want;
    if (count > 1)
        said += " (" + std::to_string(count) + " of " + std::to_string(elements) + " differ)";
    return said;
}

std::optional<mismatch> compare(buffer const& got, std::span<std::byte const> want)
{
    ATTUNE_ASSERT(got.bytes % element_bytes(got.type) == 0, "a buffer holds whole elements");
    if (got.bytes != want.size()) {
        std::size_t const width = element_bytes(got.type);
        std::size_t const shared = std::min(got.bytes, want.size()) / width;
        std::string const lengths[] = {std::to_string(got.bytes / width) + " elements",
                                       std::to_string(want.size() / width) + " elements"};
        return mismatch{got.argument, shared, lengths[0], lengths[1], 1, got.bytes / width};
    }
    if (got.within.any) return {};
    if (got.bytes == 0 || std::memcmp(got.data, want.data(), got.bytes) == 0) return {};
    return detail::with_element_type(
        got.type, [&](auto one) { return detail::compare_as<decltype(one)>(got, want.data()); });
}

} // namespace attune::inline ATTUNE_ABI
