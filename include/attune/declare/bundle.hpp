// attune/declare/bundle.hpp - several parameters with their constraints, given to space() as one.
// SPDX-License-Identifier: MIT
// tested by declare/selector.cpp
#pragma once

#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// A bundle: spread(f) returns f(parameters...), constrain(pack) the pack with its constraints.
template <class T>
inline constexpr bool is_bundle = requires { typename T::is_parameter_bundle; };

/// f(...) of the arguments, with the parameters of a bundle in its place.
template <class F>
[[nodiscard]] constexpr auto spread(F const& f)
{
    return f();
}
template <class F, class First, class... Rest>
[[nodiscard]] constexpr auto spread(F const& f, First const& first, Rest const&... rest)
{
    auto const go_on = [&](auto const&... taken) {
        return spread([&](auto const&... later) { return f(taken..., later...); }, rest...);
    };
    if constexpr (is_bundle<First>)
        return first.spread(go_on);
    else
        return go_on(first);
}

/// `pack` with the constraints of those of the arguments that are bundles.
template <class Pack>
[[nodiscard]] constexpr auto with_constraints_of(Pack const& pack)
{
    return pack;
}
template <class Pack, class First, class... Rest>
[[nodiscard]] constexpr auto with_constraints_of(Pack const& pack, First const& first,
                                                 Rest const&... rest)
{
    if constexpr (is_bundle<First>)
        return with_constraints_of(first.constrain(pack), rest...);
    else
        return with_constraints_of(pack, rest...);
}

} // namespace attune::inline ATTUNE_ABI::detail
