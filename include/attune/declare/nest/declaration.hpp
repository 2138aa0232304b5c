// attune/declare/nest/declaration.hpp - a whole program: its types, and its plain loops.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
#pragma once

#include <attune/core/matrix_view.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/evaluate.hpp>
#include <attune/declare/nest/nest_refusal.hpp>
#include <attune/declare/nest/outline.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Where an index may go: least and largest value.
struct index_range {
    std::int64_t least = 0;
    std::int64_t largest = 0;
};

template <class List>
struct values_of_inputs;
template <class... Input>
struct values_of_inputs<type_list<Input...>> {
    using type = std::tuple<typename Input::value_type...>;
};

/// The type of an argument.
template <class T, nest_role Role>
struct argument_for {
    using type = typename T::value_type; // of an input
};
template <fixed_string Name, class T, bool HasRowStride, class... Extents, nest_role Role>
struct argument_for<array_of<Name, T, false, HasRowStride, Extents...>, Role> {
    using element = std::conditional_t<Role == nest_role::read, T const, T>;
    using type = std::conditional_t<HasRowStride, matrix_view<element>, std::span<element>>;
};

template <class List>
struct signature_of_list;
template <class... T>
struct signature_of_list<type_list<T...>> {
    using type = void(T...);
};

/// @tparam Order  type_list of arrays and inputs, the arguments of a call in their order; empty:
///                arrays that are only read, the others, inputs, each in order of mention
template <fixed_string Name, class Order, class... Steps>
class nest_declaration {
public:
    using types = nest_types<Steps...>;
    using input_values = typename values_of_inputs<typename types::inputs>::type;
    static constexpr std::string_view name = Name.view();
    static constexpr nest_outline<types> outline =
        nest_outline<types>::of(Name.view(), type_list<Steps...>{});

private:
    static constexpr std::size_t arrays = outline.array_count;
    static constexpr std::size_t inputs = outline.input_count;
    using all_types = decltype(joined_lists(typename types::arrays{}, typename types::inputs{}));

    [[nodiscard]] static consteval nest_kept_places<arrays + inputs> usual_order()
    {
        nest_kept_places<arrays + inputs> out;
        for (bool const read : {true, false})
            for (std::size_t i = 0; i < arrays; ++i)
                if (!outline.arrays[i].is_temporary &&
                    (outline.arrays[i].role() == nest_role::read) == read)
                    out.at[out.count++] = i;
        for (std::size_t i = 0; i < inputs; ++i)
            out.at[out.count++] = arrays + i;
        return out;
    }
    template <class... T>
    [[nodiscard]] static consteval nest_kept_places<arrays + inputs> order_of(type_list<T...>)
    {
        if constexpr (sizeof...(T) == 0) {
            return usual_order();
        } else {
            nest_kept_places<arrays + inputs> out;
            for (std::string_view const wanted : {T::name...})
                for (std::size_t i = 0; i < arrays + inputs; ++i) {
                    bool const is_it = i < arrays ? outline.arrays[i].name == wanted &&
                                                        !outline.arrays[i].is_temporary
                                                  : outline.inputs[i - arrays].name == wanted;
                    bool is_new = true;
                    for (std::size_t k = 0; k < out.count; ++k)
                        is_new = is_new && out.at[k] != i;
                    if (is_it && is_new) out.at[out.count++] = i;
                }
            return out;
        }
    }

public:
    /// Which array, or `array_count` + which input, each argument is.
    static constexpr nest_kept_places<arrays + inputs> order = order_of(Order{});
    static constexpr bool order_is_whole =
        order.count == usual_order().count &&
        (length_of<Order> == 0 || length_of<Order> == order.count);
    using arguments = decltype(picked<order>(all_types{}));

private:
    template <class T>
    [[nodiscard]] static consteval nest_role role_of()
    {
        if constexpr (is_nest_array<T>)
            return outline.arrays[outline.array(T::name)].role();
        else
            return nest_role::read;
    }
    template <class... T>
    static type_list<typename argument_for<T, role_of<T>()>::type...> types_of(type_list<T...>);

public:
    using argument_types = decltype(types_of(arguments{}));
    /// void(std::span<float const>, std::span<float>, int)
    using signature = typename signature_of_list<argument_types>::type;

