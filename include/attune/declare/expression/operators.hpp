// attune/declare/expression/operators.hpp - operators and functions on parameters.
// SPDX-License-Identifier: MIT
//
// All whole numbers, literals included, are signed 64-bit integers. Therefore `tile * sizeof(float)
// <= 1024u` and `tile - 300u < 0` do not wrap.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/expression/expression.hpp>

namespace attune::inline ATTUNE_ABI {

namespace detail {

template <class L, class R>
concept operands = (symbolic<L> && (symbolic<R> || literal<R>)) || (literal<L> && symbolic<R>);

[[nodiscard]] constexpr bool is_number(value_kind k)
{
    return k == value_kind::integer || k == value_kind::real || k == value_kind::boolean;
}

template <value_kind... K>
constexpr void refuse_lists()
{
    constexpr bool one_number_each = ((K != value_kind::list) && ...);
    static_assert(one_number_each,
                  "attune: a permutation or tile has several numbers; use p[i] or p.position(i)");
}

/// Refuses operands that are not numbers; returns the kind of their sum.
template <value_kind... K>
[[nodiscard]] constexpr value_kind arithmetic()
{
    refuse_lists<K...>();
    constexpr bool numbers = ((is_number(K) || K == value_kind::list) && ...);
    static_assert(numbers,
                  "attune: arithmetic needs numbers; text can only be compared with == and !=");
    return ((K == value_kind::real) || ...) ? value_kind::real : value_kind::integer;
}

template <value_kind L, value_kind R>
[[nodiscard]] constexpr value_kind ordering()
{
    refuse_lists<L, R>();
    constexpr bool numbers =
        (is_number(L) && is_number(R)) || L == value_kind::list || R == value_kind::list;
    static_assert(numbers,
                  "attune: < <= > >= need numbers; text can only be compared with == and !=");
    constexpr bool single = L != value_kind::boolean && R != value_kind::boolean;
    static_assert(single || !numbers,
                  "attune: chained comparison; write (a <= b && b <= c) instead of (a <= b <= c)");
    return value_kind::boolean;
}

template <value_kind L, value_kind R>
[[nodiscard]] constexpr value_kind equality()
{
    refuse_lists<L, R>();
    constexpr bool comparable = (L == value_kind::text) == (R == value_kind::text) ||
                                L == value_kind::list || R == value_kind::list;
    static_assert(comparable, "attune: == compares a number with a number or a text with a text");
    return value_kind::boolean;
}

template <value_kind... K>
[[nodiscard]] constexpr value_kind logic()
{
    constexpr bool conditions = ((K == value_kind::boolean) && ...);
    static_assert(conditions,
                  "attune: && || ! need conditions; write (x != 0) to use a number as one");
    return value_kind::boolean;
}

} // namespace detail

#define ATTUNE_BINARY(NAME, CODE, RULE)                                                            \
    template <class L, class R>                                                                    \
        requires detail::operands<L, R>                                                            \
    [[nodiscard]] constexpr auto NAME(L const& left, R const& right)                               \
    {                                                                                              \
        constexpr value_kind yields =                                                              \
            detail::RULE<detail::kind_yielded<L>, detail::kind_yielded<R>>();                      \
        return detail::apply<yields>(op::CODE, detail::lift(left), detail::lift(right));           \
    }
ATTUNE_BINARY(operator+, add, arithmetic)
ATTUNE_BINARY(operator-, subtract, arithmetic)
ATTUNE_BINARY(operator*, multiply, arithmetic)
ATTUNE_BINARY(operator/, divide, arithmetic)
ATTUNE_BINARY(operator%, modulo, arithmetic)
ATTUNE_BINARY(operator<, less, ordering)
ATTUNE_BINARY(operator<=, less_equal, ordering)
ATTUNE_BINARY(operator>, greater, ordering)
ATTUNE_BINARY(operator>=, greater_equal, ordering)
ATTUNE_BINARY(operator==, equal, equality)
ATTUNE_BINARY(operator!=, not_equal, equality)
ATTUNE_BINARY(operator&&, logical_and, logic)
ATTUNE_BINARY(operator||, logical_or, logic)
// min: the smaller of two numbers; max: the larger; ceil_div: the quotient rounded up.
ATTUNE_BINARY(min, minimum, arithmetic)
ATTUNE_BINARY(max, maximum, arithmetic)
ATTUNE_BINARY(ceil_div, ceil_divide, arithmetic)
#undef ATTUNE_BINARY

template <symbolic T>
[[nodiscard]] constexpr auto operator-(T const& x)
{
    constexpr value_kind yields = detail::arithmetic<detail::kind_yielded<T>>();
    return detail::apply<yields>(op::negate, detail::lift(x));
}

template <symbolic T>
[[nodiscard]] constexpr auto operator!(T const& x)
{
    constexpr value_kind yields = detail::logic<detail::kind_yielded<T>>();
    return detail::apply<yields>(op::logical_not, detail::lift(x));
}

template <symbolic T>
[[nodiscard]] constexpr auto abs(T const& x)
{
    constexpr value_kind yields = detail::arithmetic<detail::kind_yielded<T>>();
    return detail::apply<yields>(op::absolute, detail::lift(x));
}

/// `if_true` if `condition` holds, else `if_false`. Evaluates only the chosen operand.
template <symbolic C, class T, class F>
    requires(symbolic<T> || literal<T>) && (symbolic<F> || literal<F>)
[[nodiscard]] constexpr auto select(C const& condition, T const& if_true, F const& if_false)
{
    static_cast<void>(detail::logic<detail::kind_yielded<C>>());
    constexpr value_kind on_true = detail::kind_yielded<T>;
    constexpr value_kind on_false = detail::kind_yielded<F>;
    constexpr bool both_conditions =
        on_true == value_kind::boolean && on_false == value_kind::boolean;
    constexpr value_kind yields =
        both_conditions ? value_kind::boolean : detail::arithmetic<on_true, on_false>();
    auto branches =
        detail::apply<yields>(op::select, detail::lift(if_true), detail::lift(if_false));
    if (yields == value_kind::real) branches.code.back().real = 1; // the other branch is converted
    return detail::prepend(detail::lift(condition), branches);
}

/// Returns an expression that is true if `x` equals one of `values`.
template <symbolic T, literal... V>
[[nodiscard]] constexpr auto one_of(T const& x, V const&... values)
{
    static_assert(sizeof...(V) > 0, "attune: one_of(x) has no values to compare with");
    if constexpr (sizeof...(V) > 0)
        return (... || (x == values));
    else
        return detail::as_literal(true);
}

} // namespace attune::inline ATTUNE_ABI
