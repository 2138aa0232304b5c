// attune/core/shape/length_formula.hpp - lengths of arrays as formulas over whole numbers of a call.
// SPDX-License-Identifier: MIT
// tested by tune/kernel/declared_lengths.cpp
#pragma once

#include <attune/core/version.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>

namespace attune::inline ATTUNE_ABI {

/// The value of argument `Position` of a call, a whole number; see kernel.lengths().
template <std::size_t Position>
struct argument_value {
    [[nodiscard]] constexpr std::int64_t operator()(std::span<std::int64_t const> call) const
    {
        return call[Position];
    }
};

/// Example  constexpr auto m = attune::argument<3>;
///          constexpr auto n = attune::argument<4>;
///          kernel.lengths(m * n, (m + 2) * (n + 2));
template <std::size_t Position>
inline constexpr argument_value<Position> argument{};

/// kernel.lengths() says nothing of this array.
struct any_length_t {};
inline constexpr any_length_t any_length{};

namespace detail {

/// A formula of two parts.
template <class Operation, class Left, class Right>
struct joined_lengths {
    Left left;
    Right right;
    [[nodiscard]] constexpr std::int64_t operator()(std::span<std::int64_t const> call) const
    {
        return Operation{}(left(call), right(call));
    }
};
struct constant_length {
    std::int64_t value;
    [[nodiscard]] constexpr std::int64_t operator()(std::span<std::int64_t const>) const
    {
        return value;
    }
};

template <class>
inline constexpr bool is_length_formula = false;
template <std::size_t Position>
inline constexpr bool is_length_formula<argument_value<Position>> = true;
template <class Operation, class Left, class Right>
inline constexpr bool is_length_formula<joined_lengths<Operation, Left, Right>> = true;

/// Whether all that a formula reads are whole numbers among these arguments.
template <class Formula, class... Args>
inline constexpr bool reads_numbers = true;
template <std::size_t Position, class... Args>
inline constexpr bool reads_numbers<argument_value<Position>, Args...> = [] {
    if constexpr (Position < sizeof...(Args))
        return std::is_integral_v<std::tuple_element_t<Position, std::tuple<Args...>>>;
    else
        return false;
}();
template <class Operation, class Left, class Right, class... Args>
inline constexpr bool reads_numbers<joined_lengths<Operation, Left, Right>, Args...> =
    reads_numbers<Left, Args...> && reads_numbers<Right, Args...>;

/// An operand: a formula, or a whole number.
template <class T>
concept length_part = is_length_formula<T> || std::integral<T>;
template <class L, class R>
concept length_parts =
    length_part<L> && length_part<R> && (is_length_formula<L> || is_length_formula<R>);

template <length_part T>
[[nodiscard]] constexpr auto as_length(T const& part)
{
    if constexpr (std::integral<T>)
        return constant_length{static_cast<std::int64_t>(part)};
    else
        return part;
}

/// The value of a formula that overflows: no array is as long.
inline constexpr std::int64_t no_length = std::numeric_limits<std::int64_t>::max();

/// `Sign` is one of + - * /. A quotient by 0 is 0.
template <char Sign>
struct length_operation {
    constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const
    {
        if constexpr (Sign == '/') return b == 0 || b == -1 ? 0 : a / b;
        std::int64_t out = 0;
        bool const overflows = Sign == '+'   ? __builtin_add_overflow(a, b, &out)
                               : Sign == '-' ? __builtin_sub_overflow(a, b, &out)
                                             : __builtin_mul_overflow(a, b, &out);
        return overflows ? no_length : out;
    }
};

template <class Operation, class Left, class Right>
[[nodiscard]] constexpr auto join_lengths(Left const& left, Right const& right)
{
    auto const l = as_length(left);
    auto const r = as_length(right);
    return joined_lengths<Operation, std::remove_cv_t<decltype(l)>, std::remove_cv_t<decltype(r)>>{
        l, r};
}

} // namespace detail

template <class L, class R>
    requires detail::length_parts<L, R>
[[nodiscard]] constexpr auto operator+(L const& left, R const& right)
{
    return detail::join_lengths<detail::length_operation<'+'>>(left, right);
}
template <class L, class R>
    requires detail::length_parts<L, R>
[[nodiscard]] constexpr auto operator-(L const& left, R const& right)
{
    return detail::join_lengths<detail::length_operation<'-'>>(left, right);
}
template <class L, class R>
    requires detail::length_parts<L, R>
[[nodiscard]] constexpr auto operator*(L const& left, R const& right)
{
    return detail::join_lengths<detail::length_operation<'*'>>(left, right);
}
/// Rounds towards zero.
template <class L, class R>
    requires detail::length_parts<L, R>
[[nodiscard]] constexpr auto operator/(L const& left, R const& right)
{
    return detail::join_lengths<detail::length_operation<'/'>>(left, right);
}

} // namespace attune::inline ATTUNE_ABI