    constexpr explicit nest_declaration(Steps const&... of)
        : steps_(of...)
    {
    }

    [[nodiscard]] constexpr std::tuple<Steps...> const& steps() const noexcept { return steps_; }

    /// Whether an index leaves an array of constant extents, along axes of constant extents.
    [[nodiscard]] constexpr bool leaves_an_array() const
    {
        bool out = false;
        see_elements([&](auto const& element) { out = out || leaves(element); });
        return out;
    }

    /// Calls `see` with each element that the program reads or writes.
    template <class See>
    constexpr void see_elements(See const& see) const
    {
        std::apply([&](Steps const&... step) { (see_step(step, see), ...); }, steps_);
    }

    /// The plain nest.
    /// Errors   attune::error: an array does not have the extents that the declaration says, or an
    ///          index leaves it
    template <class... Args>
    void operator()(Args const&... given) const
    {
        nest_call<nest_declaration> call;
        std::array<std::int64_t, sizeof...(Args)> const sizes{size_of(given)...};
        take(call, std::index_sequence_for<Args...>{}, given...);
        check(call, sizes);
        check_views(std::index_sequence_for<Args...>{}, call, given...);
        std::array<std::unique_ptr<std::byte[]>, arrays> held;
        for (std::size_t i = 0; i < arrays; ++i)
            if (outline.arrays[i].is_temporary) {
                held[i].reset(new std::byte[static_cast<std::size_t>(
                    call.elements(outline.arrays[i]) *
                    static_cast<std::int64_t>(element_bytes(outline.arrays[i].element)))]);
                call.data[i] = held[i].get();
            }
        nest_evaluator<nest_declaration> const evaluator(call);
        std::apply([&](Steps const&... step) { (evaluator.run(step), ...); }, steps_);
    }

private:
    template <class T>
    [[nodiscard]] static std::int64_t size_of(T const& given)
    {
        if constexpr (std::is_arithmetic_v<T>)
            return 0;
        else if constexpr (requires { given.rows(); })
            return static_cast<std::int64_t>(given.rows() * given.columns());
        else
            return static_cast<std::int64_t>(given.size());
    }
    template <std::size_t... Place, class... Args>
    static void
    take(nest_call<nest_declaration>& call, std::index_sequence<Place...>, Args const&... all)
    {
        auto const one = [&]<std::size_t At, class T>(std::integral_constant<std::size_t, At>,
                                                      T const& given) {
            constexpr std::size_t which = order.at[At];
            if constexpr (which >= arrays) {
                std::get<which - arrays>(call.inputs) = given;
            } else {
                call.data[which] = given.data();
                if constexpr (requires { given.row_stride(); })
                    call.row_stride[which] = static_cast<std::int64_t>(given.row_stride());
            }
        };
        (one(std::integral_constant<std::size_t, Place>{}, all), ...);
    }

    void check(nest_call<nest_declaration> const& call, std::span<std::int64_t const> sizes) const
    {
        for (std::size_t i = 0; i < outline.axis_count; ++i) {
            outline_extent const of = outline.axes[i].extent;
            if (of.is_constant() || call.extent(of) >= 0) continue;
            for (std::size_t n = 0; n < inputs; ++n)
                if (static_cast<std::int64_t>(n) == of.value)
                    refuse_extent(name, outline.inputs[n].name, call.extent(of));
        }
        for (std::size_t a = 0; a < order.count; ++a)
            if (std::size_t const which = order.at[a]; which < arrays)
                if (std::int64_t const wanted = call.elements(outline.arrays[which]);
                    wanted != sizes[a])
                    refuse_size(name, outline.arrays[which].name, sizes[a], wanted);
        see_elements([&](auto const& element) { check_element(call, element); });
    }
    template <std::size_t... Place, class... Args>
    static void check_views(std::index_sequence<Place...>,
                            nest_call<nest_declaration> const& call,
                            Args const&... all)
    {
        auto const one = [&](std::size_t at, auto const& given) {
            if constexpr (requires { given.rows(); }) {
                outline_array const& of = outline.arrays[order.at[at]];
                auto const rows = static_cast<std::int64_t>(given.rows());
                if (rows != call.extent(of.extents[0]))
                    refuse_size(name, of.name, rows, call.extent(of.extents[0]));
            }
        };
        (one(Place, all), ...);
    }

