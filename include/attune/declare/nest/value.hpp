// attune/declare/nest/value.hpp - the numbers that a program computes with, as types of a tree.
// SPDX-License-Identifier: MIT
// tested by declare/nest/describe.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/kinds.hpp>
#include <attune/declare/nest/array.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

template <std::size_t At, class T>
struct pack_part {
    T value;
};
template <class Places, class... T>
struct pack_parts;
template <std::size_t... At, class... T>
struct pack_parts<std::index_sequence<At...>, T...> : pack_part<At, T>... {};

/// A short std::tuple, as an aggregate: value_pack<int, float>{{{1}, {2.0f}}}. It compiles faster:
/// no overloaded constructors, and no std::apply, which instantiates a noexcept test per call.
template <class... T>
struct value_pack : pack_parts<std::index_sequence_for<T...>, T...> {};

template <std::size_t At, class T>
[[nodiscard, gnu::always_inline]] constexpr T const& part_at(pack_part<At, T> const& of)
{
    return of.value;
}
template <std::size_t At, class T>
[[nodiscard, gnu::always_inline]] constexpr T& part_at(pack_part<At, T>& of)
{
    return of.value;
}

/// Calls see(value) for each value, in order.
template <class See, std::size_t... At, class... T>
constexpr void for_each_part(pack_parts<std::index_sequence<At...>, T...> const& of, See const& see)
{
    (see(static_cast<pack_part<At, T> const&>(of).value), ...);
}

/// The values followed by `last`.
template <class Last, std::size_t... At, class... T>
[[nodiscard]] constexpr value_pack<T..., Last>
appended(pack_parts<std::index_sequence<At...>, T...> const& of, Last const& last)
{
    return {{{static_cast<pack_part<At, T> const&>(of).value}..., {last}}};
}

/// Writes the numbers of each value in order.
template <class... X>
constexpr void write_numbers_of(nest_number_sink& to, X const&... each)
{
    auto const one = [&]<class Each>(Each const& x) {
        if constexpr (Each::number_count > 0) x.write_numbers(to);
    };
    (one(each), ...);
}

/// A literal. It takes the type of the other operand, see common_operand.
template <class T>
struct nest_literal : nest_value {
    using value_type = T;
    static constexpr std::size_t row_count = 1;
    static constexpr std::size_t number_count = 1;
    constexpr explicit nest_literal(T v)
        : value(v)
    {
    }
    static constexpr void write_rows(nest_row_sink& to)
    {
        to.add({.what = nest_row::part::node,
                .code = nest_op::literal,
                .type = nest_element<T>(),
                .number = to.numbers++});
    }
    constexpr void write_numbers(nest_number_sink& to) const { to.add(value); }
    T value;
};

/// The value of an axis, or of a sum of axes.
template <class Index>
struct index_as_value : nest_value {
    using value_type = int;
    static constexpr std::size_t row_count = Index::row_count + 1;
    static constexpr std::size_t number_count = Index::number_count;
    constexpr explicit index_as_value(Index const& of)
        : index(of)
    {
    }
    static constexpr void write_rows(nest_row_sink& to)
    {
        Index::write_rows(to);
        to.add({.what = nest_row::part::value_of_index});
    }
    constexpr void write_numbers(nest_number_sink& to) const
    {
        if constexpr (number_count > 0)
            for (std::int64_t const number : index.numbers)
                to.add(number);
    }
    Index index;
};

template <class Input>
struct input_as_value : nest_value {
    using value_type = operand_type<typename Input::value_type>;
    using input = Input;
    static constexpr std::size_t row_count = 1;
    static constexpr std::size_t number_count = 0;
    static constexpr void write_rows(nest_row_sink& to)
    {
        to.add({.what = nest_row::part::node,
                .code = nest_op::input,
                .type = nest_element<value_type>(),
                .which = to.place(to.inputs, Input::name)});
    }
};

/// `Code` of these operands; `T` is the type of the value, or for a truth that of both sides.
template <nest_op Code, class T, class... Operands>
struct nest_code {
    static constexpr nest_op code = Code;
    static constexpr std::size_t row_count = (Operands::row_count + ... + 1);
    static constexpr std::size_t number_count = (Operands::number_count + ... + 0);
    static constexpr void write_rows(nest_row_sink& to)
    {
        (Operands::write_rows(to), ...);
        to.add({.what = nest_row::part::node,
                .code = Code,
                .type = nest_element<T>(),
                .count = sizeof...(Operands)});
    }
};

