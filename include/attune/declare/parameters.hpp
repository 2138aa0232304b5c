// attune/declare/parameters.hpp - one factory per kind of parameter; one configuration, read by parameter.
// SPDX-License-Identifier: MIT
// Source   kinds: BaCO Sec. 3.1; tile: SamplePerfectTile of TVM's MetaSchedule
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/parameter.hpp>

#include <boost/hana/at.hpp>
#include <boost/hana/basic_tuple.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

template <class T>
inline constexpr bool is_ordinal_domain = requires { requires T::kind == parameter_kind::ordinal; };

template <class T, std::size_t N>
constexpr void check_ascending(list_domain<parameter_kind::ordinal, T, N> const& d)
{
    for (std::size_t i = 1; i < N; ++i)
        if (!(d.values[i - 1] < d.values[i]))
            throw declaration_error("attune: an ordinal must ascend; sort it or use categorical");
}
template <class T, class... R>
constexpr void check_ascending(range_domain<parameter_kind::ordinal, T, R...> const&)
{
}

template <class T, std::size_t N>
constexpr void check_distinct(list_domain<parameter_kind::categorical, T, N> const& d)
{
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (d.values[i] == d.values[j])
                throw declaration_error("attune: a categorical lists the same value twice");
}

/// The result of a factory whose static_assert failed. Its functions report no further error.
struct already_reported {
    template <class... C>
    [[nodiscard]] constexpr already_reported where(C const&...) const
    {
        return {};
    }
    template <class... F>
    [[nodiscard]] constexpr already_reported features(F const&...) const
    {
        return {};
    }
};

/// True if array_of() accepts an `E`: its value has one coordinate, and is a macro.
template <class E>
inline constexpr bool is_element = false;
template <fixed_string Name, class Domain, class Prior, class Condition>
inline constexpr bool is_element<parameter<Name, Domain, Prior, Condition>> =
    kind_of<typename Domain::value_type>() != value_kind::list && !requires { Domain::role; };

/// Refuses texts with commas, which separate texts.
template <std::size_t N>
constexpr void check_separable(list_domain<parameter_kind::categorical, std::string_view, N> d)
{
    for (std::string_view const text : d.values)
        if (text.find(',') != std::string_view::npos)
            throw declaration_error("attune: array_of<N>(x): a text of x has a comma");
}
template <class Domain>
constexpr void check_separable(Domain const&)
{
}

template <std::size_t N, fixed_string Name, class Domain, class Prior, class Condition>
[[nodiscard]] constexpr auto make_array(parameter<Name, Domain, Prior, Condition> const& element)
{
    check_separable(element.domain);
    using array = array_domain<N, Domain>;
    typename array::value_type all{};
    for (auto& value : all)
        value = element.default_value;
    return parameter<Name, array, Prior, Condition>{
        array{element.domain}, element.belief, element.on, element.has_default, all,
        element.condition};
}

} // namespace detail

/// Numbers in ascending order: values(1, 2, 4), range(8, 64, 8), powers_of_two(8, 256),
/// divisors_of(n). The search compares powers of two by ratio, other numbers by difference.
template <fixed_string Name, class Domain>
[[nodiscard]] constexpr auto ordinal(Domain domain)
{
    constexpr bool is_domain = detail::is_ordinal_domain<Domain>;
    static_assert(is_domain, "attune: ordinal<\"X\">(...) takes values(...), range(...), "
                             "powers_of_two(...) or divisors_of(...)");
    if constexpr (is_domain) {
        detail::check_ascending(domain);
        parameter<Name, Domain> out{domain};
        if constexpr (requires { domain.steps; })
            if (domain.steps != progression::linear) out.on = scale::log;
        return out;
    } else
        return detail::already_reported{};
}

/// Every whole number from `low` to `high`, which may be an input.
template <fixed_string Name, std::integral T, class High>
[[nodiscard]] constexpr auto integer(T low, High const& high)
{
    auto const domain = detail::make_range<parameter_kind::integer>(progression::linear, low, 1,
                                                                    detail::as_bound(high));
    return parameter<Name, std::remove_const_t<decltype(domain)>>{domain};
}

/// Every number from `low` to `high`.
template <fixed_string Name>
[[nodiscard]] constexpr auto real(double low, double high)
{
    if (!(low < high)) throw declaration_error("attune: the interval of a real is empty");
    return parameter<Name, detail::real_domain>{detail::real_domain{low, high}};
}