    template <class Target, bool Continues, class Value, class... R, class See>
    static constexpr void see_step(nest_step<Target, Continues, Value, R...> const& step,
                                   See const& see)
    {
        see(step.target);
        std::apply([&](R const&... one) { (see_in(one.body, see), ...); }, step.reductions);
        see_in(step.value, see);
    }
    template <class X, class See>
    static constexpr void see_in(X const& x, See const& see)
    {
        if constexpr (requires { typename X::array; })
            see(x);
        else if constexpr (requires { x.operands; })
            std::apply([&](auto const&... each) { (see_in(each, see), ...); }, x.operands);
    }

    /// @param extent  of an axis; nothing where it is 0
    template <class Index, class Extent>
    [[nodiscard]] static constexpr index_range range_of(Index const& index, Extent const& extent)
    {
        auto const sum = as_affine(index);
        index_range out{sum.offset, sum.offset};
        outline_list<outline.axis_count, std::int64_t> factors{}; // an axis may be there twice
        std::apply(
            [&]<class... T>(T const&... term) {
                ((factors[outline.axis(T::axis::name)] += term.factor), ...);
            },
            sum.terms);
        for (std::size_t i = 0; i < outline.axis_count; ++i)
            if (factors[i] != 0)
                (factors[i] < 0 ? out.least : out.largest) +=
                    factors[i] * (extent(outline.axes[i].name) - 1);
        return out;
    }
    template <class Index>
    [[nodiscard]] static constexpr bool is_constant_index(Index const& index)
    {
        return std::apply(
            []<class... T>(T const&...) {
                return (outline.axes[outline.axis(T::axis::name)].extent.is_constant() && ...);
            },
            as_affine(index).terms);
    }

    template <class Array, bool Padded, class... Index>
    [[nodiscard]] static constexpr bool leaves(element_of_array<Array, Padded, Index...> const& of)
    {
        if constexpr (Padded) return false;
        bool out = false;
        std::size_t d = 0;
        auto const see = [&](auto const& index) {
            outline_extent const extent = outline.arrays[outline.array(Array::name)].extents[d++];
            if (!extent.is_constant() || !is_constant_index(index)) return;
            index_range const range = range_of(index, [](std::string_view axis) {
                return outline.axes[outline.axis(axis)].extent.value;
            });
            out = out || range.least < 0 || range.largest >= extent.value;
        };
        std::apply([&](Index const&... each) { (see(each), ...); }, of.at);
        return out;
    }

    template <class Array, bool Padded, class... Index>
    static void check_element(nest_call<nest_declaration> const& call,
                              element_of_array<Array, Padded, Index...> const& of)
    {
        if constexpr (!Padded) {
            auto const extent = [&](std::string_view axis) {
                return call.extent(outline.axes[outline.axis(axis)].extent);
            };
            bool runs = true;
            std::size_t d = 0;
            auto const runs_all = [&](auto const& index) {
                std::apply([&]<class... T>(
                               T const&...) { ((runs = runs && extent(T::axis::name) > 0), ...); },
                           as_affine(index).terms);
            };
            auto const see = [&](auto const& index) {
                std::int64_t const n =
                    call.extent(outline.arrays[outline.array(Array::name)].extents[d++]);
                index_range const range = range_of(index, extent);
                if (range.least < 0 || range.largest >= n)
                    refuse_index(
                        name, Array::name, d, range.least < 0 ? range.least : range.largest, n);
            };
            std::apply(
                [&](Index const&... each) {
                    (runs_all(each), ...);
                    if (runs) (see(each), ...);
                },
                of.at);
        }
    }

    std::tuple<Steps...> steps_;
};

template <class T>
inline constexpr bool is_nest_assignment = false;
template <write_kind Kind, class Target, class Value>
inline constexpr bool is_nest_assignment<nest_assignment<Kind, Target, Value>> = true;