template <nest_op Code, class T, class... Operands>
struct nest_operation;
template <nest_op Code, class T, class X>
struct nest_operation<Code, T, X> : nest_value, nest_code<Code, T, X> {
    using value_type = T;
    constexpr explicit nest_operation(X const& x)
        : first(x)
    {
    }
    constexpr void write_numbers(nest_number_sink& to) const { write_numbers_of(to, first); }
    X first;
};
template <nest_op Code, class T, class L, class R>
struct nest_operation<Code, T, L, R> : nest_value, nest_code<Code, T, L, R> {
    using value_type = T;
    constexpr nest_operation(L const& l, R const& r)
        : first(l)
        , second(r)
    {
    }
    constexpr void write_numbers(nest_number_sink& to) const
    {
        write_numbers_of(to, first, second);
    }
    L first;
    R second;
};
/// select(first, second, third)
template <nest_op Code, class T, class Truth, class L, class R>
struct nest_operation<Code, T, Truth, L, R> : nest_value, nest_code<Code, T, Truth, L, R> {
    using value_type = T;
    constexpr nest_operation(Truth const& truth, L const& l, R const& r)
        : first(truth)
        , second(l)
        , third(r)
    {
    }
    constexpr void write_numbers(nest_number_sink& to) const
    {
        write_numbers_of(to, first, second, third);
    }
    Truth first;
    L second;
    R third;
};

/// A comparison; `T` is the type of both sides.
template <nest_op Code, class T, class L, class R>
struct nest_truth : nest_term, nest_code<Code, T, L, R> {
    using compared = T;
    constexpr nest_truth(L const& l, R const& r)
        : first(l)
        , second(r)
    {
    }
    constexpr void write_numbers(nest_number_sink& to) const
    {
        write_numbers_of(to, first, second);
    }
    L first;
    R second;
};

/// A combination of the values of `body` over `Axes`.
template <reduction Combine, class Body, class... Axes>
struct nest_reduction : nest_value {
    static constexpr bool gives_place = Combine == reduction::argument_of_maximum;
    using value_type = std::conditional_t<gives_place, int, typename Body::value_type>;
    using accumulated = typename Body::value_type;
    using body_type = Body;
    using axes = type_list<Axes...>;
    static constexpr reduction combine = Combine;
    static constexpr std::size_t row_count = Body::row_count + sizeof...(Axes) + 1;
    static constexpr std::size_t number_count = Body::number_count;
    constexpr explicit nest_reduction(Body const& of)
        : body(of)
    {
    }
    /// @param is_value, continues  see nest_row
    static constexpr void write_reduction(nest_row_sink& to, bool is_value, bool continues)
    {
        Body::write_rows(to);
        (to.add({.what = nest_row::part::over, .which = to.place(to.axes, Axes::name)}), ...);
        to.add({.what = nest_row::part::reduction,
                .type = nest_element<accumulated>(),
                .combine = Combine,
                .is_value = is_value,
                .continues = continues,
                .of_result = nest_element<value_type>(),
                .count = sizeof...(Axes)});
    }
    /// A reduction inside another one, which is a fault of the outline.
    static constexpr void write_rows(nest_row_sink& to) { write_reduction(to, false, false); }
    constexpr void write_numbers(nest_number_sink& to) const { write_numbers_of(to, body); }
    Body body;
};

/// Replaces reduction `Place` of a statement in the value computed from its result.
template <std::size_t Place, class T>
struct reduced_value : nest_value {
    using value_type = T;
    static constexpr std::size_t row_count = 1;
    static constexpr std::size_t number_count = 0;
    static constexpr void write_rows(nest_row_sink& to)
    {
        to.add({.what = nest_row::part::result, .type = nest_element<T>(), .which = Place});
    }
};

template <class T>
inline constexpr bool is_nest_literal = false;
template <class T>
inline constexpr bool is_nest_literal<nest_literal<T>> = true;
template <class T>
inline constexpr bool is_nest_truth = false;
template <nest_op C, class T, class L, class R>
inline constexpr bool is_nest_truth<nest_truth<C, T, L, R>> = true;
template <class T>
inline constexpr bool is_nest_reduction = false;
template <reduction C, class B, class... A>
inline constexpr bool is_nest_reduction<nest_reduction<C, B, A...>> = true;

