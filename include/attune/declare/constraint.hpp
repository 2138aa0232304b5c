// attune/declare/constraint.hpp - a condition given as a callable over the values of parameters.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/parameters.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// A callable over the values of `Params`, in that order.
template <class F, class... Params>
struct opaque_constraint {
    F test;
};

template <class... T>
struct type_list {};

template <class T>
inline constexpr bool is_opaque = false;
template <class F, class... P>
inline constexpr bool is_opaque<opaque_constraint<F, P...>> = true;

/// The first `sizeof...(Is)` of the given types, as parameters of the constraint.
template <class F, class Types, std::size_t... Is>
[[nodiscard]] constexpr auto make_opaque(F const& test, std::index_sequence<Is...>)
{
    constexpr bool named = (is_parameter<std::tuple_element_t<Is, Types>> && ...);
    static_assert(named,
                  "attune: predicate(p1, ..., pn, f): everything before the callable must be a "
                  "parameter");
    if constexpr (named) {
        constexpr bool callable =
            std::is_invocable_r_v<bool, F const&,
                                  typename std::tuple_element_t<Is, Types>::value_type const&...>;
        static_assert(callable,
                      "attune: predicate(p1, ..., pn, f): f must take one value of each parameter "
                      "named before it, in that order, and return bool");
        constexpr bool readable =
            !(is_long_order<typename std::tuple_element_t<Is, Types>::domain_type> || ...);
        static_assert(readable,
                      "attune: predicate(...): a permutation of more than 12 items is not read by "
                      "constraints; check it where it is used");
        if constexpr (callable && readable)
            return opaque_constraint<F, std::tuple_element_t<Is, Types>...>{test};
        else
            return already_reported{};
    } else
        return already_reported{};
}

} // namespace detail

/// predicate(p1, ..., pn, f): f(value of p1, ..., value of pn) must hold. Prefer an expression
/// where possible: attune computes bounds from expressions and learns from their terms.
template <class... T>
[[nodiscard]] constexpr auto predicate(T const&... arguments)
{
    constexpr bool complete = sizeof...(T) >= 2;
    static_assert(complete,
                  "attune: predicate(p1, ..., pn, f) takes at least one parameter and a callable");
    if constexpr (complete) {
        constexpr std::size_t n = sizeof...(T) - 1;
        using types = std::tuple<T...>;
        using F = std::decay_t<std::tuple_element_t<n, types>>; // a function as its pointer
        return detail::make_opaque<F, types>(std::get<n>(std::forward_as_tuple(arguments...)),
                                             std::make_index_sequence<n>{});
    } else
        return detail::already_reported{};
}

} // namespace attune::inline ATTUNE_ABI
