// attune/declare/condition.hpp - what active_if() holds: nothing, one condition, or one per element.
// SPDX-License-Identifier: MIT
// tested by declare/activity.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/expression/operators.hpp>

#include <array>
#include <concepts>
#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

/// The condition of a parameter whose value always counts.
struct always {};

/// One condition per element of an array.
template <class Expression, std::size_t N>
struct each_element {
    std::array<Expression, N> of{};
};

/// Whether active_if() takes a `C`: an expression that is true or false.
template <class C>
[[nodiscard]] constexpr bool is_condition()
{
    if constexpr (symbolic<C>)
        return kind_yielded<C> == value_kind::boolean;
    else
        return false;
}

/// Whether an expression reads the parameter `Name`.
template <fixed_string Name, class Expression>
inline constexpr bool reads_name = false;
template <fixed_string Name, value_kind K, std::size_t N, class... R>
inline constexpr bool reads_name<Name, expression<K, N, R...>> =
    ((!R::is_input && R::name == Name.view()) || ...);

/// The conjunction of two conditions, for each element if one of them differs between elements.
template <class B>
[[nodiscard]] constexpr B both(always, B const& b)
{
    return b;
}
template <class A, class B>
[[nodiscard]] constexpr auto both(A const& a, B const& b)
{
    return a && b;
}
template <class A, class B, std::size_t N>
[[nodiscard]] constexpr auto both(each_element<A, N> const& a, B const& b)
{
    each_element<decltype(a.of[0] && b), N> out{};
    for (std::size_t i = 0; i < N; ++i)
        out.of[i] = a.of[i] && b;
    return out;
}
template <class A, class B, std::size_t N>
    requires(!std::same_as<A, always>)
[[nodiscard]] constexpr auto both(A const& a, each_element<B, N> const& b)
{
    each_element<decltype(a && b.of[0]), N> out{};
    for (std::size_t i = 0; i < N; ++i)
        out.of[i] = a && b.of[i];
    return out;
}
template <class A, class B, std::size_t N>
[[nodiscard]] constexpr auto both(each_element<A, N> const& a, each_element<B, N> const& b)
{
    each_element<decltype(a.of[0] && b.of[0]), N> out{};
    for (std::size_t i = 0; i < N; ++i)
        out.of[i] = a.of[i] && b.of[i];
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
