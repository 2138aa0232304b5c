// attune/measure/arrays/float16.hpp - the 16-bit floating-point formats, without compiler support.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

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

} // namespace attune::inline ATTUNE_ABI::detail
