// attune/core/element.hpp - the types of an array's elements, and rules to compare them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

/// Defined where C++ has _Float16. GCC 12 for AArch64 defines the macros of its limits without it.
#if defined(__FLT16_MANT_DIG__) && (defined(__clang__) || !defined(__aarch64__) || __GNUC__ >= 13)
#define ATTUNE_HAS_FLOAT16
#endif

namespace attune::inline ATTUNE_ABI {

/// The form of a number in memory. `opaque` is compared byte by byte; `extended` is long double.
enum class element_type : std::uint8_t {
    opaque,
    f32,
    f64,
    i8,
    u8,
    i16,
    u16,
    i32,
    u32,
    i64,
    u64,
    f16,  ///< IEEE 754 binary16: _Float16, __half, __fp16
    bf16, ///< the upper half of an f32: __bf16, std::bfloat16_t, __nv_bfloat16
    extended,
};

/// Accepted distance between a result and the reference:
/// |got - want| <= absolute + relative * max(|want|, root mean square of the whole reference).
struct tolerance {
    double absolute = 0; ///< in the unit of the elements; >= 0
    double relative = 0; ///< a factor; >= 0
    bool any = false;    ///< true: every value is accepted, NaN too

    [[nodiscard]] friend bool operator==(tolerance const&, tolerance const&) = default;
};

/// Tolerance of scratch arrays: their contents after a call are not compared.
inline constexpr tolerance any_value{0, 0, true};

namespace detail {

struct element_traits {
    element_type of{};
    std::uint8_t bytes = 1; ///< bytes of one element; 1 for `opaque`
    std::string_view name;  ///< name in the format of a captured call; equal names mean equal bits
    std::string_view cpp_name; ///< name in a kernel's source
    bool is_real = false;
    bool is_signed = false; ///< true if the type has numbers below 0
    /// The tolerance if the user gives none: 0 for whole numbers, else room for another order of
    /// summation. For f16 it is 20 roundings (2^-11 each), for bf16 10 (2^-8 each). The tolerance
    /// accepts a sum of a few hundred terms in another order, and refuses a short sum with one
    /// wrong term.
    double relative = 0;
};

/// The format of a long double depends on the processor.
inline constexpr std::string_view extended_name =
    std::numeric_limits<long double>::digits == 64    ? "f80"
    : std::numeric_limits<long double>::digits == 113 ? "f128"
                                                      : "extended";

// clang-format off
inline constexpr enum_table<element_traits, element_type::extended> element_types{{
    {element_type::opaque,   1, "byte", "unsigned char"},
    {element_type::f32,      4, "f32",  "float",          true,  true, 1e-4},
    {element_type::f64,      8, "f64",  "double",         true,  true, 1e-9},
    {element_type::i8,       1, "i8",   "signed char",    false, true},
    {element_type::u8,       1, "u8",   "unsigned char"},
    {element_type::i16,      2, "i16",  "short",          false, true},
    {element_type::u16,      2, "u16",  "unsigned short"},
    {element_type::i32,      4, "i32",  "int",            false, true},
    {element_type::u32,      4, "u32",  "unsigned"},
    {element_type::i64,      8, "i64",  "long",           false, true},
    {element_type::u64,      8, "u64",  "unsigned long"},
    {element_type::f16,      2, "f16",  "_Float16",       true,  true, 1e-2},
    {element_type::bf16,     2, "bf16", "__bf16",         true,  true, 4e-2},
    {element_type::extended, sizeof(long double), extended_name, "long double", true, true, 1e-9},
}};
// clang-format on

[[nodiscard]] constexpr std::size_t element_bytes(element_type type) noexcept
{
    return element_types[type].bytes;
}
[[nodiscard]] constexpr std::string_view cpp_name(element_type type) noexcept
{
    return element_types[type].cpp_name;
}
[[nodiscard]] constexpr bool is_real_type(element_type type) noexcept
{
    return element_types[type].is_real;
}
/// Returns true if overflow of a sum of two such numbers is undefined in C++: for signed integers
/// of at least the size of int. C++ adds narrower integers as int, and unsigned integers wrap
/// around.
[[nodiscard]] constexpr bool can_overflow(element_type type) noexcept
{
    element_traits const& traits = element_types[type];
    return traits.is_signed && !traits.is_real && traits.bytes >= sizeof(int);
}
[[nodiscard]] constexpr tolerance default_tolerance(element_type type) noexcept
{
    return {0, element_types[type].relative};
}

/// Consecutive numbers of one type within an array element, such as a field of a structure.
struct element_run {
    std::uint32_t offset = 0; ///< bytes from the start of the element
    std::uint32_t count = 1;  ///< consecutive numbers
    element_type type = element_type::opaque;
    tolerance within{};
};

} // namespace detail

/// Rule to compare an element: as numbers of `type` that fill it, or run by run. Bytes outside all
/// runs (padding) are not compared.
struct element_format {
    static constexpr std::size_t most_runs = 32;

    std::size_t bytes = 1; ///< bytes of one element
    element_type type = element_type::opaque;
    tolerance within{};          ///< tolerance of `type`
    std::uint32_t run_count = 0; ///< number of runs; 0: the element consists of numbers of `type`
    std::array<detail::element_run, most_runs> runs{};
};

} // namespace attune::inline ATTUNE_ABI
