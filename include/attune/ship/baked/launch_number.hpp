// attune/ship/baked/launch_number.hpp - numbers in the formulas of a launch, as written by attune_bake.
// SPDX-License-Identifier: MIT-0
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/requirements.hpp
#endif

#include <attune/core/arithmetic.hpp>
#include <attune/core/version.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// A whole or a real number, or none: a quotient by zero, or what does not fit 64 bits. The
/// functions below have the values of declare/expression/operation.hpp.
struct launch_number {
    bool is_real = false;
    bool has_value = true;
    std::int64_t whole = 0;
    double real = 0;

    [[nodiscard]] constexpr double as_real() const noexcept
    {
        return is_real ? real : static_cast<double>(whole);
    }
    [[nodiscard]] constexpr bool is_true() const noexcept { return as_real() != 0; }
};

/// Named as in the formulas that a store keeps: see tune/kernel/launch_text.hpp.
namespace formula {

[[nodiscard]] constexpr launch_number integer(std::int64_t value) noexcept
{
    return {false, true, value, 0};
}
[[nodiscard]] constexpr launch_number real(double value) noexcept { return {true, true, 0, value}; }
[[nodiscard]] constexpr launch_number truth(bool value) noexcept { return integer(value ? 1 : 0); }
[[nodiscard]] constexpr launch_number none() noexcept { return {false, false, 0, 0}; }

[[nodiscard]] inline launch_number computed(integer_operation* on_integers,
                                            real_operation* on_reals, launch_number const& a,
                                            launch_number const& b)
{
    bool const is_real = a.is_real || b.is_real;
    if (!a.has_value || !b.has_value) return none();
    launch_number out{is_real, true, 0, 0};
    out.has_value = is_real ? on_reals(a.as_real(), b.as_real(), out.real)
                            : on_integers(a.whole, b.whole, out.whole);
    return out;
}

// clang-format off
#define ATTUNE_FORMULA(name, what) \
    [[nodiscard]] inline launch_number name(launch_number const& a, launch_number const& b) \
    { return computed(&integers::what, &reals::what, a, b); }
ATTUNE_FORMULA(add, add)
ATTUNE_FORMULA(subtract, subtract)
ATTUNE_FORMULA(multiply, multiply)
ATTUNE_FORMULA(divide, divide)
ATTUNE_FORMULA(modulo, modulo)
ATTUNE_FORMULA(floor_divide, floor_divide)
ATTUNE_FORMULA(floor_modulo, floor_modulo)
ATTUNE_FORMULA(ceil_divide, ceil_divide)
ATTUNE_FORMULA(minimum, minimum)
ATTUNE_FORMULA(maximum, maximum)
#undef ATTUNE_FORMULA
// clang-format on

[[nodiscard]] inline launch_number negate(launch_number const& a)
{
    return computed(&integers::negate, &reals::negate, a, a);
}
[[nodiscard]] inline launch_number absolute(launch_number const& a)
{
    return computed(&integers::absolute, &reals::absolute, a, a);
}
[[nodiscard]] inline launch_number logical_not(launch_number const& a)
{
    return a.has_value ? truth(!a.is_true()) : none();
}

/// @param holds  of two numbers of one type
template <class Holds>
[[nodiscard]] launch_number compared(launch_number const& a, launch_number const& b,
                                     Holds const& holds)
{
    if (!a.has_value || !b.has_value) return none();
    return truth(a.is_real || b.is_real ? holds(a.as_real(), b.as_real())
                                        : holds(a.whole, b.whole));
}
[[nodiscard]] inline launch_number less(launch_number const& a, launch_number const& b)
{
    return compared(a, b, [](auto x, auto y) { return x < y; });
}
[[nodiscard]] inline launch_number less_equal(launch_number const& a, launch_number const& b)
{
    return compared(a, b, [](auto x, auto y) { return x <= y; });
}
[[nodiscard]] inline launch_number greater(launch_number const& a, launch_number const& b)
{
    return compared(a, b, [](auto x, auto y) { return x > y; });
}
[[nodiscard]] inline launch_number greater_equal(launch_number const& a, launch_number const& b)
{
    return compared(a, b, [](auto x, auto y) { return x >= y; });
}
[[nodiscard]] inline launch_number equal(launch_number const& a, launch_number const& b)
{
    return compared(a, b, [](auto x, auto y) { return x == y; });
}
[[nodiscard]] inline launch_number not_equal(launch_number const& a, launch_number const& b)
{
    return compared(a, b, [](auto x, auto y) { return x != y; });
}

/// The second decides nothing where the first does.
[[nodiscard]] inline launch_number logical_and(launch_number const& a, launch_number const& b)
{
    if (!a.has_value || !a.is_true()) return a.has_value ? truth(false) : none();
    return b.has_value ? truth(b.is_true()) : none();
}
[[nodiscard]] inline launch_number logical_or(launch_number const& a, launch_number const& b)
{
    if (!a.has_value || a.is_true()) return a.has_value ? truth(true) : none();
    return b.has_value ? truth(b.is_true()) : none();
}
/// The value of the other one does not matter.
[[nodiscard]] inline launch_number
select(launch_number const& condition, launch_number const& if_true, launch_number const& if_false)
{
    if (!condition.has_value) return none();
    return condition.is_true() ? if_true : if_false;
}
[[nodiscard]] inline launch_number to_real(launch_number const& a)
{
    return a.has_value ? real(a.as_real()) : none();
}

} // namespace formula

/// An extent of a launch.
/// @return  `otherwise` for what is no whole number
[[nodiscard]] inline std::int64_t extent_of(launch_number const& n, std::int64_t otherwise) noexcept
{
    if (!n.has_value) return otherwise;
    if (!n.is_real) return n.whole;
    bool const fits = n.real > -0x1p63 && n.real < 0x1p63;
    auto const whole = static_cast<std::int64_t>(fits ? n.real : 0);
    return fits && static_cast<double>(whole) == n.real ? whole : otherwise;
}

} // namespace attune::inline ATTUNE_ABI::detail