template <class T>
inline constexpr bool is_arithmetic_literal = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

template <class T>
concept nest_operand = std::derived_from<T, nest_value> || index_like<T> || is_nest_array<T> ||
                       is_input<T> || is_arithmetic_literal<T>;
/// Terms that only a program has, so that attune's operators on them match.
template <class T>
concept of_nest = std::derived_from<T, nest_value> || index_like<T> || is_nest_array<T>;

template <class T>
[[nodiscard]] constexpr auto lift_value(T const& x)
{
    if constexpr (index_like<T>)
        return index_as_value<T>{x};
    else if constexpr (is_input<T>)
        return input_as_value<T>{};
    else if constexpr (std::is_floating_point_v<T>)
        return nest_literal<std::conditional_t<std::same_as<T, float>, float, double>>{
            static_cast<std::conditional_t<std::same_as<T, float>, float, double>>(x)};
    else if constexpr (is_arithmetic_literal<T>) {
        operand_type<T> const number = x;
        constexpr std::int64_t most = std::int64_t{1} << 53; // a nest_node holds it as double
        if (std::cmp_greater(number, most) || std::cmp_less(number, -most))
            throw declaration_error(
                "attune: nest: a whole number is beyond 2^53; pass it as an input");
        return nest_literal<operand_type<T>>{number};
    } else {
        constexpr bool is_number = std::derived_from<T, nest_value>;
        static_assert(is_number, "attune: a program computes with elements of arrays, such as "
                                 "A[i][j], with axes, inputs and numbers");
        if constexpr (is_number) {
            if constexpr (requires { T::is_complete; }) {
                constexpr bool complete = T::is_complete;
                static_assert(complete,
                              "attune: an array has more dimensions than it is given indices");
            }
            return x;
        } else
            return nest_literal<int>{0};
    }
}
template <class T>
using lifted = decltype(lift_value(std::declval<T const&>()));

/// The common type of two numbers, as in C++; narrower elements count as int or float. A literal
/// takes the type of the other side, but a fraction never becomes a whole number.
template <class L, class R>
[[nodiscard]] consteval auto common_of()
{
    using left = typename L::value_type;
    using right = typename R::value_type;
    constexpr auto adapts = []<class Literal, class Other>(Literal, Other) {
        return std::is_floating_point_v<Other> || std::integral<Literal>;
    };
    if constexpr (is_nest_literal<L> && !is_nest_literal<R> && adapts(left{}, right{}))
        return right{};
    else if constexpr (is_nest_literal<R> && !is_nest_literal<L> && adapts(right{}, left{}))
        return left{};
    else
        return std::common_type_t<decltype(+left{}), decltype(+right{})>{};
}
template <class L, class R>
using common_operand = decltype(common_of<L, R>());

/// A literal in the type `T`; other operands keep their type, and their use converts them.
template <class T, class X>
[[nodiscard]] constexpr auto in_type(X const& x)
{
    if constexpr (is_nest_literal<X>)
        return nest_literal<T>{static_cast<T>(x.value)};
    else
        return x;
}

template <nest_op Code, class L, class R>
[[nodiscard]] constexpr auto operation_on(L const& left, R const& right)
{
    using type = common_operand<L, R>;
    auto const l = in_type<type>(left);
    auto const r = in_type<type>(right);
    return nest_operation<Code, type, std::remove_const_t<decltype(l)>,
                          std::remove_const_t<decltype(r)>>{l, r};
}

/// A function of real numbers. It converts whole numbers to double, as in C++.
template <nest_op Code, class X>
[[nodiscard]] constexpr auto function_of(X const& x)
{
    using given = typename X::value_type;
    using type = std::conditional_t<std::is_floating_point_v<given>, given, double>;
    return nest_operation<Code, type, X>{x};
}

template <nest_op Code, class L, class R>
[[nodiscard]] constexpr auto truth_of(L const& left, R const& right)
{
    using type = common_operand<L, R>;
    auto const l = in_type<type>(left);
    auto const r = in_type<type>(right);
    return nest_truth<Code, type, std::remove_const_t<decltype(l)>,
                      std::remove_const_t<decltype(r)>>{l, r};
}

template <class T>
[[nodiscard]] constexpr auto negative(T const& x)
{
    return nest_operation<nest_op::negate, typename T::value_type, T>{x};
}

} // namespace attune::inline ATTUNE_ABI::detail
