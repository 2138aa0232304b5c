// attune/declare/nest/array.hpp - arrays of a program, and elements whose indices are functions of axes.
// SPDX-License-Identifier: MIT
// tested by declare/nest/describe.cpp
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/kernel_type.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/axis.hpp>
#include <attune/declare/parameters.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Base of numbers in a program.
struct nest_value : nest_term {};

/// The type of an array's elements; opaque for a type that an array cannot hold.
template <class T>
[[nodiscard]] consteval element_type nest_element()
{
    if constexpr (std::same_as<T, float>)
        return element_type::f32;
    else if constexpr (std::same_as<T, double>)
        return element_type::f64;
    else if constexpr (std::signed_integral<T> && !std::same_as<T, char> &&
                       !std::same_as<T, wchar_t>)
        return sizeof(T) == 1   ? element_type::i8
               : sizeof(T) == 2 ? element_type::i16
               : sizeof(T) == 4 ? element_type::i32
                                : element_type::i64;
    else if constexpr (std::same_as<T, unsigned char> || std::same_as<T, unsigned short> ||
                       std::same_as<T, unsigned> || std::same_as<T, unsigned long> ||
                       std::same_as<T, unsigned long long>)
        return sizeof(T) == 1   ? element_type::u8
               : sizeof(T) == 2 ? element_type::u16
               : sizeof(T) == 4 ? element_type::u32
                                : element_type::u64;
    else if constexpr (requires {
                           kernel_type<T>::compared_as;
                           sizeof(T);
                           static_cast<float>(T{});
                       })
        return kernel_type<T>::compared_as;
    else
        return element_type::opaque;
}

/// The type of computations with a `T`: int for narrower whole numbers, float for narrower reals.
template <class T>
[[nodiscard]] consteval auto widened()
{
    if constexpr (std::integral<T>)
        return decltype(+T{}){};
    else if constexpr (std::same_as<T, double>)
        return double{};
    else
        return float{};
}
template <class T>
using operand_type = decltype(widened<T>());

enum class write_kind : std::uint8_t { store, add, multiply };

/// target = value, target += value, or target *= value.
template <write_kind Kind, class Target, class Value>
struct nest_assignment {
    Target target;
    Value value;
};

template <class T>
[[nodiscard]] constexpr auto lift_value(T const& x);
template <class T>
[[nodiscard]] constexpr auto negative(T const& x);

/// An element of `Array`. Its operator[] adds an index.
template <class Array, bool Padded, class... Indices>
struct element_of_array : nest_value {
    using array = Array;
    using indices = type_list<Indices...>;
    using value_type = operand_type<typename Array::element>;
    static constexpr bool is_padded = Padded;
    static constexpr bool is_complete = sizeof...(Indices) == Array::rank;
    static constexpr std::size_t element_row_count = (Indices::row_count + ... + 1);
    static constexpr std::size_t row_count = element_row_count + 1;
    static constexpr std::size_t number_count = (Indices::number_count + ... + 0);

    static constexpr void write_element(nest_row_sink& to)
    {
        (Indices::write_rows(to), ...);
        to.add({.what = nest_row::part::element,
                .is_padded = Padded,
                .count = sizeof...(Indices),
                .which = to.place(to.arrays, Array::name)});
    }
    static constexpr void write_rows(nest_row_sink& to)
    {
        write_element(to);
        to.add({.what = nest_row::part::read, .type = nest_element<value_type>()});
    }
    constexpr void write_numbers(nest_number_sink& to) const
    {
        for (std::size_t i = 0; i < number_count; ++i)
            to.add(numbers[i]);
    }

    template <class Index>
    [[nodiscard]] constexpr auto operator[](Index const& index) const
    {
        constexpr bool room = !is_complete;
        static_assert(room, "attune: an array has fewer dimensions than it is given indices");
        constexpr bool affine = index_operand<Index>;
        static_assert(affine, "attune: an index is a sum of axes, multiples of axes and whole "
                              "numbers, such as 2 * i + r - 1");
        if constexpr (room && affine) {
            if constexpr (whole_number<Index>)
                return with(as_affine(index));
            else
                return with(index);
        } else if constexpr (room)
            return with(affine_sum<>{}); // one error
        else
            return *this;
    }

    template <class E>
    constexpr auto operator=(E const& value) const
    {
        return write<write_kind::store>(lift_value(value));
    }
    template <class E>
    constexpr auto operator+=(E const& value) const
    {
        return write<write_kind::add>(lift_value(value));
    }
    template <class E>
    constexpr auto operator-=(E const& value) const
    {
        return write<write_kind::add>(negative(lift_value(value)));
    }
    template <class E>
    constexpr auto operator*=(E const& value) const
    {
        return write<write_kind::multiply>(lift_value(value));
    }

