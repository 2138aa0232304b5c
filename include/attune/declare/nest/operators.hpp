// attune/declare/nest/operators.hpp - operators, functions and reductions of a program.
// SPDX-License-Identifier: MIT
// tested by declare/nest/describe.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/value.hpp>

#include <concepts>
#include <type_traits>

namespace attune::inline ATTUNE_ABI {

namespace detail {

template <class L, class R>
concept nest_operands = (of_nest<L> && nest_operand<R>) || (nest_operand<L> && of_nest<R>);
/// Both operands may occur in an index.
template <class L, class R>
concept index_operands = index_operand<L> && index_operand<R>;

} // namespace detail

template <class L, class R>
    requires detail::nest_operands<L, R>
[[nodiscard]] constexpr auto operator+(L const& left, R const& right)
{
    if constexpr (detail::index_operands<L, R>)
        return detail::sum_of(detail::as_affine(left), detail::as_affine(right));
    else
        return detail::operation_on<nest_op::add>(detail::lift_value(left),
                                                  detail::lift_value(right));
}
template <class L, class R>
    requires detail::nest_operands<L, R>
[[nodiscard]] constexpr auto operator-(L const& left, R const& right)
{
    if constexpr (detail::index_operands<L, R>) {
        if constexpr (detail::index_like<R>)
            return detail::sum_of(detail::as_affine(left),
                                  detail::multiple_of(detail::as_affine(right), -1));
        else // the terms of `left` keep the factor 1
            return detail::sum_of(detail::as_affine(left),
                                  detail::as_affine(-static_cast<std::int64_t>(right)));
    } else
        return detail::operation_on<nest_op::subtract>(detail::lift_value(left),
                                                       detail::lift_value(right));
}
template <class L, class R>
    requires detail::nest_operands<L, R>
[[nodiscard]] constexpr auto operator*(L const& left, R const& right)
{
    if constexpr (detail::index_like<L> && detail::whole_number<R>)
        return detail::multiple_of(detail::as_affine(left), static_cast<std::int64_t>(right));
    else if constexpr (detail::whole_number<L> && detail::index_like<R>)
        return detail::multiple_of(detail::as_affine(right), static_cast<std::int64_t>(left));
    else
        return detail::operation_on<nest_op::multiply>(detail::lift_value(left),
                                                       detail::lift_value(right));
}
template <class X>
    requires detail::of_nest<X>
[[nodiscard]] constexpr auto operator-(X const& x)
{
    if constexpr (detail::index_like<X>)
        return detail::multiple_of(detail::as_affine(x), -1);
    else
        return detail::negative(detail::lift_value(x));
}

#define ATTUNE_OF_TWO(NAME, MAKES, CODE)                                                           \
    template <class L, class R>                                                                    \
        requires detail::nest_operands<L, R>                                                       \
    [[nodiscard]] constexpr auto NAME(L const& left, R const& right)                               \
    {                                                                                              \
        return detail::MAKES<nest_op::CODE>(detail::lift_value(left), detail::lift_value(right));  \
    }
ATTUNE_OF_TWO(operator/, operation_on, divide)
ATTUNE_OF_TWO(operator<, truth_of, less)
ATTUNE_OF_TWO(operator<=, truth_of, less_equal)
ATTUNE_OF_TWO(operator==, truth_of, equal)
#undef ATTUNE_OF_TWO
template <class L, class R>
    requires detail::nest_operands<L, R>
[[nodiscard]] constexpr auto operator>(L const& left, R const& right)
{
    return right < left;
}
template <class L, class R>
    requires detail::nest_operands<L, R>
[[nodiscard]] constexpr auto operator>=(L const& left, R const& right)
{
    return right <= left;
}

#define ATTUNE_OF_ONE(NAME, CODE)                                                                  \
    template <class X>                                                                             \
        requires detail::of_nest<X>                                                                \
    [[nodiscard]] constexpr auto NAME(X const& x)                                                  \
    {                                                                                              \
        return detail::function_of<nest_op::CODE>(detail::lift_value(x));                          \
    }
ATTUNE_OF_ONE(exp, exponential)
ATTUNE_OF_ONE(log, logarithm)
ATTUNE_OF_ONE(sqrt, square_root)
ATTUNE_OF_ONE(tanh, hyperbolic_tangent)
ATTUNE_OF_ONE(erf, error_function)
#undef ATTUNE_OF_ONE
template <class X>
    requires detail::of_nest<X>
[[nodiscard]] constexpr auto abs(X const& x)
{
    using lifted = detail::lifted<X>;
    return detail::nest_operation<nest_op::absolute, typename lifted::value_type, lifted>{
        detail::lift_value(x)};
}

/// `if_true` if the comparison holds, else `if_false`.
///
/// Example   y[i] = select(x[i] < 0.0f, 0.1f * x[i], x[i])
template <class Truth, class T, class F>
    requires detail::is_nest_truth<Truth> && detail::nest_operand<T> && detail::nest_operand<F>
[[nodiscard]] constexpr auto select(Truth const& truth, T const& if_true, F const& if_false)
{
    auto const both = detail::operation_on<nest_op::select>(detail::lift_value(if_true),
                                                            detail::lift_value(if_false));
    using type = typename decltype(both)::value_type;
    using left = std::remove_const_t<decltype(both.first)>;
    using right = std::remove_const_t<decltype(both.second)>;
    return detail::nest_operation<nest_op::select, type, Truth, left, right>{truth, both.first,
                                                                             both.second};
}

/// The number in another type: float, double or a whole number of 32 or 64 bits.
///
/// Example   attune::sum(k)(attune::cast<double>(x[k]))
template <class T, class X>
    requires detail::nest_operand<X>
[[nodiscard]] constexpr auto cast(X const& x)
{
    constexpr bool computes = std::same_as<T, detail::operand_type<T>> &&
                              detail::nest_element<T>() != element_type::opaque;
    static_assert(computes, "attune: cast<T>(x): T is float, double or a whole number of 32 or 64 "
                            "bits; a statement converts to other types when it writes an array");
    if constexpr (computes)
        return detail::nest_operation<nest_op::convert, T, detail::lifted<X>>{
            detail::lift_value(x)};
    else
        return detail::lift_value(x);
}

namespace detail {

template <reduction Combine, class... Axes>
struct reducer {
    template <class E>
        requires nest_operand<E>
    [[nodiscard]] constexpr auto operator()(E const& value) const
    {
        return nest_reduction<Combine, lifted<E>, Axes...>{lift_value(value)};
    }
};

template <reduction Combine, class... Axes>
[[nodiscard]] constexpr auto make_reducer()
{
    constexpr bool over_axes = sizeof...(Axes) > 0 && (is_axis<Axes> && ...);
    static_assert(over_axes, "attune: a reduction is over axes: attune::sum(k)(A[i][k] * x[k])");
    return reducer<Combine, Axes...>{};
}

} // namespace detail

/// The sum of the following value over the axes, for each element of the statement's target.
///
/// Example   C[i][j] = attune::sum(k)(A[i][k] * B[k][j])
template <class... Axes>
[[nodiscard]] constexpr auto sum(Axes const&...)
{
    return detail::make_reducer<reduction::sum, Axes...>();
}
template <class... Axes>
[[nodiscard]] constexpr auto product(Axes const&...)
{
    return detail::make_reducer<reduction::product, Axes...>();
}
/// The place along one axis of the largest following value; the first place if several are largest.
template <class Axis>
[[nodiscard]] constexpr auto argmax(Axis const&)
{
    return detail::make_reducer<reduction::argument_of_maximum, Axis>();
}

/// The larger of two numbers; with axes as arguments, the largest following value over them.
///
/// Example   y[i] = max(x[i], 0.0f), m[i] = attune::max(j)(x[i][j])
template <class First, class... More>
    requires(detail::is_axis<First> && (detail::is_axis<More> && ...))
[[nodiscard]] constexpr auto max(First const&, More const&...)
{
    return detail::make_reducer<reduction::maximum, First, More...>();
}
template <class L, class R>
    requires(detail::nest_operands<L, R> && !(detail::is_axis<L> && detail::is_axis<R>))
[[nodiscard]] constexpr auto max(L const& left, R const& right)
{
    return detail::operation_on<nest_op::maximum>(detail::lift_value(left),
                                                  detail::lift_value(right));
}
template <class First, class... More>
    requires(detail::is_axis<First> && (detail::is_axis<More> && ...))
[[nodiscard]] constexpr auto min(First const&, More const&...)
{
    return detail::make_reducer<reduction::minimum, First, More...>();
}
template <class L, class R>
    requires(detail::nest_operands<L, R> && !(detail::is_axis<L> && detail::is_axis<R>))
[[nodiscard]] constexpr auto min(L const& left, R const& right)
{
    return detail::operation_on<nest_op::minimum>(detail::lift_value(left),
                                                  detail::lift_value(right));
}

} // namespace attune::inline ATTUNE_ABI
