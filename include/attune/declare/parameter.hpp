// attune/declare/parameter.hpp - a tunable parameter: its type has the name, its value the domain and the condition.
// SPDX-License-Identifier: MIT
// Source   priors: piBO (Hvarfner et al., ICLR 2022); conditions: conditional parameters of SMAC
//          (Hutter et al., LION 2011) and ConfigSpace
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/domain.hpp>
#include <attune/declare/expression/operators.hpp>

#include <array>
#include <concepts>
#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

/// The condition of a parameter that is always active.
struct always {};

/// The conditions of an array, one per element.
template <class Expression, std::size_t N>
struct each_element {
    std::array<Expression, N> of{};
};

/// Returns true if active_if() accepts a `C`: an expression that is true or false.
template <class C>
[[nodiscard]] constexpr bool is_condition()
{
    if constexpr (symbolic<C>)
        return kind_yielded<C> == value_kind::boolean;
    else
        return false;
}

/// True if an expression reads the parameter `Name`.
template <fixed_string Name, class Expression>
inline constexpr bool reads_name = false;
template <fixed_string Name, value_kind K, std::size_t N, class... R>
inline constexpr bool reads_name<Name, expression<K, N, R...>> =
    ((!R::is_input && R::name == Name.view()) || ...);

/// The conjunction of two conditions; one per element if either of them differs between elements.
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

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The prior of a parameter that has none.
struct no_prior {};

/// One positive weight per value, in the order of the values.
template <std::size_t N>
struct weight_prior {
    std::array<double, N> weights{};
};

/// A normal density around `centre`, on the parameter's scale (log2 units on a log scale).
struct normal_prior {
    double centre = 0;
    double deviation = 0;
};

template <class T>
inline constexpr std::size_t element_count = 0;
template <class T, std::size_t N>
inline constexpr std::size_t element_count<std::array<T, N>> = N;

/// True if each value of a domain is an array whose elements have a domain.
template <class Domain>
inline constexpr bool is_array_domain = false;
template <std::size_t N, class Element>
inline constexpr bool is_array_domain<array_domain<N, Element>> = true;

/// True for the domain of a permutation that has more orders than a coordinate has numbers.
template <class Domain>
inline constexpr bool is_long_order = group_size<Domain> > 0 && !is_array_domain<Domain>;

/// The kind of one part of a list.
template <class Domain>
inline constexpr value_kind part_kind = value_kind::integer;
template <std::size_t N, class Element>
inline constexpr value_kind part_kind<array_domain<N, Element>> =
    kind_of<typename Element::value_type>();

} // namespace detail

/// @tparam Name    becomes a macro of the kernel
/// @tparam Domain  its values; has `value_type`
/// @tparam Prior   no_prior, weight_prior<N> or normal_prior
/// @tparam Condition  of active_if(): always, an expression, or one for each element
template <fixed_string Name, class Domain, class Prior = detail::no_prior,
          class Condition = detail::always>
struct parameter : detail::term {
    static constexpr bool names_a_macro = detail::is_identifier(Name.view());
    static_assert(names_a_macro,
                  "attune: a parameter name becomes a macro; use letters, digits and _");
    using domain_type = Domain;
    using value_type = typename Domain::value_type;
    using ref = detail::parameter_ref<Name>;
    using condition_type = Condition;
    static constexpr bool is_conditional = !std::same_as<Condition, detail::always>;
    static constexpr std::string_view name = Name.view();
    static constexpr std::size_t parts = detail::element_count<value_type>;
    static constexpr bool is_numeric = detail::kind_of<value_type>() == value_kind::integer ||
                                       detail::kind_of<value_type>() == value_kind::real;

    Domain domain{};
    Prior belief{};
    scale on = scale::linear;
    bool has_default = false;
    value_type default_value{};
    Condition condition{};

    constexpr explicit parameter(Domain d)
        : domain(d)
    {
    }
    constexpr parameter(Domain d, Prior p, scale s, bool has, value_type v, Condition c)
        : domain(d)
        , belief(p)
        , on(s)
        , has_default(has)
        , default_value(v)
        , condition(c)
    {
    }

    /// The value of the default configuration, which a session evaluates first.
    [[nodiscard]] constexpr parameter with_default(value_type v) const
    {
        if (!domain.may_contain(v))
            throw declaration_error("attune: with_default(v): v is not a value of this parameter");
        parameter out = *this;
        out.has_default = true;
        out.default_value = v;
        return out;
    }

    /// Makes the search compare values by ratio, as fits sizes and rates; powers of two do so
    /// without it.
    [[nodiscard]] constexpr parameter log_scale() const
    {
        static_assert(is_numeric, "attune: log_scale() needs a parameter whose values are numbers");
        parameter out = *this;
        out.on = scale::log;
        if constexpr (requires { domain.low; })
            if (!(domain.low > 0))
                throw declaration_error("attune: log_scale() needs values above zero");
        if constexpr (is_numeric && requires { domain.values; })
            for (value_type const value : domain.values)
                if (!(value > value_type{}))
                    throw declaration_error("attune: log_scale() needs values above zero");
        return out;
    }

    /// Distance between two orders in the search; order_distance::spearman by default.
    [[nodiscard]] constexpr parameter metric(order_distance between) const
    {
        constexpr bool is_order = Domain::kind == parameter_kind::permutation;
        static_assert(is_order, "attune: metric() needs a permutation; it says how orders compare");
        constexpr bool is_table = !detail::is_long_order<Domain>;
        static_assert(is_table, "attune: metric(...): orders of more than 12 items are compared "
                                "digit by digit; leave it out");
        parameter out = *this;
        if constexpr (is_order && is_table) out.domain.metric = between;
        return out;
    }

