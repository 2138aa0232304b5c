// attune/declare/lower.hpp - converts the typed pack to a description.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/decode.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/pack.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

template <class... R>
[[nodiscard]] std::uint32_t lower_bound_node(description& space, bound<R...> const& b)
{
    if (b.is_known()) return intern_node(space, {.code = op::integer, .integer = b.value});
    return intern_node(
        space, {.code = op::input, .subject = intern_input(space, b.input, value_kind::integer)});
}

template <parameter_kind K, class T, class... R>
void lower_domain(description& space, parameter_description& out,
                  range_domain<K, T, R...> const& range)
{
    out.rule = {range.steps, range.low, range.step, lower_bound_node(space, range.high)};
}
template <parameter_kind K, class T, std::size_t N>
void lower_domain(description&, parameter_description& out, list_domain<K, T, N> const& list)
{
    for (T const& v : list.values) {
        if constexpr (std::same_as<T, std::string_view>)
            out.labels.emplace_back(v);
        else if constexpr (std::floating_point<T>)
            out.reals.push_back(static_cast<double>(v));
        else
            out.integers.push_back(static_cast<std::int64_t>(v));
    }
}
inline void lower_domain(description&, parameter_description& out, real_domain const& interval)
{
    out.low = interval.low;
    out.high = interval.high;
}
inline void lower_domain(description&, parameter_description&, boolean_domain const&) {}
template <std::size_t N>
void lower_domain(description&, parameter_description& out, permutation_domain<N> const& order)
{
    out.parts = N;
    out.metric = order.metric;
}
template <std::size_t N, class... R>
void lower_domain(description& space, parameter_description& out, tile_domain<N, R...> const& tile)
{
    out.parts = N;
    out.rule.bound_node = lower_bound_node(space, tile.extent);
}

inline void lower_prior(prior_description&, no_prior const&) {}
template <std::size_t N>
void lower_prior(prior_description& out, weight_prior<N> const& prior)
{
    out.weights.assign(prior.weights.begin(), prior.weights.end());
}
inline void lower_prior(prior_description& out, normal_prior const& prior)
{
    out.centre = prior.centre;
    out.deviation = prior.deviation;
}

template <class P>
[[nodiscard]] parameter_description lower_parameter(description& space, P const& parameter)
{
    parameter_description out;
    out.name = std::string(P::name);
    out.kind = P::domain_type::kind;
    out.type = kind_of<typename P::value_type>();
    out.on = parameter.on;
    if constexpr (requires { P::domain_type::role; }) out.role = P::domain_type::role;
    lower_domain(space, out, parameter.domain);
    lower_prior(out.prior, parameter.belief);
    if constexpr (requires { P::domain_type::selected; })
        space.selectors.push_back({static_cast<std::uint32_t>(space.parameters.size()),
                                   P::domain_type::ranges, P::domain_type::selected});
    if (parameter.has_default) out.default_text = text_of_value(parameter.default_value);
    return out;
}

/// Appends the elements of an array, which differ only in names, defaults and conditions.
template <class P, std::size_t N, class Element>
void lower_group(description& space, P const& parameter, array_domain<N, Element> const& array)
{
    parameter_description one;
    one.kind = Element::kind;
    one.type = kind_of<typename Element::value_type>();
    one.on = parameter.on;
    lower_domain(space, one, array.element);
    lower_prior(one.prior, parameter.belief);
    std::size_t const first = space.parameters.size();
    append_elements(space, P::name, one, N);
    for (std::size_t i = 0; parameter.has_default && i < N; ++i)
        space.parameters[first + i].default_text = text_of_value(parameter.default_value[i]);
}
/// Appends the digits of a long permutation.
template <class P, std::size_t N>
void lower_group(description& space, P const& parameter, permutation_domain<N> const&)
{
    auto const& order = parameter.default_value;
    append_digits(space, P::name, N);
    if (parameter.has_default) set_default_order(space, order.data());
}

/// Appends the parts of `parameter`: one parameter of the description, or a group.
template <class P>
void lower_parameters(description& space, P const& parameter)
{
    using domain_type = typename P::domain_type;
    if constexpr (group_size<domain_type> == 0) {
        space.parameters.push_back(lower_parameter(space, parameter));
    } else {
        lower_group(space, parameter, parameter.domain);
    }
}

