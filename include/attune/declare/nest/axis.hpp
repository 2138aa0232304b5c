// attune/declare/nest/axis.hpp - loops with names, and indices: sums of multiples of loops.
// SPDX-License-Identifier: MIT
// tested by declare/nest/describe.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/domain.hpp>
#include <attune/declare/nest/nest_rows.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace attune::inline ATTUNE_ABI {

/// Base of all terms of a program; argument-dependent lookup finds the operators here.
struct nest_term {};

namespace detail {

/// Base of axes and of sums of them.
struct nest_index : nest_term {};

/// Extents as types: deduced from arrays, a constant, or the value of an input.
struct deduced_extent {};
template <std::int64_t N>
struct constant_extent {
    static constexpr std::int64_t value = N;
};
template <class Input>
struct input_extent {
    using input = Input;
};

template <class T>
concept whole_number = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>;

/// The extent that a user writes: a whole number, or an input.
template <auto Value>
[[nodiscard]] consteval auto make_extent()
{
    using given = std::remove_const_t<decltype(Value)>;
    if constexpr (is_input<given>) {
        constexpr bool whole = std::same_as<typename given::value_type, int> ||
                               std::same_as<typename given::value_type, long> ||
                               std::same_as<typename given::value_type, long long>;
        static_assert(whole,
                      "attune: an input that is an extent is of type int, long or long long");
        return input_extent<given>{};
    } else {
        constexpr bool counts = [] {
            if constexpr (whole_number<given>)
                return Value > 0;
            else
                return false;
        }();
        static_assert(counts, "attune: an extent is a whole number above 0, or an input");
        if constexpr (counts)
            return constant_extent<static_cast<std::int64_t>(Value)>{};
        else
            return constant_extent<1>{};
    }
}
template <auto Value>
using made_extent = decltype(make_extent<Value>());

template <fixed_string Name, class Extent>
struct axis_of : nest_index {
    static constexpr bool is_name = is_identifier(Name.view());
    static_assert(is_name, "attune: an axis has the name of a variable: letters, digits and _");
    static constexpr std::string_view name = Name.view();
    using extent = Extent;

    static constexpr std::size_t row_count = 2;
    static constexpr std::size_t number_count = 0;
    static constexpr void write_rows(nest_row_sink& to)
    {
        to.add({.what = nest_row::part::term, .which = to.place(to.axes, name)});
        to.add({.what = nest_row::part::index, .count = 1});
    }
};

/// An axis in a sum, with the factor 1.
template <class Axis>
struct unit_term {
    using axis = Axis;
    static constexpr bool is_unit = true;
};
/// An axis in a sum, with another factor.
template <class Axis>
struct scaled_term {
    using axis = Axis;
    static constexpr bool is_unit = false;
};

/// The sum of the terms and of an offset.
template <class... Terms>
struct affine_sum : nest_index {
    static constexpr std::size_t row_count = sizeof...(Terms) + 1;
    static constexpr std::size_t number_count = sizeof...(Terms) + 1;

    static constexpr void write_rows(nest_row_sink& to)
    {
        (write_term(to, Terms::axis::name, Terms::is_unit), ...);
        to.add({.what = nest_row::part::index, .count = sizeof...(Terms), .number = to.numbers++});
    }

    /// The factors of the terms, in order, 1 for units; then the offset.
    std::array<std::int64_t, number_count> numbers{};

private:
    static constexpr void write_term(nest_row_sink& to, std::string_view axis, bool is_unit)
    {
        std::uint16_t const number = to.numbers++;
        to.add({.what = nest_row::part::term,
                .which = to.place(to.axes, axis),
                .number = is_unit ? nest_row::no_number : number});
    }
};

/// An axis as an index of an array that is longer than the axis.
/// @tparam Input  the extent of the axis; void: the number
template <class Axis, class Input>
struct prefix_index : nest_index {
    using axis = Axis;
    static constexpr std::size_t row_count = 2;
    static constexpr std::size_t number_count = std::is_void_v<Input> ? 1 : 0;

    static constexpr void write_rows(nest_row_sink& to)
    {
        nest_row term{.what = nest_row::part::term, .which = to.place(to.axes, Axis::name)};
        if constexpr (std::is_void_v<Input>)
            term.stated = {outline_extent::source::constant, to.numbers++};
        else
            term.stated = {outline_extent::source::input, to.place(to.inputs, Input::name)};
        to.add(term);
        to.add({.what = nest_row::part::index, .count = 1});
    }

