// attune/core/aggregate.hpp - finds the types of a structure's members without a declaration.
// SPDX-License-Identifier: MIT
//
// Source: Boost.PFR (Polukhin): the longest braced list that initialises the structure counts its
// members; a structured binding gives their types
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

template <class... T>
struct member_list {
    static constexpr std::size_t size = sizeof...(T);
};

/// Converts to every type except `Whole`, and therefore initialises a member, never the whole
/// structure.
template <class Whole>
struct any_member {
    template <class T>
        requires(!std::is_same_v<std::remove_cvref_t<T>, Whole>)
    constexpr operator T&() const&& noexcept;
};

/// Converts to base classes of `Whole` only.
template <class Whole>
struct any_base {
    template <class T>
        requires(std::is_base_of_v<T, Whole> && !std::is_same_v<T, Whole>)
    constexpr operator T() const noexcept;
};

inline constexpr std::size_t most_members = 16;

template <class T, std::size_t... Before, std::size_t... Inner, std::size_t... After>
consteval bool is_initialised(std::index_sequence<Before...>, std::index_sequence<Inner...>,
                              std::index_sequence<After...>)
{
    return requires {
        T{(static_cast<void>(Before), any_member<T>{})...,
          {(static_cast<void>(Inner), any_member<T>{})...},
          (static_cast<void>(After), any_member<T>{})...};
    };
}

template <class T, std::size_t... All>
consteval bool is_initialised(std::index_sequence<All...>)
{
    return requires { T{(static_cast<void>(All), any_member<T>{})...}; };
}

/// Number of initialisers in the longest braced list for `T`; each element of an array counts. The
/// search stops at `most_initialisers`.
inline constexpr std::size_t most_initialisers = 4 * most_members;
template <class T, std::size_t N = 0, bool Found = false>
consteval std::size_t initialisers()
{
    constexpr bool fits = is_initialised<T>(std::make_index_sequence<N>{});
    if constexpr (Found && !fits)
        return N - 1;
    else if constexpr (N > most_initialisers)
        return fits ? N : 0;
    else
        return initialisers<T, N + 1, fits>();
}

/// Elements of the array that begins after `Before` initialisers; 1 if no array begins there.
template <class T, std::size_t Before, std::size_t Total, std::size_t K>
consteval std::size_t array_at()
{
    if constexpr (K < 2) {
        return 1;
    } else {
        using before = std::make_index_sequence<Before>;
        using inner = std::make_index_sequence<K>;
        constexpr std::size_t left = Total - Before - K;
        if constexpr (is_initialised<T>(before{}, inner{}, std::make_index_sequence<left>{}) &&
                      !is_initialised<T>(before{}, inner{}, std::make_index_sequence<left + 1>{}))
            return K;
        else
            return array_at<T, Before, Total, K - 1>();
    }
}

template <class T, std::size_t Before, std::size_t Total, std::size_t Members>
consteval std::size_t count_members()
{
    if constexpr (Before >= Total || Members > most_members)
        return Members;
    else
        return count_members<T, Before + array_at<T, Before, Total, Total - Before>(), Total,
                             Members + 1>();
}

template <class T>
inline constexpr bool is_plain_aggregate = std::is_aggregate_v<T> && std::is_class_v<T> &&
                                           !std::is_empty_v<T> && !requires { T{any_base<T>{}}; };

/// @return  number of members of `T`; 0 if they cannot be counted
template <class T>
consteval std::size_t member_count()
{
    if constexpr (!is_plain_aggregate<T>) {
        return 0;
    } else {
        constexpr std::size_t total = initialisers<T>();
        if constexpr (total > most_initialisers) {
            return 0;
        } else {
            constexpr std::size_t count = count_members<T, 0, total, 0>();
            return count <= most_members ? count : 0;
        }
    }
}

// A structured binding needs as many names as there are members.
template <std::size_t N, class T>
auto bound_types(T& whole)
{
    if constexpr (N == 0) {
        return member_list<>{};
    } else if constexpr (N == 1) {
        auto& [a] = whole;
        return member_list<decltype(a)>{};
    } else if constexpr (N == 2) {
        auto& [a, b] = whole;
        return member_list<decltype(a), decltype(b)>{};
    } else if constexpr (N == 3) {
        auto& [a, b, c] = whole;
        return member_list<decltype(a), decltype(b), decltype(c)>{};
    } else if constexpr (N == 4) {
        auto& [a, b, c, d] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d)>{};
    } else if constexpr (N == 5) {
        auto& [a, b, c, d, e] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e)>{};
    } else if constexpr (N == 6) {
        auto& [a, b, c, d, e, f] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e),
                           decltype(f)>{};
    } else if constexpr (N == 7) {
        auto& [a, b, c, d, e, f, g] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e),
                           decltype(f), decltype(g)>{};
    } else if constexpr (N == 8) {
        auto& [a, b, c, d, e, f, g, h] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e),
                           decltype(f), decltype(g), decltype(h)>{};
    } else if constexpr (N == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e),
                           decltype(f), decltype(g), decltype(h), decltype(i)>{};
    } else if constexpr (N == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e),
                           decltype(f), decltype(g), decltype(h), decltype(i), decltype(j)>{};
    } else if constexpr (N == 11) {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e),
                           decltype(f), decltype(g), decltype(h), decltype(i), decltype(j),
                           decltype(k)>{};
    } else if constexpr (N == 12) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e),
                           decltype(f), decltype(g), decltype(h), decltype(i), decltype(j),
                           decltype(k), decltype(l)>{};
    } else if constexpr (N == 13) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e),
                           decltype(f), decltype(g), decltype(h), decltype(i), decltype(j),
                           decltype(k), decltype(l), decltype(m)>{};
    } else if constexpr (N == 14) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e),
                           decltype(f), decltype(g), decltype(h), decltype(i), decltype(j),
                           decltype(k), decltype(l), decltype(m), decltype(n)>{};
    } else if constexpr (N == 15) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e),
                           decltype(f), decltype(g), decltype(h), decltype(i), decltype(j),
                           decltype(k), decltype(l), decltype(m), decltype(n), decltype(o)>{};
    } else if constexpr (N == 16) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = whole;
        return member_list<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e),
                           decltype(f), decltype(g), decltype(h), decltype(i), decltype(j),
                           decltype(k), decltype(l), decltype(m), decltype(n), decltype(o),
                           decltype(p)>{};
    }
}

/// The types of the members of `T`, in order. The list is empty if `T` is no aggregate, or has a
/// base class, more than 16 members or more than 64 initialisers. Each element of an array is an
/// initialiser.
template <class T>
using member_types = decltype(bound_types<member_count<T>()>(std::declval<T&>()));

} // namespace attune::inline ATTUNE_ABI::detail