    /// The numbers of each index, in order.
    outline_list<number_count, std::int64_t> numbers{};

private:
    template <class Index>
    [[nodiscard]] constexpr auto with(Index const& index) const
    {
        element_of_array<Array, Padded, Indices..., Index> out;
        for (std::size_t i = 0; i < number_count; ++i)
            out.numbers[i] = numbers[i];
        if constexpr (Index::number_count > 0)
            for (std::size_t i = 0; i < Index::number_count; ++i)
                out.numbers[number_count + i] = index.numbers[i];
        return out;
    }
    template <write_kind Kind, class Value>
    [[nodiscard]] constexpr auto write(Value const& value) const
    {
        static_assert(!Array::is_constant,
                      "attune: a program only reads an array that attune::constant() declares; "
                      "declare what it writes by attune::array()");
        return nest_assignment<Kind, element_of_array, Value>{*this, value};
    }
};

template <class Array>
struct padded_array {
    template <class Index>
    [[nodiscard]] constexpr auto operator[](Index const& index) const
    {
        return element_of_array<Array, true>{}[index];
    }
};

/// The use of an array that its declaration states.
enum class array_use : std::uint8_t {
    argument,
    constant,  ///< an argument of type constant_array
    temporary, ///< not an argument
};

template <fixed_string Name, class T, array_use Use, bool HasRowStride, class... Extents>
struct array_of : nest_term {
    static constexpr bool is_name = is_identifier(Name.view());
    static_assert(is_name, "attune: an array has the name of a variable: letters, digits and _");
    static constexpr element_type type = nest_element<T>();
    static_assert(type != element_type::opaque,
                  "attune: the elements of a program's arrays are float, double, whole numbers of "
                  "8 to 64 bits, _Float16 or __bf16");
    static_assert(
        sizeof...(Extents) > 0 && sizeof...(Extents) <= 8,
        "attune: an array of a program has one to eight dimensions: array<\"A\", float, 64, 64>()");
    static constexpr std::string_view name = Name.view();
    static constexpr std::size_t rank = sizeof...(Extents);
    static constexpr bool is_temporary = Use == array_use::temporary;
    static constexpr bool is_constant = Use == array_use::constant;
    static constexpr bool has_row_stride = HasRowStride;
    using element = T;
    using extents = type_list<Extents...>;

    template <class Index>
    [[nodiscard]] constexpr auto operator[](Index const& index) const
    {
        return element_of_array<array_of, false>{}[index];
    }

    /// The same array, which a call gives as an attune::matrix_view: rows may have gaps between
    /// them.
    [[nodiscard]] constexpr auto with_row_stride() const
    {
        constexpr bool is_matrix = rank == 2 && Use == array_use::argument;
        static_assert(is_matrix, "attune: with_row_stride() is for arguments of two dimensions, "
                                 "the rows of an attune::matrix_view");
        return array_of<Name, T, Use, is_matrix, Extents...>{};
    }
};

template <class T>
inline constexpr bool is_nest_array = false;
template <fixed_string Name, class T, array_use Use, bool HasRowStride, class... Extents>
inline constexpr bool is_nest_array<array_of<Name, T, Use, HasRowStride, Extents...>> = true;

} // namespace detail

/// An array that a program reads or writes. A call gives it as a std::span<T>, in C order. Extents
/// are whole numbers or inputs of type int or long.
///
/// Example   constexpr auto A = attune::array<"A", float, M, 512>();
template <fixed_string Name, class T, auto... Extents>
[[nodiscard]] constexpr auto array()
{
    return detail::array_of<Name, T, detail::array_use::argument, false,
                            detail::made_extent<Extents>...>{};
}

/// An array that a program only reads and that is equal in all calls, such as weights. A call gives
/// it as an attune::constant_array<T>. A design may pack the array once, so that later calls read
/// the packed form.
///
/// Example   constexpr auto W = attune::constant<"W", float, 768, 3072>();
template <fixed_string Name, class T, auto... Extents>
[[nodiscard]] constexpr auto constant()
{
    return detail::array_of<Name, T, detail::array_use::constant, false,
                            detail::made_extent<Extents>...>{};
}

/// An array that statements of a program pass to later statements; no argument of a call.
template <fixed_string Name, class T, auto... Extents>
[[nodiscard]] constexpr auto temporary()
{
    return detail::array_of<Name, T, detail::array_use::temporary, false,
                            detail::made_extent<Extents>...>{};
}

/// The array with zeros around it: an index outside the array reads 0.
///
/// Example   y[h] = attune::sum(r)(attune::padded(x)[h + r - 1] * w[r])
template <class Array>
[[nodiscard]] constexpr auto padded(Array const&)
{
    constexpr bool is_array = detail::is_nest_array<Array>;
    static_assert(is_array, "attune: padded(x): x is an array: padded(x)[i + r - 1]");
    return detail::padded_array<Array>{};
}

} // namespace attune::inline ATTUNE_ABI
