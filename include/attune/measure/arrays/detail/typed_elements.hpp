// attune/measure/arrays/detail/typed_elements.hpp - elements by their type: read, written as text, compared.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/float16.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

template <class T>
inline constexpr bool is_half = std::is_same_v<T, half_bits> || std::is_same_v<T, brain_bits>;
template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T> || is_half<T>;
/// The type in which differences are computed.
template <class T>
using wide = std::conditional_t<std::is_same_v<T, long double>, long double, double>;

/// Calls f with a value of the element's type.
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
    case element_type::f16:
        return f(half_bits{});
    case element_type::bf16:
        return f(brain_bits{});
    case element_type::extended:
        return f(static_cast<long double>(0));
    case element_type::opaque:
        break;
    }
    return f(std::byte{});
}

/// Reads element `i`; memory may be unaligned.
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
        if constexpr (is_half<T>) {
            auto const number = static_cast<float>(static_cast<double>(value));
            return {text, std::to_chars(text, text + sizeof text, number).ptr};
        } else {
            return {text, std::to_chars(text, text + sizeof text, value).ptr};
        }
    }
}

/// Root mean square of the finite elements. Elements are scaled by the largest, so that no square
/// overflows or underflows.
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
        if constexpr (is_real<T>) {
            auto const mine = static_cast<wide<T>>(got);
            auto const right = static_cast<wide<T>>(want);
            if (std::isnan(mine) || std::isnan(right)) return std::isnan(mine) && std::isnan(right);
            if (std::isinf(mine) || std::isinf(right)) return false;
            distance = static_cast<double>(std::abs(mine - right));
        } else {
            distance = integer_distance(got, want);
        }
        return distance <= within.absolute + within.relative * std::max(std::abs(target), rms);
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
