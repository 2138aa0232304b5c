// attune/declare/config.hpp - one configuration, read by parameter, and conditions given as callables over it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/parameter.hpp>
#include <attune/declare/parameters.hpp>

#include <boost/hana/at.hpp>
#include <boost/hana/basic_tuple.hpp>

#include <array>
#include <cstddef>
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
    static_assert(
        named,
        "attune: predicate(p1, ..., pn, f): everything before the callable must be a parameter");
    if constexpr (named) {
        constexpr bool callable =
            std::is_invocable_r_v<bool, F const&,
                                  typename std::tuple_element_t<Is, Types>::value_type const&...>;
        static_assert(callable, "attune: predicate(p1, ..., pn, f): f must take one value of each "
                                "parameter named before it, in that order, and return bool");
        constexpr bool readable =
            !(is_long_order<typename std::tuple_element_t<Is, Types>::domain_type> || ...);
        static_assert(readable, "attune: predicate(...): a permutation of more than 12 items is "
                                "not read by constraints; check it in the kernel");
        if constexpr (callable && readable)
            return opaque_constraint<F, std::tuple_element_t<Is, Types>...>{test};
        else
            return already_reported{};
    } else
        return already_reported{};
}

} // namespace detail

/// predicate(p1, ..., pn, f): f(value of p1, ..., value of pn) must hold. Prefer an expression
/// where possible: attune computes bounds of its terms, and the terms are features of the search.
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

namespace detail {

inline constexpr std::size_t not_found = ~std::size_t{0};

/// The names of a list of parameters, searchable at compile time.
template <class... Params>
struct names_of {
    static constexpr std::array<std::string_view, sizeof...(Params)> names{Params::name...};

    [[nodiscard]] static constexpr std::size_t find(std::string_view name)
    {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) return i;
        return not_found;
    }
    [[nodiscard]] static constexpr std::size_t count(std::string_view name)
    {
        std::size_t found = 0;
        for (std::string_view const n : names)
            found += n == name ? 1U : 0U;
        return found;
    }
};

} // namespace detail

/// A configuration: one value per parameter.
template <class... Params>
class config {
public:
    constexpr config() = default;
    constexpr explicit config(typename Params::value_type... values)
        : values_{values...}
    {
    }

    /// The value of `p`, in the type that `p` declared.
    template <class P>
    [[nodiscard]] constexpr auto operator[](P const&) const
    {
        constexpr bool is_parameter = detail::is_parameter<P>;
        static_assert(is_parameter, "attune: config[p]: p must be a parameter");
        if constexpr (is_parameter) {
            constexpr std::size_t at = detail::names_of<Params...>::find(P::name);
            constexpr bool in_space = at != detail::not_found;
            static_assert(in_space, "attune: config[p]: p is not a parameter of this space");
            if constexpr (in_space) {
                // The object in the space may carry a prior, which is part of its type.
                constexpr bool same =
                    ((P::name == Params::name &&
                      std::same_as<typename P::domain_type, typename Params::domain_type>) ||
                     ...);
                static_assert(same, "attune: config[p]: p has the name of a parameter of this "
                                    "space, but another domain");
                return boost::hana::at_c<at>(values_);
            } else
                return typename P::value_type{};
        }
    }

    [[nodiscard]] friend constexpr bool operator==(config const& a, config const& b)
    {
        return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
            return ((boost::hana::at_c<Is>(a.values_) == boost::hana::at_c<Is>(b.values_)) && ...);
        }(std::index_sequence_for<Params...>{});
    }

private:
    boost::hana::basic_tuple<typename Params::value_type...> values_{};
};

} // namespace attune::inline ATTUNE_ABI