    outline_list<number_count, std::int64_t> numbers{};
};

template <class T>
concept index_like = std::derived_from<std::remove_cvref_t<T>, nest_index>;
template <class T>
concept index_operand = index_like<T> || whole_number<std::remove_cvref_t<T>>;

template <class T>
inline constexpr bool is_axis = false;
template <fixed_string Name, class Extent>
inline constexpr bool is_axis<axis_of<Name, Extent>> = true;

template <class T>
inline constexpr bool is_prefix = false;
template <class Axis, class Input>
inline constexpr bool is_prefix<prefix_index<Axis, Input>> = true;

template <class T>
[[nodiscard]] constexpr auto as_affine(T const& index)
{
    if constexpr (whole_number<T>) {
        affine_sum<> out;
        out.numbers = {static_cast<std::int64_t>(index)};
        return out;
    } else if constexpr (is_axis<T>) {
        affine_sum<unit_term<T>> out;
        out.numbers = {1, 0};
        return out;
    } else if constexpr (is_prefix<T>) {
        constexpr bool is_whole_index = !is_prefix<T>;
        static_assert(is_whole_index,
                      "attune: prefix(i, n) is an index by itself, and no part of a sum");
        return affine_sum<>{}; // one error
    } else
        return index;
}

template <class... L, class... R>
[[nodiscard]] constexpr affine_sum<L..., R...> sum_of(affine_sum<L...> const& left,
                                                      affine_sum<R...> const& right)
{
    affine_sum<L..., R...> out;
    for (std::size_t i = 0; i < sizeof...(L); ++i)
        out.numbers[i] = left.numbers[i];
    for (std::size_t i = 0; i < sizeof...(R); ++i)
        out.numbers[sizeof...(L) + i] = right.numbers[i];
    out.numbers.back() = left.numbers.back() + right.numbers.back();
    return out;
}
template <class... T>
[[nodiscard]] constexpr affine_sum<scaled_term<typename T::axis>...>
multiple_of(affine_sum<T...> const& sum, std::int64_t factor)
{
    affine_sum<scaled_term<typename T::axis>...> out;
    for (std::size_t i = 0; i <= sizeof...(T); ++i)
        out.numbers[i] = sum.numbers[i] * factor;
    return out;
}

/// The result of attune::axes(), for structured bindings.
template <class... Axes>
struct axes_of;
template <class A>
struct axes_of<A> {
    A first;
};
template <class A, class B>
struct axes_of<A, B> {
    A first;
    B second;
};
template <class A, class B, class C>
struct axes_of<A, B, C> {
    A first;
    B second;
    C third;
};
template <class A, class B, class C, class D>
struct axes_of<A, B, C, D> {
    A first;
    B second;
    C third;
    D fourth;
};
template <class A, class B, class C, class D, class E>
struct axes_of<A, B, C, D, E> {
    A first;
    B second;
    C third;
    D fourth;
    E fifth;
};
template <class A, class B, class C, class D, class E, class F>
struct axes_of<A, B, C, D, E, F> {
    A first;
    B second;
    C third;
    D fourth;
    E fifth;
    F sixth;
};
template <class A, class B, class C, class D, class E, class F, class G>
struct axes_of<A, B, C, D, E, F, G> {
    A first;
    B second;
    C third;
    D fourth;
    E fifth;
    F sixth;
    G seventh;
};

} // namespace detail

/// A loop of a program (see attune::nest), from 0 to below its extent. The extent follows from the
/// arrays that the axis indexes.
///
/// Example   constexpr auto i = attune::axis<"i">();
template <fixed_string Name>
[[nodiscard]] constexpr auto axis()
{
    return detail::axis_of<Name, detail::deduced_extent>{};
}
/// An axis with a given extent, a number or an input, for windows such as x[i + r].
///
/// Example   constexpr auto r = attune::axis<"r", 3>();
template <fixed_string Name, auto Extent>
[[nodiscard]] constexpr auto axis()
{
    return detail::axis_of<Name, detail::made_extent<Extent>>{};
}

/// The axis as an index of an array that is longer along it: the program reads only the first
/// `length` elements. An axis has one extent, so a longer array without prefix() does not compile.
///
/// Example   y[i] = x[i] + b[attune::prefix(i, 64)], where b has 192 elements
/// @param length  the extent of the axis: a whole number or an input
template <class Axis, class Length>
[[nodiscard]] constexpr auto prefix(Axis const&, Length const& length)
{
    constexpr bool of_axis = detail::is_axis<Axis>;
    static_assert(of_axis, "attune: prefix(i, n): i is an axis");
    constexpr bool has_length = detail::is_input<Length> || detail::whole_number<Length>;
    static_assert(has_length, "attune: prefix(i, n): n is a whole number, or an input");
    if constexpr (!of_axis || !has_length)
        return detail::affine_sum<>{}; // one error
    else if constexpr (detail::is_input<Length>)
        return detail::prefix_index<Axis, Length>{};
    else {
        detail::prefix_index<Axis, void> out;
        out.numbers = {static_cast<std::int64_t>(length)};
        return out;
    }
}

/// Up to seven axes at once.
///
/// Example   auto const [i, j, k] = attune::axes<"i", "j", "k">();
template <fixed_string... Names>
[[nodiscard]] constexpr auto axes()
{
    constexpr bool few = sizeof...(Names) > 0 && sizeof...(Names) <= 7;
    static_assert(few,
                  "attune: axes<...>() makes one to seven axes; make the others by axis<...>()");
    if constexpr (few) return detail::axes_of<detail::axis_of<Names, detail::deduced_extent>...>{};
}

} // namespace attune::inline ATTUNE_ABI
