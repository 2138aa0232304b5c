// attune/measure/buffer.hpp - one array argument of a kernel, seen as memory.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> [measure] -> remember
// In       a std::span: span<T const> is read, span<T> is read and written
// Out      its bytes, the type of its elements, whether a kernel may write it, how near is equal
// Source   own
// Depends  std only
// Tests    tests/measure/buffer.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace attune::inline ATTUNE_ABI {

/// What one element is, as far as comparing it needs to know. `opaque` is compared byte by byte.
enum class element_type : std::uint8_t { opaque, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64 };

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
        return 2;
    case element_type::f32:
    case element_type::i32:
    case element_type::u32:
        return 4;
    case element_type::f64:
    case element_type::i64:
    case element_type::u64:
        return 8;
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
[[nodiscard]] constexpr tolerance default_tolerance(element_type type) noexcept
{
    if (type == element_type::f32) return {0, 1e-4};
    if (type == element_type::f64) return {0, 1e-9};
    return {};
}

/// One array argument. It refers to the memory of its owner and must not outlive it.
struct buffer {
    std::byte* data = nullptr; ///< never written through when `writable` is false; may be unaligned
    std::size_t bytes = 0;     ///< a multiple of element_bytes(type)
    element_type type = element_type::opaque;
    bool writable = false;
    tolerance within{};
    std::size_t argument = 0; ///< position among the arguments of the kernel, from 0
};

namespace detail {

/// std::complex and its like: two floating-point numbers and nothing else.
template <class T>
concept complex_like =
    requires(T const& z) {
        typename T::value_type;
        z.real();
        z.imag();
    } && std::is_floating_point_v<typename T::value_type> &&
    sizeof(T) == 2 * sizeof(typename T::value_type);

} // namespace detail

/// The element type of an array of `T`. Enumerations count as their integers; a complex number as
/// two elements; whatever else is no number of 1 to 8 bytes is opaque.
template <class T>
[[nodiscard]] constexpr element_type element_type_of() noexcept
{
    using plain = std::remove_cv_t<T>;
    if constexpr (std::is_enum_v<plain>) {
        return element_type_of<std::underlying_type_t<plain>>();
    } else if constexpr (detail::complex_like<plain>) {
        return element_type_of<typename plain::value_type>();
    } else if constexpr (std::is_same_v<plain, float>) {
        return element_type::f32;
    } else if constexpr (std::is_same_v<plain, double>) {
        return element_type::f64;
    } else if constexpr (std::is_integral_v<plain> && sizeof(plain) <= 8) {
        constexpr bool is_signed = std::is_signed_v<plain>;
        if constexpr (sizeof(plain) == 1) return is_signed ? element_type::i8 : element_type::u8;
        if constexpr (sizeof(plain) == 2) return is_signed ? element_type::i16 : element_type::u16;
        if constexpr (sizeof(plain) == 4) return is_signed ? element_type::i32 : element_type::u32;
        if constexpr (sizeof(plain) == 8) return is_signed ? element_type::i64 : element_type::u64;
    } else {
        return element_type::opaque;
    }
}

/// A span as a buffer, with the default tolerance of its element type.
///
/// @param values    the array; empty is allowed. For `span<T const>` the buffer is not writable,
///                  and nothing here ever writes it
/// @param argument  its position among the arguments of the kernel, from 0
/// Errors   none; a `T` that is not trivially copyable is one sentence at compile time
template <class T>
[[nodiscard]] buffer as_buffer(std::span<T> values, std::size_t argument) noexcept
{
    static_assert(std::is_trivially_copyable_v<std::remove_cv_t<T>>,
                  "attune::as_buffer(values, argument): the elements of 'values' are not trivially "
                  "copyable; attune saves and restores arrays byte by byte: pass a span of numbers "
                  "or of plain structures");
    static_assert(!std::is_volatile_v<T>,
                  "attune::as_buffer(values, argument): 'values' is a span of volatile elements, "
                  "which cannot be saved and restored; pass a span of ordinary elements");
    constexpr element_type type = element_type_of<T>();
    buffer made;
    made.data = reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(values.data()));
    made.bytes = values.size_bytes();
    made.type = type;
    made.writable = !std::is_const_v<T>;
    made.within = default_tolerance(type);
    made.argument = argument;
    return made;
}

/// The same for a span whose length is in its type.
template <class T, std::size_t Extent>
    requires(Extent != std::dynamic_extent)
[[nodiscard]] buffer as_buffer(std::span<T, Extent> values, std::size_t argument) noexcept
{
    return as_buffer(std::span<T>(values), argument);
}

} // namespace attune::inline ATTUNE_ABI
