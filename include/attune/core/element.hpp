// attune/core/element.hpp - the type and the tolerance of one array element, for comparisons.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

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
    f16,  ///< IEEE 754 binary16: _Float16, __half
    bf16, ///< the upper half of an f32: __bf16, std::bfloat16_t, __nv_bfloat16
    extended,
};

namespace detail {

/// Bytes of one element; 1 for `opaque`.
[[nodiscard]] constexpr std::size_t element_bytes(element_type type) noexcept
{
    switch (type) {
    case element_type::opaque:
    case element_type::i8:
    case element_type::u8:
        return 1;
    case element_type::i16:
    case element_type::u16:
    case element_type::f16:
    case element_type::bf16:
        return 2;
    case element_type::f32:
    case element_type::i32:
    case element_type::u32:
        return 4;
    case element_type::f64:
    case element_type::i64:
    case element_type::u64:
        return 8;
    case element_type::extended:
        return sizeof(long double);
    }
    return 1;
}

} // namespace detail

/// How far a result may lie from the reference:
/// |got - want| <= absolute + relative * max(|want|, root mean square of the whole reference).
struct tolerance {
    double absolute = 0; ///< in the unit of the elements; >= 0
    double relative = 0; ///< a factor; >= 0
    bool any = false;    ///< true: every value is accepted, NaN too

    [[nodiscard]] friend bool operator==(tolerance const&, tolerance const&) = default;
};

/// For scratch arrays: their contents after a call are not compared.
inline constexpr tolerance any_value{0, 0, true};

namespace detail {

/// The tolerance of a type when the user gives none: room for another order of summation, 0 for
/// integers. For f16 and bf16 it is 20 and 10 roundings (2^-11 and 2^-8 each): a sum of a few
/// hundred terms in another order is accepted, and a short sum with one wrong term is not.
[[nodiscard]] constexpr tolerance default_tolerance(element_type type) noexcept
{
    switch (type) {
    case element_type::f32:
        return {0, 1e-4};
    case element_type::f64:
    case element_type::extended:
        return {0, 1e-9};
    case element_type::f16:
        return {0, 1e-2};
    case element_type::bf16:
        return {0, 4e-2};
    default:
        return {};
    }
}

/// Consecutive numbers of one type within an array element: a field of a structure.
struct element_run {
    std::uint32_t offset = 0; ///< bytes from the beginning of the element
    std::uint32_t count = 1;  ///< consecutive numbers
    element_type type = element_type::opaque;
    tolerance within{};
};

} // namespace detail

/// How an element is compared: as numbers of `type` that fill it, or run by run. Bytes outside all
/// runs (padding) are not compared.
struct element_format {
    static constexpr std::size_t most_runs = 32;

    std::size_t bytes = 1; ///< of one element
    element_type type = element_type::opaque;
    tolerance within{};          ///< of `type`
    std::uint32_t run_count = 0; ///< 0: the element is numbers of `type`
    std::array<detail::element_run, most_runs> runs{};
};

} // namespace attune::inline ATTUNE_ABI
