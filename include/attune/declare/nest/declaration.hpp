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

    constexpr explicit nest_declaration(Steps const&... of)
        : steps_(of...)
    {
    }
    constexpr explicit nest_declaration(std::tuple<Steps...> const& of)
        : steps_(of)
    {
    }

    [[nodiscard]] constexpr std::tuple<Steps...> const& steps() const noexcept { return steps_; }

    /// Whether an index leaves an array of constant extents, along axes of constant extents.
    [[nodiscard]] constexpr bool leaves_an_array() const
    {
        bool out = false;
        see_elements([&](auto const& element) {
            out = out || element_bounds<nest_declaration>::leaves(element);
        });
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
        nest_call<nest_declaration> call = checked_call(given...);
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

    /// Whether all that a program may be made into is right for a call: code that keeps values in
    /// registers is not where an array that is written overlaps another one.
    /// Errors   as a call
    template <class... Args>
    [[nodiscard]] bool is_for_any_code(Args const&... given) const
    {
        static_cast<void>(checked_call(given...));
        nest_memory const all[] = {nest_memory::of(given)..., nest_memory{}};
        for (std::size_t i = 0; i < sizeof...(Args); ++i)
            for (std::size_t k = i + 1; k < sizeof...(Args); ++k)
                if ((is_written(i) || is_written(k)) && do_overlap(all[i], all[k])) return false;
        return true;
    }

    /// The inputs of a call, in order of mention; those that are no whole numbers are cut off.
    template <class... Args>
    [[nodiscard]] static outline_list<inputs, std::int64_t> inputs_of(Args const&... given)
    {
        outline_list<inputs, std::int64_t> out{};
        std::size_t at = 0;
        auto const one = [&]<class T>(T const& argument) {
            if constexpr (std::is_arithmetic_v<T>)
                out[order.at[at] - arrays] = static_cast<std::int64_t>(argument);
            ++at;
        };
        (one(given), ...);
        return out;
    }

private:
    [[nodiscard]] static bool is_written(std::size_t argument)
    {
        std::size_t const which = order.at[argument];
        return which < arrays && outline.arrays[which].role() != nest_role::read;
    }
    template <class... Args>
    [[nodiscard]] nest_call<nest_declaration> checked_call(Args const&... given) const
    {
        nest_call<nest_declaration> call;
        std::array<given_size, sizeof...(Args)> const sizes{size_of(given)...};
        take(call, std::index_sequence_for<Args...>{}, given...);
        check(call, sizes);
        return call;
    }
    struct given_size {
        std::int64_t elements = 0;
        std::int64_t rows = -1; ///< of a view
    };
    template <class T>
    [[nodiscard]] static given_size size_of(T const& given)
    {
        if constexpr (std::is_arithmetic_v<T>)
            return {};
        else if constexpr (requires { given.rows(); })
            return {static_cast<std::int64_t>(given.rows() * given.columns()),
                    static_cast<std::int64_t>(given.rows())};
        else
            return {static_cast<std::int64_t>(given.size())};
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

    void check(nest_call<nest_declaration> const& call, std::span<given_size const> sizes) const
    {
        for (std::size_t i = 0; i < outline.axis_count; ++i) {
            outline_extent const of = outline.axes[i].extent;
            if (of.is_constant() || call.extent(of) >= 0) continue;
            for (std::size_t n = 0; n < inputs; ++n)
                if (static_cast<std::int64_t>(n) == of.value)
                    refuse_extent(name, outline.inputs[n].name, call.extent(of));
        }
        for (std::size_t a = 0; a < order.count; ++a) {
            if (order.at[a] >= arrays) continue;
            outline_array const& of = outline.arrays[order.at[a]];
            refuse_other(of, sizes[a].elements, call.elements(of));
            if (sizes[a].rows >= 0) refuse_other(of, sizes[a].rows, call.extent(of.extents[0]));
        }
        see_elements(
            [&](auto const& element) { element_bounds<nest_declaration>::check(call, element); });
    }
    static void refuse_other(outline_array const& of, std::int64_t given, std::int64_t wanted)
    {
        if (given != wanted) refuse_size(name, of.name, given, wanted);
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

    std::tuple<Steps...> steps_;
};

} // namespace attune::inline ATTUNE_ABI::detail
