// attune/measure/arrays/compare.hpp - compares results with a reference, up to rounding.
// SPDX-License-Identifier: MIT
//
// The bound uses the root mean square because sums may cancel to nearly zero. A bound relative to
// the element alone would then reject every other order of summation.
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

/// IEEE 754 binary16.
struct half_bits {
    std::uint16_t bits = 0;

    half_bits() = default;
    /// Rounds to nearest, ties to even; infinity beyond 65504.
    explicit half_bits(double value) noexcept
    {
        std::uint16_t const sign = std::signbit(value) ? 0x8000 : 0;
        double const size = std::abs(value);
        if (std::isnan(value)) {
            bits = 0x7e00;
        } else if (size == 0) {
            bits = sign;
        } else if (size >= 65520) {
            bits = static_cast<std::uint16_t>(sign | 0x7c00);
        } else {
            int exponent = 0;
            (void)std::frexp(size, &exponent);
            int const unit =
                exponent - 11 < -24 ? -24 : exponent - 11; // exponent of the last digit
            auto const digits = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, -unit)));
            // A carry out of the digits increments the exponent.
            bits = static_cast<std::uint16_t>(
                sign | (digits + (static_cast<std::uint32_t>(unit + 24) << 10)));
        }
    }
    [[nodiscard]] explicit operator double() const noexcept
    {
        int const exponent = (bits >> 10) & 31;
        int const digits = bits & 1023;
        double size = 0;
        if (exponent == 31)
            size = digits == 0 ? HUGE_VAL : std::nan("");
        else if (exponent == 0)
            size = std::ldexp(digits, -24);
        else
            size = std::ldexp(1024 + digits, exponent - 25);
        return (bits & 0x8000) != 0 ? -size : size;
    }
    friend bool operator==(half_bits a, half_bits b) noexcept
    {
        return static_cast<double>(a) == static_cast<double>(b);
    }
};

/// bfloat16: the upper half of a float.
struct brain_bits {
    std::uint16_t bits = 0;

    brain_bits() = default;
    /// Rounds to nearest, ties to even.
    explicit brain_bits(double value) noexcept
    {
        auto const whole = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        if (std::isnan(value))
            bits = 0x7fc0;
        else
            bits = static_cast<std::uint16_t>((whole + 0x7fff + ((whole >> 16) & 1)) >> 16);
    }
    [[nodiscard]] explicit operator double() const noexcept
    {
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
    }
    friend bool operator==(brain_bits a, brain_bits b) noexcept
    {
        return static_cast<double>(a) == static_cast<double>(b);
    }
};

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

/// |a - b| of two numbers; infinite for bytes, and where a or b is NaN.
template <class T>
[[nodiscard]] double number_distance(T a, T b) noexcept
{
    if constexpr (is_real<T>) {
        auto const by = std::abs(static_cast<wide<T>>(a) - static_cast<wide<T>>(b));
        return std::isnan(by) ? HUGE_VAL : static_cast<double>(by);
    } else if constexpr (std::is_same_v<T, std::byte>) {
        return HUGE_VAL;
    } else {
        return integer_distance(a, b);
    }
}

template <class T>
[[nodiscard]] bool agrees(T got, T want, tolerance const& within, double rms) noexcept
{
    if (got == want) return true;
    if constexpr (std::is_same_v<T, std::byte>) {
        return false;
    } else {
        double const target = static_cast<double>(want);
        if constexpr (is_real<T>) {
            auto const mine = static_cast<wide<T>>(got);
            auto const right = static_cast<wide<T>>(want);
            if (std::isnan(mine) || std::isnan(right)) return std::isnan(mine) && std::isnan(right);
            if (std::isinf(mine) || std::isinf(right)) return false;
        }
        return number_distance(got, want) <=
               within.absolute + within.relative * std::max(std::abs(target), rms);
    }
}

/// The first element that differs from the reference.
struct mismatch {
    std::size_t argument = 0; ///< index of the kernel's argument, from 0
    std::size_t element = 0;  ///< index of the element, of the byte in an opaque buffer; from 0
    std::string got;          ///< shortest decimal text that identifies the number
    std::string want;
    std::size_t count = 0;             ///< number of elements that differ
    std::size_t elements = 0;          ///< number of elements
    std::size_t target = buffer::none; ///< index in an array of pointers
    std::string place{};               ///< "row 2, column 5"; "element 17, field 3"; or empty
    double farthest = 0;               ///< largest number_distance() of the elements that differ

    /// "argument 2, element 17: got 3.5, reference 3.25 (3 of 100 differ)".
    [[nodiscard]] std::string text() const;
};

/// Compares a buffer with its reference.
///
/// Floating point: |got - want| <= absolute + relative * max(|want|, rms), where rms is the root
/// mean square of the finite elements of the reference. NaN equals NaN, an infinity equals the same
/// infinity, 0 equals -0. Integers: the same bound (0 by default) with an exact difference. Opaque:
/// equal bytes. any_value: everything is accepted. Structures: each field is compared as an array,
/// with its own tolerance and rms; bytes between fields and between rows are ignored.
///
/// @param got   the result, with its tolerance: `got.within`, or one in each of `got.runs`
/// @param want  the reference: content_bytes(got) bytes, any alignment; another length is a
///              mismatch
/// Errors   bad_alloc
/// Cost     one memcmp if the bytes are equal, else two passes
[[nodiscard]] std::optional<mismatch> compare(buffer const& got, std::span<std::byte const> want);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/arrays/compare.ipp>
#endif