/// One sentence, and only one, for what is wrong with the types.
template <class Declaration>
[[nodiscard]] consteval bool check_declaration()
{
    constexpr nest_fault fault = Declaration::outline.fault;
    static_assert(fault != nest_fault::too_large,
                  "attune: nest: a program has at most 64 arrays, 64 axes and 255 elements");
    static_assert(
        fault != nest_fault::same_name,
        "attune: nest: the program, its arrays, axes and inputs have a name each, and two "
        "of them are the same");
    static_assert(fault != nest_fault::reserved_name,
                  "attune: nest: a name is a word of C++, or begins with _; the generated code "
                  "cannot use it");
    static_assert(
        fault != nest_fault::other_shape,
        "attune: nest: two arrays, two axes or two inputs of one name have other types or "
        "extents");
    static_assert(fault != nest_fault::target_of_no_axes,
                  "attune: nest: what a statement writes has one index for each dimension, each of "
                  "them another axis: C[i][j] = ...; read with indices such as 2 * i + r instead");
    static_assert(fault != nest_fault::free_axis,
                  "attune: nest: an axis of the value is no index of what is written; reduce over "
                  "it, as by attune::sum(k)(...) or +=");
    static_assert(fault != nest_fault::reduced_target,
                  "attune: nest: a reduction is over an axis that is an index of what is written");
    static_assert(fault != nest_fault::nested_reduction,
                  "attune: nest: a reduction is inside another one; write the inner one to an "
                  "attune::temporary first");
    static_assert(fault != nest_fault::partial_reduction,
                  "attune: nest: a reduction inside a formula is the same for several elements of "
                  "what is written; write it to an attune::temporary first, once for each");
    static_assert(fault != nest_fault::written_twice,
                  "attune: nest: two statements write one array; write an attune::temporary first");
    static_assert(fault != nest_fault::read_before_written,
                  "attune: nest: a temporary is read, or continued by +=, before a statement has "
                  "written it");
    static_assert(fault != nest_fault::read_and_written,
                  "attune: nest: an array is written by a statement that reads it, or by a later "
                  "one; write another array, or continue it by +=");
    static_assert(fault != nest_fault::no_result,
                  "attune: nest: the statements write temporaries alone, which nobody sees");
    static_assert(fault != nest_fault::unknown_extent,
                  "attune: nest: an axis is no index of an array by itself, so that its extent is "
                  "not known; declare it: attune::axis<\"r\", 3>()");
    static_assert(fault != nest_fault::extents_differ,
                  "attune: nest: an axis is an index of two arrays with other extents there; "
                  "shapes do not fit, or the axis needs its own: attune::axis<\"i\", 62>()");
    static_assert(fault != nest_fault::target_not_whole,
                  "attune: nest: an axis has an extent of its own that is not that of the array "
                  "which is written; a statement writes all elements");
    if constexpr (fault == nest_fault::none) {
        constexpr bool whole = Declaration::order_is_whole;
        static_assert(whole,
                      "attune: nest: with_arguments(...) names each array that is no temporary and "
                      "each input once");
        return whole;
    } else
        return false;
}

/// Stands for a program that is wrong, so that there is one error.
struct no_declaration {};

/// A program of `statements`. In a constant expression, so that what is wrong does not compile.
template <fixed_string Name, class Order = type_list<>, class... Statements>
[[nodiscard]] consteval auto declare_nest(Statements const&... statements)
{
    constexpr bool named = is_identifier(Name.view());
    static_assert(named, "attune: nest<\"name\">(...): the name is that of a function");
    constexpr bool written = sizeof...(Statements) > 0 && (is_nest_assignment<Statements> && ...);
    static_assert(written,
                  "attune: nest<\"name\">(...) takes statements: C[i][j] = ..., C[i][j] += ...");
    if constexpr (named && written) {
        using declaration =
            nest_declaration<Name, Order, decltype(make_step(std::declval<Statements>()))...>;
        if constexpr (check_declaration<declaration>()) {
            declaration const out{make_step(statements)...};
            if (out.leaves_an_array())
                throw declaration_error("attune: nest: an index leaves its array; write "
                                        "attune::padded(x)[...] where it then reads 0, or make the "
                                        "axis shorter");
            return out;
        } else
            return no_declaration{};
    } else
        return no_declaration{};
}

} // namespace attune::inline ATTUNE_ABI::detail
