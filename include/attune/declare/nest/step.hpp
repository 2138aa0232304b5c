// attune/declare/nest/step.hpp - a statement, split into its reductions and the value made of them.
// SPDX-License-Identifier: MIT
// tested by declare/nest/describe.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/operators.hpp>
#include <attune/declare/nest/value.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// target = value, where reduced_value<i> in `value` is the result of reduction i. `Continues`: the
/// only reduction starts with the target's content.
template <class Target, bool Continues, class Value, class... Reductions>
struct nest_step {
    using target_type = Target;
    using value_type = Value;
    using reductions_type = type_list<Reductions...>;
    static constexpr bool continues = Continues;
    /// True if the value is the only reduction, or has no reduction.
    static constexpr bool is_plain =
        sizeof...(Reductions) == 0 || requires(Value v) { typename Value::is_whole; };

    static constexpr std::size_t row_count =
        Target::element_row_count + (Reductions::row_count + ... + Value::row_count) + 1;
    static constexpr std::size_t number_count =
        Target::number_count + (Reductions::number_count + ... + Value::number_count);
    static constexpr void write_rows(nest_row_sink& to)
    {
        constexpr bool is_reduction = is_plain && sizeof...(Reductions) > 0;
        Target::write_element(to);
        (Reductions::write_reduction(to, is_reduction, Continues), ...);
        Value::write_rows(to);
        to.add({.what = nest_row::part::step,
                .type = nest_element<typename Value::value_type>(),
                .is_value = is_reduction});
    }
    constexpr void write_numbers(nest_number_sink& to) const
    {
        write_numbers_of(to, target);
        for_each_part(reductions, [&](auto const& one) { write_numbers_of(to, one); });
        write_numbers_of(to, value);
    }

    Target target;
    Value value;
    value_pack<Reductions...> reductions;
};

/// The value of a step that is its only reduction.
template <class T>
struct whole_reduction : reduced_value<0, T> {
    using is_whole = void;
    static constexpr std::size_t row_count = 0;
    static constexpr void write_rows(nest_row_sink&) {}
};

template <class... L>
[[nodiscard]] consteval auto joined_lists(L...)
{
    return type_list<>{};
}
template <class... A>
[[nodiscard]] consteval auto joined_lists(type_list<A...>)
{
    return type_list<A...>{};
}
template <class... A, class... B, class... More>
[[nodiscard]] consteval auto joined_lists(type_list<A...>, type_list<B...>, More... more)
{
    return joined_lists(type_list<A..., B...>{}, more...);
}

/// Arrays, axes and inputs that a type names, in order, with repetitions.
template <class T>
struct arguments_of_term {
    using type = type_list<>;
};
template <class... T>
struct arguments_of_term<type_list<T...>> {
    using type = decltype(joined_lists(typename arguments_of_term<T>::type{}...));
};
template <class Input>
struct arguments_of_term<input_extent<Input>> {
    using type = type_list<Input>;
};
template <fixed_string Name, class Extent>
struct arguments_of_term<axis_of<Name, Extent>> {
    using type = decltype(joined_lists(type_list<axis_of<Name, Extent>>{},
                                       typename arguments_of_term<Extent>::type{}));
};
template <class... Terms>
struct arguments_of_term<affine_sum<Terms...>>
    : arguments_of_term<type_list<typename Terms::axis...>> {};
template <class Axis, class Input>
struct arguments_of_term<prefix_index<Axis, Input>> : arguments_of_term<type_list<Axis, Input>> {};
template <class Axis>
struct arguments_of_term<prefix_index<Axis, void>> : arguments_of_term<Axis> {};
template <fixed_string Name, class T, array_use Use, bool HasRowStride, class... Extents>
struct arguments_of_term<array_of<Name, T, Use, HasRowStride, Extents...>> {
    using type =
        decltype(joined_lists(type_list<array_of<Name, T, Use, HasRowStride, Extents...>>{},
                              typename arguments_of_term<type_list<Extents...>>::type{}));
};
template <class Array, bool Padded, class... Indices>
struct arguments_of_term<element_of_array<Array, Padded, Indices...>>
    : arguments_of_term<type_list<Array, Indices...>> {};
