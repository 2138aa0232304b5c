// attune/declare/pack.hpp - the declared space: parameters and what must hold between them.
// SPDX-License-Identifier: MIT
//
// Stage    [declare] -> space -> search -> compile -> measure -> remember
// In       space(p1, p2, ...).where(c1, c2, ...)
// Out      a constexpr pack; lower() turns it into the run-time form
// Source   own; the packs are hana::basic_tuple
// Depends  Boost.Hana (basic_tuple, unpack)
// Tests    tests/declare/pack.cpp
#pragma once

#include <attune/declare/config.hpp>
#include <attune/declare/constraint.hpp>
#include <attune/declare/input.hpp>
#include <attune/declare/operators.hpp>

#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/unpack.hpp>

namespace attune {

namespace detail {

/// What a constraint reads, as a list of refs.
template <class T>
struct reads_of {
    using type = type_list<>;
};
template <value_kind K, std::size_t N, class... R>
struct reads_of<expression<K, N, R...>> {
    using type = type_list<R...>;
};
template <class F, class... P>
struct reads_of<opaque_constraint<F, P...>> {
    using type = type_list<typename P::ref...>;
};
template <class T>
    requires std::derived_from<T, term>
struct reads_of<T> {
    using type = type_list<typename T::ref>;
};

/// One instantiation per name, so that the compiler prints the offending name, once.
template <class Ref, class Names>
[[nodiscard]] constexpr bool check_read()
{
    constexpr bool in_space = Ref::is_input || Names::find(Ref::name) != not_found;
    static_assert(in_space,
                  "attune: where(...): a constraint reads a parameter that is not in this space; "
                  "add it to space(...)");
    constexpr bool own_name = !Ref::is_input || Names::find(Ref::name) == not_found;
    static_assert(own_name, "attune: where(...): an input has the name of a parameter");
    return in_space && own_name;
}
template <class Names, class... R>
[[nodiscard]] constexpr bool check_reads(type_list<R...>)
{
    return all({true, check_read<R, Names>()...});
}

template <class Ref, class Names>
[[nodiscard]] constexpr bool check_unique()
{
    constexpr bool unique = Names::count(Ref::name) == 1;
    static_assert(unique, "attune: space(...): two parameters have the same name");
    return unique;
}
/// Stops at the first name that stands twice, so that one mistake is one error.
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
            static_assert(condition,
                          "attune: where(...): this is a number, not a condition; compare it with "
                          "something");
            return condition;
        } else
            return false;
    }
}

} // namespace detail

/// The parameters of a space and its constraints. Everything it knows is constexpr.
template <class Params, class Constraints>
struct pack;

template <class... Params, class... Constraints>
struct pack<detail::type_list<Params...>, detail::type_list<Constraints...>> {
    using config_type = config<Params...>;
    static constexpr std::size_t size = sizeof...(Params);

    boost::hana::basic_tuple<Params...> parameters;
    boost::hana::basic_tuple<Constraints...> constraints;

    /// The same space with more constraints; all of them must hold.
    template <class... C>
    [[nodiscard]] constexpr auto where(C const&... added) const
    {
        using names = detail::names_of<Params...>;
        constexpr bool good =
            all({true, detail::check_constraint<C>()...}) &&
            all({true, detail::check_reads<names>(typename detail::reads_of<C>::type{})...});
        if constexpr (good)
            return with(lifted(added)...);
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
        return pack<detail::type_list<Params...>, detail::type_list<Constraints..., C...>>{
            parameters, boost::hana::unpack(constraints, [&](Constraints const&... held) {
                return boost::hana::basic_tuple<Constraints..., C...>{held..., added...};
            })};
    }
};

/// The space of all configurations of `params`. Inputs need not be listed.
template <class... P>
[[nodiscard]] constexpr auto space(P const&... params)
{
    static_assert(sizeof...(P) > 0, "attune: space() is empty; list its parameters");
    if constexpr (sizeof...(P) > 0) {
        constexpr bool reported = (std::same_as<P, detail::already_reported> || ...);
        constexpr bool only_parameters = (detail::is_parameter<P> && ...);
        static_assert(only_parameters || reported,
                      "attune: space(...) takes parameters; inputs are found in the constraints");
        if constexpr (only_parameters) {
            constexpr bool unique = detail::check_all_unique<detail::names_of<P...>, P...>();
            if constexpr (unique)
                return pack<detail::type_list<P...>, detail::type_list<>>{
                    boost::hana::basic_tuple<P...>{params...}, {}};
            else
                return detail::already_reported{};
        } else
            return detail::already_reported{};
    } else
        return detail::already_reported{};
}

} // namespace attune
