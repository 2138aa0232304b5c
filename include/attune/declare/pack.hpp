// attune/declare/pack.hpp - the declared space: parameters, bundles of them, constraints and features.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/config.hpp>
#include <attune/declare/input.hpp>
#include <attune/declare/pack_rules.hpp>

#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/unpack.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// True for a bundle. It has spread(f): f(parameters...), and constrain(pack): `pack` with the
/// constraints of the bundle.
template <class T>
inline constexpr bool is_bundle = requires { typename T::is_parameter_bundle; };

/// f(arguments...), where the parameters of each bundle replace the bundle.
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

/// `pack` with the constraints of each argument that is a bundle.
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

namespace attune::inline ATTUNE_ABI {

/// The parameters, constraints and features of a space; constexpr.
template <class Params, class Constraints, class Features = detail::type_list<>>
struct pack;

template <class... Params, class... Constraints, class... Features>
struct pack<detail::type_list<Params...>, detail::type_list<Constraints...>,
            detail::type_list<Features...>> {
    using config_type = config<Params...>;
    static constexpr std::size_t size = sizeof...(Params);

    boost::hana::basic_tuple<Params...> parameters;
    boost::hana::basic_tuple<Constraints...> constraints;
    boost::hana::basic_tuple<Features...> formulas; ///< of the features

    /// The same space with more constraints; all of them must hold.
    template <class... C>
    [[nodiscard]] constexpr auto where(C const&... added) const
    {
        using names = detail::names_of<Params...>;
        constexpr bool good =
            detail::all({true, detail::check_constraint<C>()...}) &&
            detail::all({true, detail::check_reads<detail::use::constraint, names>(
                                   typename detail::reads_of<C>::type{})...});
        if constexpr (good)
            return with(lifted(added)...);
        else
            return *this;
    }

    /// The same space with more features: numbers that the user expects to explain run times better
    /// than the parameters alone, such as a working set. A useless feature costs some evaluations.
    /// The sides of constraints are features without this call.
    /// Example  space(tile_m, tile_n).features(tile_m * tile_n, n % tile_m == 0)
    template <class... F>
    [[nodiscard]] constexpr auto features(F const&... added) const
    {
        using names = detail::names_of<Params...>;
        constexpr bool good = detail::all({true, detail::check_feature<F>()...}) &&
                              detail::all({true, detail::check_reads<detail::use::feature, names>(
                                                     typename detail::reads_of<F>::type{})...});
        if constexpr (good)
            return with_formulas(detail::lift(added)...);
        else
            return *this;
    }

private:
    template <class C>
    [[nodiscard]] static constexpr auto lifted(C const& c)
    {
        if constexpr (detail::is_opaque<C>)
            return c;
        else
            return detail::lift(c);
    }
    template <class... C>
    [[nodiscard]] constexpr auto with(C const&... added) const
    {
        return pack<detail::type_list<Params...>, detail::type_list<Constraints..., C...>,
                    detail::type_list<Features...>>{
            parameters,
            boost::hana::unpack(constraints,
                                [&](Constraints const&... held) {
                                    return boost::hana::basic_tuple<Constraints..., C...>{held...,
                                                                                          added...};
                                }),
            formulas};
    }
    template <class... F>
    [[nodiscard]] constexpr auto with_formulas(F const&... added) const
    {
        return pack<detail::type_list<Params...>, detail::type_list<Constraints...>,
                    detail::type_list<Features..., F...>>{
            parameters, constraints, boost::hana::unpack(formulas, [&](Features const&... held) {
                return boost::hana::basic_tuple<Features..., F...>{held..., added...};
            })};
    }
};

namespace detail {

/// space() without bundles.
template <class... P>
[[nodiscard]] constexpr auto space_of_parameters(P const&... params)
{
    static_assert(sizeof...(P) > 0, "attune: space() is empty; list its parameters");
    if constexpr (sizeof...(P) > 0) {
        constexpr bool reported = (std::same_as<P, detail::already_reported> || ...);
        constexpr bool only_parameters = (detail::is_parameter<P> && ...);
        static_assert(only_parameters || reported,
                      "attune: space(...) takes parameters; constraints name the inputs");
        if constexpr (only_parameters) {
            using names = detail::names_of<P...>;
            constexpr bool unique = detail::check_all_unique<names, P...>();
            if constexpr (!unique)
                return detail::already_reported{};
            else if constexpr (detail::check_conditions<names, P...>())
                return pack<detail::type_list<P...>, detail::type_list<>>{
                    boost::hana::basic_tuple<P...>{params...}, {}, {}};
            else
                return detail::already_reported{};
        } else
            return detail::already_reported{};
    } else
        return detail::already_reported{};
}

} // namespace detail

/// The space of all configurations of `params`: parameters and selectors, but no inputs.
template <class... P>
[[nodiscard]] constexpr auto space(P const&... params)
{
    if constexpr ((detail::is_bundle<P> || ...)) {
        auto const plain =
            detail::spread([](auto const&... each) { return space(each...); }, params...);
        return detail::with_constraints_of(plain, params...);
    } else
        return detail::space_of_parameters(params...);
}

} // namespace attune::inline ATTUNE_ABI