template <class Index>
struct arguments_of_term<index_as_value<Index>> : arguments_of_term<Index> {};
template <class Input>
struct arguments_of_term<input_as_value<Input>> {
    using type = type_list<Input>;
};
template <nest_op Code, class T, class... Operands>
struct arguments_of_term<nest_operation<Code, T, Operands...>>
    : arguments_of_term<type_list<Operands...>> {};
template <nest_op Code, class T, class L, class R>
struct arguments_of_term<nest_truth<Code, T, L, R>> : arguments_of_term<type_list<L, R>> {};
template <reduction Combine, class Body, class... Axes>
struct arguments_of_term<nest_reduction<Combine, Body, Axes...>>
    : arguments_of_term<type_list<Body, Axes...>> {};
template <class Target, bool Continues, class Value, class... Reductions>
struct arguments_of_term<nest_step<Target, Continues, Value, Reductions...>>
    : arguments_of_term<type_list<Reductions..., Value, Target>> {};
template <class T>
using mentioned = typename arguments_of_term<T>::type;

/// Places in a list, in ascending order.
template <std::size_t N>
struct nest_kept_places {
    std::array<std::size_t, (N == 0 ? 1 : N)> at{};
    std::size_t count = 0;
};

template <auto Kept, class... T>
[[nodiscard]] consteval auto picked(type_list<T...>)
{
    return []<std::size_t... At>(std::index_sequence<At...>) {
        return type_list<std::tuple_element_t<Kept.at[At], std::tuple<T...>>...>{};
    }(std::make_index_sequence<Kept.count>{});
}

struct of_axes {
    template <class T>
    static constexpr bool takes = is_axis<T>;
};
struct of_arrays {
    template <class T>
    static constexpr bool takes = is_nest_array<T>;
};
struct of_inputs {
    template <class T>
    static constexpr bool takes = is_input<T>;
};

/// The types of one kind, each name once, without names of `others`.
template <class Kind, class... T, class... Others>
[[nodiscard]] consteval auto distinct(type_list<T...> all, type_list<Others...>)
{
    constexpr auto kept = [] {
        constexpr std::array<std::string_view, sizeof...(T) + 1> names{T::name..., ""};
        constexpr std::array<bool, sizeof...(T) + 1> wanted{Kind::template takes<T>..., false};
        constexpr std::array<std::string_view, sizeof...(Others) + 1> refused{Others::name..., ""};
        nest_kept_places<sizeof...(T)> out;
        for (std::size_t i = 0; i < sizeof...(T); ++i) {
            bool is_new = wanted[i];
            for (std::size_t k = 0; k < sizeof...(Others); ++k)
                is_new = is_new && refused[k] != names[i];
            for (std::size_t k = 0; k < i; ++k)
                is_new = is_new && !(wanted[k] && names[k] == names[i]);
            if (is_new) out.at[out.count++] = i;
        }
        return out;
    }();
    return picked<kept>(all);
}

/// True if a tree has a reduction.
template <class T>
inline constexpr bool has_reduction = is_nest_reduction<T>;
template <nest_op Code, class T, class... Operands>
inline constexpr bool has_reduction<nest_operation<Code, T, Operands...>> =
    (has_reduction<Operands> || ...);
template <nest_op Code, class T, class L, class R>
inline constexpr bool has_reduction<nest_truth<Code, T, L, R>> =
    has_reduction<L> || has_reduction<R>;

template <class X, class... Found>
[[nodiscard]] constexpr auto split(X const& x, value_pack<Found...> const& found);

/// A tree in which places replace reductions, and the reductions found so far.
template <class X, class... Found>
struct split_tree {
    X value;
    value_pack<Found...> found;
};

/// The place of `R` among the found reductions, or behind them if `R` is new. A type with numbers
/// is new, because the numbers may differ.
template <class R, class... Found>
[[nodiscard]] consteval std::size_t place_among(type_list<Found...>)
{
    constexpr std::array<bool, sizeof...(Found) + 1> same{std::is_same_v<R, Found>..., true};
    std::size_t out = 0;
    while (!same[out])
        ++out;
    return R::number_count > 0 ? sizeof...(Found) : out;
}

