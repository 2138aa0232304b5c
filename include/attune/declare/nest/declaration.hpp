// attune/declare/nest/declaration.hpp - a whole program: its types, and its plain loops.
// SPDX-License-Identifier: MIT
// tested by declare/nest/evaluate.cpp
#pragma once

#include <attune/core/constant_array.hpp>
#include <attune/core/constant_view.hpp>
#include <attune/core/matrix_view.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/element_bounds.hpp>
#include <attune/declare/nest/evaluate.hpp>
#include <attune/declare/nest/nest_memory.hpp>
#include <attune/declare/nest/nest_rows.hpp>
#include <attune/declare/nest/outline.hpp>
#include <attune/declare/nest/value_pack.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

template <class List>
struct values_of_inputs;
template <class... Input>
struct values_of_inputs<type_list<Input...>> {
    using type = value_pack<typename Input::value_type...>;
};

/// The type of an argument.
template <class T, nest_role Role>
struct argument_for {
    using type = typename T::value_type; // of an input
};
template <fixed_string Name, class T, class... Extents, nest_role Role>
struct argument_for<array_of<Name, T, array_use::constant, false, Extents...>, Role> {
    using type = constant_view<T>;
};
template <fixed_string Name, class T, bool HasRowStride, class... Extents, nest_role Role>
struct argument_for<array_of<Name, T, array_use::argument, HasRowStride, Extents...>, Role> {
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

    /// The same statements with other arguments.
    template <class Arguments>
    using with_order = nest_declaration<Name, Arguments, Steps...>;

    static constexpr std::size_t number_count = (Steps::number_count + ... + 0);
    static constexpr std::array<nest_row, (Steps::row_count + ... + 0)> rows = [] {
        std::array<nest_row, (Steps::row_count + ... + 0)> out{};
        nest_row_sink to{{outline.arrays.data(), arrays},
                         {outline.axes.data(), outline.axis_count},
                         {outline.inputs.data(), inputs},
                         out.data()};
        (Steps::write_rows(to), ...);
        return out;
    }();

    constexpr explicit nest_declaration(value_pack<Steps...> const& of)
        : steps_(of)
    {
    }

    [[nodiscard]] constexpr value_pack<Steps...> const& steps() const noexcept { return steps_; }

    /// Those of the rows.
    [[nodiscard]] constexpr outline_list<number_count, std::uint64_t> numbers() const
    {
        outline_list<number_count, std::uint64_t> out{};
        nest_number_sink to{out.data()};
        for_each_part(steps_, [&](auto const& step) { write_numbers_of(to, step); });
        return out;
    }
    [[nodiscard]] static constexpr nest_form form(std::span<std::uint64_t const> numbers)
    {
        return {name,
                {outline.arrays.data(), arrays},
                {outline.axes.data(), outline.axis_count},
                {outline.inputs.data(), inputs},
                rows,
                numbers,
                {order.at.data(), order.count}};
    }

    /// The plain nest.
    /// Errors   attune::error: an array does not have the extents that the declaration says, or an
    ///          index leaves it
    template <class... Args>
    void operator()(Args const&... given) const
    {
        nest_call<nest_declaration> call = checked_call(given...);
        nest_temporaries const held({outline.arrays.data(), arrays}, call.whole, call.data);
        nest_evaluator<nest_declaration> const evaluator(call);
        for_each_part(steps_, [&](auto const& step) { evaluator.run(step); });
    }

    /// Whether all that a program may be made into is right for a call: code that keeps values in
    /// registers is not where an array that is written overlaps another one.
    /// Errors   as a call
    template <class... Args>
    [[nodiscard]] bool is_for_any_code(Args const&... given) const
    {
        static_cast<void>(checked_call(given...));
        std::array<nest_memory, sizeof...(Args)> const all{nest_memory::of(given)...};
        return !writes_what_overlaps(form({}), all);
    }

private:
    template <class... Args>
    [[nodiscard]] nest_call<nest_declaration> checked_call(Args const&... given) const
    {
        nest_call<nest_declaration> call;
        take(call, std::index_sequence_for<Args...>{}, given...);
        std::array<given_size, sizeof...(Args)> const sizes{given_size::of(given)...};
        auto const own = numbers();
        check_call(form(own), call.whole, sizes);
        return call;
    }
    template <std::size_t... Place, class... Args>
    static void take(nest_call<nest_declaration>& call, std::index_sequence<Place...>,
                     Args const&... all)
    {
        (take_one<order.at[Place]>(call, all), ...);
    }
    template <std::size_t Which, class T>
    static void take_one(nest_call<nest_declaration>& call, T const& given)
    {
        if constexpr (Which >= arrays) {
            part_at<Which - arrays>(call.inputs) = given;
            if constexpr (std::integral<T>)
                call.whole[Which - arrays] = static_cast<std::int64_t>(given);
        } else {
            call.data[Which] = given.data();
            if constexpr (requires { given.row_stride(); })
                call.row_stride[Which] = static_cast<std::int64_t>(given.row_stride());
        }
    }

    value_pack<Steps...> steps_;
};

} // namespace attune::inline ATTUNE_ABI::detail