/// The code of the condition of element `i`.
template <class Condition>
[[nodiscard]] auto const& code_of_element(Condition const& condition, std::size_t)
{
    return condition.code;
}
template <class Expression, std::size_t N>
[[nodiscard]] auto const& code_of_element(each_element<Expression, N> const& condition,
                                          std::size_t i)
{
    return condition.of[i].code;
}

/// Adds the condition that active_if() gave to parameter `index`.
/// @pre  `space` has all parameters
template <class P>
void lower_condition(description& space, std::size_t index, P const& parameter)
{
    if constexpr (P::is_conditional)
        for (std::size_t i = 0; i < coordinate_count<P>; ++i) {
            constraint_description made =
                lower_code(space, code_of_element(parameter.condition, i));
            space.parameters[index + i].active.root = made.root;
            space.parameters[index + i].active.text = std::move(made.text);
        }
}

template <value_kind K, std::size_t N, class... R>
[[nodiscard]] constraint_description lower_constraint(description& space,
                                                      expression<K, N, R...> const& formula)
{
    return lower_code(space, formula.code);
}
template <class F, class... P>
[[nodiscard]] constraint_description lower_constraint(description& space,
                                                      opaque_constraint<F, P...> const& opaque)
{
    constraint_description out;
    auto const add = [&](std::string_view name, std::size_t count) {
        std::uint32_t const group = count > 0 ? space.find_group(name) : no_index;
        std::uint32_t i =
            group == no_index ? space.find_parameter(name) : space.groups[group].first;
        for (std::size_t left = count > 0 ? count : 1; left > 0; --left)
            out.scope.push_back(i++);
        out.text += (out.text.empty() ? "predicate(" : ", ") + std::string(name);
    };
    (add(P::name, group_size<typename P::domain_type>), ...);
    out.text += ")";
    out.test = [test = opaque.test, scope = out.scope](description const& self,
                                                       std::span<coordinate const> at) -> bool {
        return [&]<std::size_t... Is>(std::index_sequence<Is...>) -> bool {
            constexpr auto first = first_parameters<P...>(); // indices of parameters
            return test(value_in<P>(self, scope[first[Is]], at.data() + first[Is])...);
        }(std::index_sequence_for<P...>{});
    };
    return out;
}

template <value_kind K, std::size_t N, class... R>
[[nodiscard]] feature_description lower_feature(description& space,
                                                expression<K, N, R...> const& formula)
{
    constraint_description lowered = lower_code(space, formula.code);
    return {lowered.root, std::move(lowered.text)};
}

/// A formula that is no part of a space, such as the work of a kernel, as a node of its
/// description.
struct lowered_formula {
    std::uint32_t root = no_index;
    std::string text; ///< as the user would write it
};

/// Returns true if lower_formula() accepts `E`: a number, or an expression of a number.
template <class E>
[[nodiscard]] constexpr bool is_number_formula()
{
    if constexpr (symbolic<E> || std::is_arithmetic_v<E>)
        return is_number(kind_yielded<E>);
    else
        return false;
}

/// Adds the nodes of a formula over the parameters of `space`, and the inputs that it names.
/// @param formula  an expression, a parameter, an input or a number
/// @param what     owner of the formula in the error text: "kernel.work(...)"
/// Errors   attune::error: the formula reads a parameter that is not in `space`
template <class E>
[[nodiscard]] lowered_formula lower_formula(description& space, E const& formula,
                                            std::string_view what)
{
    auto const lifted = lift(formula);
    require_declared(space, lifted.code, what);
    constraint_description lowered = lower_code(space, lifted.code);
    return {lowered.root, std::move(lowered.text)};
}

} // namespace detail

/// The run-time form of a typed space. Its tables are empty until bind_inputs().
template <class... P, class... C, class... F>
[[nodiscard]] description
lower(pack<detail::type_list<P...>, detail::type_list<C...>, detail::type_list<F...>> const& typed)
{
    description out;
    boost::hana::unpack(typed.parameters, [&](P const&... p) {
        (detail::lower_parameters(out, p), ...);
        if constexpr ((P::is_conditional || ...)) {
            std::size_t index = 0;
            (detail::lower_condition(out, std::exchange(index, index + detail::coordinate_count<P>),
                                     p),
             ...);
        }
    });
    boost::hana::unpack(typed.constraints, [&](C const&... c) {
        (out.constraints.push_back(detail::lower_constraint(out, c)), ...);
    });
    boost::hana::unpack(typed.formulas, [&](F const&... f) {
        (out.features.push_back(detail::lower_feature(out, f)), ...);
    });
    return out;
}

} // namespace attune::inline ATTUNE_ABI