template <class X, class... Found>
[[nodiscard]] constexpr auto with_found(X const& value, value_pack<Found...> const& found)
{
    return split_tree<X, Found...>{value, found};
}

template <nest_op Code, class T, class X, class... Found>
[[nodiscard]] constexpr auto split_node(nest_operation<Code, T, X> const& x,
                                        value_pack<Found...> const& found)
{
    auto const a = split(x.first, found);
    return with_found(nest_operation<Code, T, decltype(a.value)>{a.value}, a.found);
}
template <nest_op Code, class T, class L, class R, class... Found>
[[nodiscard]] constexpr auto split_node(nest_operation<Code, T, L, R> const& x,
                                        value_pack<Found...> const& found)
{
    auto const a = split(x.first, found);
    auto const b = split(x.second, a.found);
    return with_found(
        nest_operation<Code, T, decltype(a.value), decltype(b.value)>{a.value, b.value}, b.found);
}
template <nest_op Code, class T, class Truth, class L, class R, class... Found>
[[nodiscard]] constexpr auto split_node(nest_operation<Code, T, Truth, L, R> const& x,
                                        value_pack<Found...> const& found)
{
    auto const a = split(x.first, found);
    auto const b = split(x.second, a.found);
    auto const c = split(x.third, b.found);
    return with_found(
        nest_operation<Code, T, decltype(a.value), decltype(b.value), decltype(c.value)>{
            a.value, b.value, c.value},
        c.found);
}
template <nest_op Code, class T, class L, class R, class... Found>
[[nodiscard]] constexpr auto split_node(nest_truth<Code, T, L, R> const& x,
                                        value_pack<Found...> const& found)
{
    auto const a = split(x.first, found);
    auto const b = split(x.second, a.found);
    return with_found(nest_truth<Code, T, decltype(a.value), decltype(b.value)>{a.value, b.value},
                      b.found);
}

template <class X, class... Found>
[[nodiscard]] constexpr auto split(X const& x, value_pack<Found...> const& found)
{
    if constexpr (!has_reduction<X>) {
        return with_found(x, found);
    } else if constexpr (is_nest_reduction<X>) {
        constexpr std::size_t place = place_among<X>(type_list<Found...>{});
        using stands = reduced_value<place, typename X::value_type>;
        if constexpr (place < sizeof...(Found))
            return with_found(stands{}, found);
        else
            return with_found(stands{}, appended(found, x));
    } else
        return split_node(x, found);
}

/// The reduction of value over `Axes`, which the target's index does not have.
template <reduction Combine, class Value, class... Axes>
[[nodiscard]] constexpr auto reduce_over(Value const& value, type_list<Axes...>)
{
    return nest_reduction<Combine, Value, Axes...>{value};
}

template <write_kind Kind, class Target, class Value>
[[nodiscard]] constexpr auto make_step(nest_assignment<Kind, Target, Value> const& written)
{
    auto const whole = [&]<bool Continues, class R>(std::bool_constant<Continues>, R const& r) {
        return nest_step<Target, Continues, whole_reduction<typename R::value_type>, R>{
            written.target, {}, {{{r}}}};
    };
    if constexpr (Kind == write_kind::store && is_nest_reduction<Value>) {
        return whole(std::false_type{}, written.value);
    } else if constexpr (Kind == write_kind::store) {
        auto const parts = split(written.value, value_pack<>{});
        return [&]<class X, class... Found>(split_tree<X, Found...> const& of) {
            return nest_step<Target, false, X, Found...>{written.target, of.value, of.found};
        }(parts);
    } else {
        constexpr reduction combine = Kind == write_kind::add ? reduction::sum : reduction::product;
        if constexpr (is_nest_reduction<Value>) {
            constexpr bool same = Value::combine == combine;
            static_assert(same, "attune: += continues a sum, and *= a product: write C[i] += "
                                "attune::sum(k)(...), or write another reduction to a temporary");
            return whole(std::true_type{}, written.value);
        } else {
            auto const free = distinct<of_axes>(mentioned<Value>{}, mentioned<Target>{});
            return whole(std::true_type{}, reduce_over<combine>(written.value, free));
        }
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
