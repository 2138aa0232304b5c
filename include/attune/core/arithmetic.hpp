// attune/core/arithmetic.hpp - the value of each arithmetic operation on two numbers.
// SPDX-License-Identifier: MIT-0
//
// tested by declare/expression/evaluate.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

/// Writes the value. Returns false if the exact result does not fit 64 bits or does not exist.
using integer_operation = bool(std::int64_t a, std::int64_t b, std::int64_t& out);
/// Writes the value. Returns false if b is 0 and the operation divides by it.
using real_operation = bool(double a, double b, double& out);

/// Whole numbers of 64 bits. An operation of one operand reads `a` only.
namespace integers {

inline bool add(std::int64_t a, std::int64_t b, std::int64_t& out)
{
    return !__builtin_add_overflow(a, b, &out);
}
inline bool subtract(std::int64_t a, std::int64_t b, std::int64_t& out)
{
    return !__builtin_sub_overflow(a, b, &out);
}
inline bool multiply(std::int64_t a, std::int64_t b, std::int64_t& out)
{
    return !__builtin_mul_overflow(a, b, &out);
}
inline bool negate(std::int64_t a, std::int64_t, std::int64_t& out) { return subtract(0, a, out); }
inline bool absolute(std::int64_t a, std::int64_t, std::int64_t& out)
{
    if (a < 0) return subtract(0, a, out);
    out = a;
    return true;
}
inline bool minimum(std::int64_t a, std::int64_t b, std::int64_t& out)
{
    out = a < b ? a : b;
    return true;
}
inline bool maximum(std::int64_t a, std::int64_t b, std::int64_t& out)
{
    out = a > b ? a : b;
    return true;
}

[[nodiscard]] inline bool divides(std::int64_t a, std::int64_t b) noexcept
{
    return b != 0 && !(b == -1 && a == std::numeric_limits<std::int64_t>::min());
}
inline bool divide(std::int64_t a, std::int64_t b, std::int64_t& out)
{
    if (!divides(a, b)) return false;
    out = a / b;
    return true;
}
inline bool modulo(std::int64_t a, std::int64_t b, std::int64_t& out)
{
    if (!divides(a, b)) return false;
    out = a % b;
    return true;
}
inline bool floor_divide(std::int64_t a, std::int64_t b, std::int64_t& out)
{
    if (!divides(a, b)) return false;
    bool const rounds_down = a % b != 0 && (a < 0) != (b < 0);
    out = a / b - (rounds_down ? 1 : 0);
    return true;
}
inline bool floor_modulo(std::int64_t a, std::int64_t b, std::int64_t& out)
{
    if (!divides(a, b)) return false;
    bool const rounds_down = a % b != 0 && (a < 0) != (b < 0);
    out = a % b + (rounds_down ? b : 0);
    return true;
}
inline bool ceil_divide(std::int64_t a, std::int64_t b, std::int64_t& out)
{
    if (!divides(a, b)) return false;
    bool const rounds_up = a % b != 0 && (a < 0) == (b < 0);
    out = a / b + (rounds_up ? 1 : 0);
    return true;
}

} // namespace integers

/// Doubles. The floor_ operations are those of Python. The remainder is exact. The quotient is the
/// whole number for this remainder, even if a / b rounds up.
namespace reals {

inline bool add(double a, double b, double& out)
{
    out = a + b;
    return true;
}
inline bool subtract(double a, double b, double& out)
{
    out = a - b;
    return true;
}
inline bool multiply(double a, double b, double& out)
{
    out = a * b;
    return true;
}
inline bool negate(double a, double, double& out)
{
    out = -a;
    return true;
}
inline bool absolute(double a, double, double& out)
{
    out = a >= 0 ? a : -a;
    return true;
}
inline bool minimum(double a, double b, double& out)
{
    out = a < b ? a : b;
    return true;
}
inline bool maximum(double a, double b, double& out)
{
    out = a > b ? a : b;
    return true;
}

/// a - floor(a / b) * b, exact, with the sign of b.
[[nodiscard]] inline double floor_remainder(double a, double b)
{
    double const rest = __builtin_fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
inline bool divide(double a, double b, double& out)
{
    if (b == 0) return false;
    out = a / b;
    return true;
}
inline bool modulo(double a, double b, double& out)
{
    if (b == 0) return false;
    out = __builtin_fmod(a, b);
    return true;
}
inline bool floor_divide(double a, double b, double& out)
{
    if (b == 0) return false;
    out = __builtin_rint((a - floor_remainder(a, b)) / b);
    return true;
}
inline bool floor_modulo(double a, double b, double& out)
{
    if (b == 0) return false;
    out = floor_remainder(a, b);
    return true;
}
inline bool ceil_divide(double a, double b, double& out)
{
    if (b == 0) return false;
    out = -__builtin_floor(-(a / b));
    return true;
}

} // namespace reals

/// Calls `answer` with two numbers of one type in the order of `whole` and `real`, as Python
/// compares them: a double for `whole` would make 2^53 + 1 equal to 2^53.
template <class Answer>
[[nodiscard]] constexpr auto in_order(std::int64_t whole, double real, Answer const& answer)
{
    if (real >= 0x1p63) return answer(0, 1);
    bool const is_large = real >= 0x1p53 || (real <= -0x1p53 && real >= -0x1p63); // so it is whole
    return is_large ? answer(whole, static_cast<std::int64_t>(real))
                    : answer(static_cast<double>(whole), real);
}

} // namespace attune::inline ATTUNE_ABI::detail