    /// prior(w1, w2, ...): one positive weight per value, in the order of the values.
    template <std::convertible_to<double>... W>
    [[nodiscard]] constexpr auto prior(W... weights) const
    {
        static_assert(sizeof...(W) > 0, "attune: prior() needs one weight per value");
        constexpr bool is_one = detail::group_size<Domain> == 0;
        static_assert(is_one,
                      "attune: prior(...): a long permutation has too many values to weigh; for an "
                      "array, give the prior to the element: array_of<8>(element.prior(...))");
        for (double const w : {static_cast<double>(weights)...})
            if (!(w > 0)) throw declaration_error("attune: prior(...): a weight must be positive");
        if constexpr (requires { domain.values; })
            if (domain.values.size() != sizeof...(W))
                throw declaration_error("attune: prior(...) needs exactly one weight per value");
        return parameter<Name, Domain, detail::weight_prior<sizeof...(W)>, Condition>{
            domain, {{static_cast<double>(weights)...}}, on, has_default, default_value, condition};
    }

    /// Expects good values around `centre`, within about `deviation` of it.
    [[nodiscard]] constexpr auto prior_near(double centre, double deviation) const
    {
        static_assert(is_numeric,
                      "attune: prior_near() needs a parameter whose values are numbers");
        if (!(deviation > 0))
            throw declaration_error("attune: prior_near(): the deviation must be positive");
        return parameter<Name, Domain, detail::normal_prior, Condition>{
            domain, {centre, deviation}, on, has_default, default_value, condition};
    }

    /// Makes the parameter active only where `when` holds: a condition over inputs and over other
    /// parameters, which may be declared later. Elsewhere the parameter is inactive: it has its
    /// default, or without a default its first value or the middle of its interval. The kernel and
    /// constraints get this value; the search ignores it.
    ///
    /// A comparison that reads an inactive parameter is neither true nor false. So a parameter is
    /// active only where parameters that decide its condition are active. After several calls of
    /// active_if(), all conditions must hold.
    /// Example  packing.active_if(design == "packed")
    template <class C>
    [[nodiscard]] constexpr auto active_if(C const& when) const
    {
        constexpr bool is_truth = detail::is_condition<C>();
        static_assert(is_truth, "attune: active_if(...) takes a condition: a comparison of other "
                                "parameters or inputs, or a boolean parameter");
        if constexpr (is_truth) {
            constexpr bool of_others = !detail::reads_name<Name, decltype(detail::lift(when))>;
            static_assert(of_others, "attune: active_if(...): the condition reads the parameter "
                                     "itself; read other parameters or inputs");
            constexpr bool is_settled = !detail::is_long_order<Domain>;
            static_assert(
                is_settled,
                "attune: active_if(...): a permutation of more than 12 items is always active");
            if constexpr (of_others && is_settled) {
                auto const whole = detail::both(condition, detail::lift(when));
                return parameter<Name, Domain, Prior, std::remove_const_t<decltype(whole)>>{
                    domain, belief, on, has_default, default_value, whole};
            } else
                return *this;
        } else
            return *this;
    }

    /// active_if() for an array: `when(i)` is the condition of element `i`. The conditions may
    /// differ only in constants and in the places of elements that they read.
    /// Example  ways.active_if_each([](std::size_t i) { return sort_by[i] == "merge"; })
    template <class F>
    [[nodiscard]] constexpr auto active_if_each(F const& when) const
    {
        constexpr bool is_array = detail::is_array_domain<Domain>;
        static_assert(is_array, "attune: active_if_each(f) is for arrays; use active_if(...)");
        if constexpr (is_array) {
            using one = decltype(detail::lift(when(std::size_t{})));
            static_assert(detail::is_condition<one>(),
                          "attune: active_if_each(f): f(i) is a condition: a comparison of other "
                          "parameters or inputs");
            constexpr bool of_others = !detail::reads_name<Name, one>;
            static_assert(of_others, "attune: active_if_each(f): the condition reads the array "
                                     "itself; read other parameters or inputs");
            detail::each_element<one, parts> each{};
            for (std::size_t i = 0; i < parts; ++i)
                each.of[i] = detail::lift(when(i));
            auto const whole = detail::both(condition, each);
            return parameter<Name, Domain, Prior, std::remove_const_t<decltype(whole)>>{
                domain, belief, on, has_default, default_value, whole};
        } else
            return *this;
    }

    [[nodiscard]] constexpr auto as_expression() const
    {
        return expression<detail::kind_of<value_type>(), 1, ref>{{{{op::parameter, 0, 0, name}}}};
    }

    /// The item at place `i` of a permutation, the `i`-th factor of a tile, or the `i`-th element
    /// of an array.
    [[nodiscard]] constexpr auto operator[](std::size_t i) const
        requires(parts > 0)
    {
        return part(op::element, i);
    }

    /// The place of item `i` in a permutation.
    [[nodiscard]] constexpr auto position(std::size_t i) const
        requires(Domain::kind == parameter_kind::permutation)
    {
        return part(op::position, i);
    }

private:
    [[nodiscard]] static constexpr auto part(op code, std::size_t i)
    {
        constexpr bool is_read = !detail::is_long_order<Domain>;
        static_assert(is_read, "attune: a permutation of more than 12 items is not read by "
                               "constraints, conditions and features; check it in the kernel");
        if (i >= parts)
            throw declaration_error(
                "attune: p[i], p.position(i): i is not below the number of parts of p");
        return expression<detail::part_kind<Domain>, 1, ref>{
            {{{code, static_cast<std::int64_t>(i), 0, name}}}};
    }
};

namespace detail {

template <class T>
inline constexpr bool is_parameter = false;
template <fixed_string N, class D, class P, class C>
inline constexpr bool is_parameter<parameter<N, D, P, C>> = true;

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