/// Choices without order: whole numbers, strings or values of one enum.
template <fixed_string Name, class... T>
[[nodiscard]] constexpr auto categorical(T const&... choices)
{
    static_assert(sizeof...(T) > 0,
                  "attune: categorical<\"X\">() is empty; a parameter needs a value");
    if constexpr (sizeof...(T) == 0)
        return detail::already_reported{};
    else {
        using first = std::decay_t<typename detail::first_of<T...>::type>;
        constexpr bool texts = detail::all({std::convertible_to<T const&, std::string_view>...});
        constexpr bool numbers =
            detail::all({std::same_as<T, first>...}) &&
            ((std::integral<first> && !std::same_as<first, bool>) || std::is_enum_v<first>);
        constexpr bool one_kind = texts || numbers;
        static_assert(
            one_kind,
            "attune: categorical<\"X\">(...) takes strings, whole numbers or values of one enum");
        if constexpr (texts) {
            using choices_domain =
                detail::list_domain<parameter_kind::categorical, std::string_view, sizeof...(T)>;
            choices_domain const d{{{std::string_view{choices}...}}};
            detail::check_distinct(d);
            return parameter<Name, choices_domain>{d};
        } else if constexpr (numbers) {
            using choices_domain =
                detail::list_domain<parameter_kind::categorical, first, sizeof...(T)>;
            choices_domain const d{{{choices...}}};
            detail::check_distinct(d);
            return parameter<Name, choices_domain>{d};
        } else
            return detail::already_reported{};
    }
}

namespace detail {

template <fixed_string Name, parameter_role Role, class... T>
[[nodiscard]] constexpr auto texts_of(T const&... choices)
{
    constexpr bool texts = all({std::convertible_to<T const&, std::string_view>...});
    constexpr bool any = sizeof...(T) > 0;
    static_assert(any && texts,
                  "attune: flags<\"X\">(...) and compilers<\"X\">(...) take one text or more");
    if constexpr (any && texts) {
        using text_list = text_domain<Role, sizeof...(T)>;
        text_list const d{{{{std::string_view{choices}...}}}};
        check_distinct(d);
        return parameter<Name, text_list>{d}.with_default(d.values[0]);
    } else
        return already_reported{};
}

} // namespace detail

/// Flags for the compiler, one text per choice: flags<"FLAGS">("-O3", "-O2 -funroll-loops"). The
/// compiler gets them after its other flags. The parameter is no macro, and the kernel file does
/// not name it. The first choice is the default unless with_default() gives another.
template <fixed_string Name, class... T>
[[nodiscard]] constexpr auto flags(T const&... choices)
{
    return detail::texts_of<Name, parameter_role::flags>(choices...);
}

/// The names of compilers of an attune::compiler_choice. The kernel file does not name the
/// parameter, and the first choice is the default, as for flags().
template <fixed_string Name, class... T>
[[nodiscard]] constexpr auto compilers(T const&... names)
{
    return detail::texts_of<Name, parameter_role::compiler>(names...);
}

/// The values false and true.
template <fixed_string Name>
[[nodiscard]] constexpr auto boolean()
{
    return parameter<Name, detail::boolean_domain>{detail::boolean_domain{}};
}

/// Every order of the items 0 .. N - 1, at most 1,024. Constraints may read orders of up to 12
/// items.
template <fixed_string Name, std::size_t N>
[[nodiscard]] constexpr auto permutation()
{
    constexpr bool countable = N >= 1 && N <= detail::max_group_parts;
    static_assert(countable, "attune: permutation<\"X\", N> needs 1 <= N <= 1024");
    return parameter<Name, detail::permutation_domain<N>>{detail::permutation_domain<N>{}};
}

/// Every way to write `extent`, which may be an input, as an ordered product of N factors.
template <fixed_string Name, std::size_t N, class Extent>
[[nodiscard]] constexpr auto tile(Extent const& extent)
{
    static_assert(N >= 1, "attune: tile<\"X\", N> needs at least one factor");
    auto const wrap = []<class... R>(detail::bound<R...> e) {
        return detail::tile_domain<N, R...>{e};
    };
    auto const domain = wrap(detail::as_bound(extent));
    if (domain.extent.is_known() && domain.extent.value < 1)
        throw declaration_error("attune: the extent of a tile must be positive");
    return parameter<Name, std::remove_const_t<decltype(domain)>>{domain};
}

/// N values of one kind under one name, at most 1,024. The value is a std::array, and the macro is
/// "{1, 4, 2}". All elements have the domain, scale, prior, default and condition of `element`.
/// Example  constexpr auto cut = attune::array_of<8>(attune::integer<"CUT">(0, n));
///          space(cut).where(cut[0] <= cut[1])
template <std::size_t N, class Element>
[[nodiscard]] constexpr auto array_of(Element const& element)
{
    constexpr bool is_element = detail::is_element<Element>;
    static_assert(is_element || std::same_as<Element, detail::already_reported>,
                  "attune: array_of<N>(x): x is a parameter whose values are numbers, texts or "
                  "booleans, as in array_of<8>(integer<\"X\">(0, 9))");
    constexpr bool countable = N >= 1 && N <= detail::max_group_parts;
    static_assert(countable, "attune: array_of<N>(x) needs 1 <= N <= 1024");
    if constexpr (is_element && countable)
        return detail::make_array<N>(element);
    else
        return detail::already_reported{};
}

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
