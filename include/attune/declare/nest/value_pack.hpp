// attune/declare/nest/value_pack.hpp - values of several types side by side.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
//
// Of std::tuple what a program needs: no constructors to choose from, and no std::apply, which asks
// of each call whether it may throw.
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
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

/// An aggregate: value_pack<int, float>{{{1}, {2.0f}}}.
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

/// see(value) for each, in order.
template <class See, std::size_t... At, class... T>
constexpr void for_each_part(pack_parts<std::index_sequence<At...>, T...> const& of, See const& see)
{
    (see(static_cast<pack_part<At, T> const&>(of).value), ...);
}

/// The values and one more.
template <class Last, std::size_t... At, class... T>
[[nodiscard]] constexpr value_pack<T..., Last>
appended(pack_parts<std::index_sequence<At...>, T...> const& of, Last const& last)
{
    return {{{static_cast<pack_part<At, T> const&>(of).value}..., {last}}};
}

} // namespace attune::inline ATTUNE_ABI::detail
