// attune/declare/pack.hpp - the declared space: parameters, bundles of them, constraints and features, and their rules.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/domain.hpp>
#include <attune/declare/expression/expression.hpp>
#include <attune/declare/expression/operators.hpp>
#include <attune/declare/parameter.hpp>
#include <attune/declare/parameters.hpp>

#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The parameters and inputs that a constraint reads, as a type list.
template <class T>
struct reads_of {
    using type = type_list<>;
};
template <value_kind K, std::size_t N, class... R>
struct reads_of<expression<K, N, R...>> {
    using type = type_list<R...>;
};
template <class Expression, std::size_t N>
struct reads_of<each_element<Expression, N>> : reads_of<Expression> {};
template <class F, class... P>
struct reads_of<opaque_constraint<F, P...>> {
    using type = type_list<typename P::ref...>;
};
template <class T>
    requires std::derived_from<T, term>
struct reads_of<T> {
    using type = type_list<typename T::ref>;
};

/// The purpose of an expression, which selects the texts of its errors.
enum class use : std::uint8_t { constraint, feature, activity };

/// Checks one name. Each name has its own instantiation, so the compiler prints a wrong name once.
template <use For, class Ref, class Names>
[[nodiscard]] constexpr bool check_read()
{
    constexpr bool in_space = Ref::is_input || Names::find(Ref::name) != not_found;
    static_assert(in_space || For != use::constraint,
                  "attune: where(...): a constraint reads a parameter that is not in this space; "
                  "add it to space(...)");
    static_assert(in_space || For != use::feature,
                  "attune: features(...): a feature reads a parameter that is not in this space; "
                  "add it to space(...)");
    static_assert(in_space || For != use::activity,
                  "attune: active_if(...): the condition reads a parameter that is not in this "
                  "space; add it to space(...)");
    constexpr bool known_now = !is_code_ref<Ref>;
    static_assert(known_now, "attune: where(...), features(...), active_if(...): a quantity of "
                             "code, such as registers, is known only after its compilation; write "
                             "the condition in kernel.require(...), the feature in "
                             "kernel.features(...)");
    constexpr bool own_name = !Ref::is_input || Names::find(Ref::name) == not_found;
    static_assert(own_name || For != use::constraint,
                  "attune: where(...): an input has the name of a parameter");
    static_assert(own_name || For != use::feature,
                  "attune: features(...): an input has the name of a parameter");
    static_assert(own_name || For != use::activity,
                  "attune: active_if(...): an input has the name of a parameter");
    return in_space && known_now && own_name;
}
template <use For, class Names, class... R>
[[nodiscard]] constexpr bool check_reads(type_list<R...>)
{
    return all({true, check_read<For, R, Names>()...});
}

template <class Ref, class Names>
[[nodiscard]] constexpr bool check_unique()
{
    constexpr bool unique = Names::count(Ref::name) == 1;
    static_assert(unique, "attune: space(...): two parameters have the same name");
    return unique;
}
/// Stops at the first repeated name, so that one mistake is one error.
template <class Names, class First, class... Rest>
[[nodiscard]] constexpr bool check_all_unique()
{
    if constexpr (Names::count(First::name) != 1)
        return check_unique<First, Names>();
    else if constexpr (sizeof...(Rest) > 0)
        return check_all_unique<Names, Rest...>();
    else
        return true;
}

/// The places in `Names` of the parameters that a condition reads; not_found for an input.
template <class Names, class Reads>
struct places_read;
template <class Names, class... R>
struct places_read<Names, type_list<R...>> {
    static constexpr std::array<std::size_t, sizeof...(R)> at{Names::find(R::name)...};
};

/// Returns true if each condition can be decided after those of the parameters that it reads.
template <class Names, class... P>
[[nodiscard]] constexpr bool conditions_end()
{
    std::array<bool, sizeof...(P)> decided{};
    bool all_decided = false;
    for (bool progress = true; progress && !all_decided;) {
        progress = false;
        all_decided = true;
        std::size_t i = 0;
        auto const decide = [&](auto const& reads) {
            bool ready = !decided[i];
            for (std::size_t const read : reads)
                ready = ready && (read == not_found || decided[read]);
            progress = progress || ready;
            decided[i] = decided[i] || ready;
            all_decided = all_decided && decided[i];
            ++i;
        };
        (decide(places_read<Names, typename reads_of<typename P::condition_type>::type>::at), ...);
    }
    return all_decided;
}

/// Checks the parameters and inputs that active_if() reads.
template <class Names, class... P>
[[nodiscard]] constexpr bool check_conditions()
{
    if constexpr (!(P::is_conditional || ...))
        return true;
    else if constexpr (!all({check_reads<use::activity, Names>(
                           typename reads_of<typename P::condition_type>::type{})...}))
        return false;
    else {
        constexpr bool ends = conditions_end<Names, P...>();
        static_assert(ends, "attune: active_if(...): conditions lead back to their own parameter; "
                            "remove one of them, so that one parameter is decided first");
        return ends;
    }
}

template <class C>
[[nodiscard]] constexpr bool check_constraint()
{
    if constexpr (is_opaque<C>)
        return true;
    else if constexpr (std::same_as<C, already_reported>)
        return false;
    else {
        constexpr bool formula = symbolic<C>;
        static_assert(formula,
                      "attune: where(...) takes comparisons of parameters and predicate(...)");
        if constexpr (formula) {
            constexpr bool condition = kind_yielded<C> == value_kind::boolean;
            static_assert(
                condition,
                "attune: where(...): this is a number, not a condition; compare it with something");
            return condition;
        } else
            return false;
    }
}

template <class F>
[[nodiscard]] constexpr bool check_feature()
{
    if constexpr (std::same_as<F, already_reported>)
        return false;
    else {
        constexpr bool formula = symbolic<F>;
        static_assert(formula, "attune: features(...) takes expressions over parameters");
        if constexpr (formula) {
            constexpr bool number = is_number(kind_yielded<F>);
            static_assert(number, "attune: features(...): a feature is one number or a condition; "
                                  "the search compares texts, orders and tiles without a feature");
            return number;
        } else
            return false;
    }
}

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

} // namespace detail

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
