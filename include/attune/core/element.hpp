// attune/core/element.hpp - what one element of an array is, as far as comparing it needs to know.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// A number, by its form in memory. `opaque` is compared byte by byte. `extended` is long double.
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

/// How far a result may lie from the reference:
/// |got - want| <= absolute + relative * max(|want|, root mean square of the whole reference).
struct tolerance {
    double absolute = 0; ///< in the unit of the elements; >= 0
    double relative = 0; ///< a factor; >= 0
    bool any = false;    ///< whatever it is, NaN too, will do
};

/// For a scratch array, whose contents after a call are nobody's business.
inline constexpr tolerance any_value{0, 0, true};

/// The tolerance nobody has to ask for: room for another order of summation, none for integers.
/// For the two halves that is 20 and 10 roundings (2^-11 and 2^-8 each): sums of a few hundred
/// terms in another order stay within, and one wrong term of a short sum does not.
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

/// Numbers of one type within an element of an array: a field of a structure.
struct element_run {
    std::uint32_t offset = 0; ///< bytes from the beginning of the element
    std::uint32_t count = 1;  ///< how many numbers stand there one after the other
    element_type type = element_type::opaque;
    tolerance within{};
};

/// How an element is compared: as one or several numbers of `type` that fill it, or field by field.
/// Bytes that belong to no field, such as those that only align the next one, are not compared.
struct element_format {
    static constexpr std::size_t most_runs = 32;

    std::size_t bytes = 1; ///< of one element
    element_type type = element_type::opaque;
    tolerance within{};          ///< of `type`
    std::uint32_t run_count = 0; ///< 0: there are no fields
    std::array<element_run, most_runs> runs{};
};

} // namespace attune::inline ATTUNE_ABI
