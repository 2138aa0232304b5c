// attune/ship/baked/device_code.hpp - code of a kernel for GPUs in a program, its launch and their numbers.
// SPDX-License-Identifier: MIT-0
#pragma once

#ifndef ATTUNE_RELEASED
#define ATTUNE_RELEASED // exceptions are not needed: core/version.hpp
#endif

#include <attune/core/arithmetic.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// A whole or a real number, or none: a quotient by zero, or a number beyond 64 bits. The functions
/// below compute like declare/expression/operation.hpp.
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

/// Names as in the formulas of a store: see tune/kernel/kernel_description.hpp.
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

/// @param holds  compares two numbers of one type
template <class Holds>
[[nodiscard]] launch_number compared(launch_number const& a, launch_number const& b,
                                     Holds const& holds)
{
    if (!a.has_value || !b.has_value) return none();
    if (a.is_real != b.is_real)
        return truth(b.is_real
                         ? in_order(a.whole, b.real, holds)
                         : in_order(b.whole, a.real, [&](auto y, auto x) { return holds(x, y); }));
    return truth(a.is_real ? holds(a.real, b.real) : holds(a.whole, b.whole));
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

/// If the first decides, the second does not matter.
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
/// The value that is not selected does not matter.
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
/// @return  `otherwise` if `n` is no whole number
[[nodiscard]] inline std::int64_t extent_of(launch_number const& n, std::int64_t otherwise) noexcept
{
    if (!n.has_value) return otherwise;
    if (!n.is_real) return n.whole;
    bool const fits = n.real > -0x1p63 && n.real < 0x1p63;
    auto const whole = static_cast<std::int64_t>(fits ? n.real : 0);
    return fits && static_cast<double>(whole) == n.real ? whole : otherwise;
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// The result of starting a launch.
struct launch_status {
    std::string why{}; ///< a sentence; empty: the kernel was launched
    int error = 0;     ///< error of the driver, a CUresult or OpenCL's; 0: none

    [[nodiscard]] explicit operator bool() const noexcept { return why.empty(); }
};

namespace detail {

/// Code for one kind of device: a binary, or text that the driver compiles.
struct baked_image {
    unsigned char const* bytes = nullptr; ///< ends with a zero if it is text
    std::size_t count = 0;
    char const* entry = ""; ///< the kernel's symbol
    int architecture = 0;   ///< CUDA: 90 for compute capability 9.0
    bool is_text = false;   ///< PTX, for this architecture and later ones, or OpenCL C
    char const* name = "";  ///< "sm_90", "PTX sm_80", "OpenCL C"
    // OpenCL alone; CUDA's images have nothing here.
    char const* device = "";  ///< the store's name of the device; empty: any
    char const* driver = "";  ///< version of the driver that takes the binary
    char const* options = ""; ///< of the build
};

/// The geometry of a launch: x, y, z.
struct baked_geometry {
    std::array<std::int64_t, 3> grid{1, 1, 1};
    std::array<std::int64_t, 3> block{1, 1, 1};
    std::array<std::int64_t, 3> cluster{1, 1, 1};
    std::int64_t shared_bytes = 0;
};

/// attune_bake writes it from the declaration of the kernel.
/// @param in  inputs  @param at  numbers of a configuration for the formulas
using launch_formula = void (*)(launch_number const* in, launch_number const* at,
                                baked_geometry& out);

/// The common data of a kernel's launches.
struct baked_launcher {
    launch_formula geometry = nullptr;
    bool is_cooperative = false;
    baked_image const* defaults =
        nullptr; ///< code of the default; binaries, the highest first, then text
    std::size_t default_count = 0;
    launch_number const* default_numbers = nullptr; ///< its numbers for the formulas
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
