// attune/declare/nest/outline.hpp - names, extents and uses in a program's types, and their faults.
// SPDX-License-Identifier: MIT
// tested by declare/nest/describe.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/nest/nest_rows.hpp>
#include <attune/declare/nest/step.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace attune::inline ATTUNE_ABI::detail {

/// The types of a program's arrays, axes and inputs, each once, in order of mention.
template <class... Steps>
struct nest_types {
    using all = mentioned<type_list<Steps...>>;
    using arrays = decltype(distinct<of_arrays>(all{}, type_list<>{}));
    using axes = decltype(distinct<of_axes>(all{}, type_list<>{}));
    using inputs = decltype(distinct<of_inputs>(all{}, type_list<>{}));
    /// Number of elements that the statements mention.
    static constexpr std::size_t uses = []<class... T>(type_list<T...>) {
        return (std::size_t{is_nest_array<T>} + ... + 0);
    }(all{});
};

template <class List>
inline constexpr std::size_t length_of = 0;
template <class... T>
inline constexpr std::size_t length_of<type_list<T...>> = sizeof...(T);

/// Its address identifies the type `T`.
template <class T>
inline constexpr char mark_of_term = 0;

/// The names, extents and uses of a program, which the compiler computes from its types.
template <class Types>
class nest_outline {
public:
    static constexpr std::size_t array_count = length_of<typename Types::arrays>;
    static constexpr std::size_t axis_count = length_of<typename Types::axes>;
    static constexpr std::size_t input_count = length_of<typename Types::inputs>;

    outline_list<array_count, outline_array> arrays{};
    outline_list<axis_count, outline_axis> axes{};
    outline_list<input_count, outline_input> inputs{};
    nest_fault fault = nest_fault::none;
    extent_conflict conflict{}; ///< of nest_fault::extents_differ

    template <class... Steps>
    [[nodiscard]] static consteval nest_outline of(std::string_view name, type_list<Steps...>)
    {
        nest_outline out;
        uses_of_steps uses;
        out.add_inputs(typename Types::inputs{});
        out.add_axes(typename Types::axes{});
        out.add_arrays(typename Types::arrays{});
        out.check_same(typename Types::all{});
        out.found(fault_of_names(out.names(name)));
        (out.add_step(std::type_identity<Steps>{}, uses), ...);
        if (out.fault == nest_fault::none)
            out.found(deduce_extents({out.axes.data(), axis_count},
                                     {out.arrays.data(), array_count},
                                     {uses.all.data(), uses.count}, out.conflict));
        if (out.fault == nest_fault::none)
            out.found(fault_of_order({out.arrays.data(), array_count}));
        return out;
    }

    [[nodiscard]] constexpr std::size_t axis(std::string_view name) const
    {
        std::size_t i = 0;
        while (axes[i].name != name)
            ++i;
        return i;
    }
    [[nodiscard]] constexpr std::size_t array(std::string_view name) const
    {
        std::size_t i = 0;
        while (arrays[i].name != name)
            ++i;
        return i;
    }
    [[nodiscard]] constexpr std::size_t input(std::string_view name) const
    {
        std::size_t i = 0;
        while (inputs[i].name != name)
            ++i;
        return i;
    }

private:
    static constexpr std::size_t most_axes = 64;
    static constexpr std::size_t most_arrays = 64;
    static constexpr std::size_t most_uses = 256;

    struct uses_of_steps {
        std::array<outline_use, Types::uses> all{};
        std::size_t count = 0;
        std::size_t step = 0; ///< from 1

        constexpr void add(outline_use const& one) { all[count++] = one; }
    };

    constexpr void found(nest_fault what)
    {
        if (fault == nest_fault::none) fault = what;
    }

    template <class Extent>
    [[nodiscard]] constexpr outline_extent extent_from(std::type_identity<Extent>) const
    {
        if constexpr (requires { typename Extent::input; })
            return {outline_extent::source::input,
                    static_cast<std::int64_t>(input(Extent::input::name))};
        else if constexpr (requires { Extent::value; })
            return {outline_extent::source::constant, Extent::value};
        else
            return {};
    }
    template <class... Input>
    constexpr void add_inputs(type_list<Input...>)
    {
        [[maybe_unused]] std::size_t i = 0;
        ((inputs[i++] = {Input::name, nest_element<typename Input::value_type>()}), ...);
    }
    template <class... Axis>
    constexpr void add_axes(type_list<Axis...>)
    {
        [[maybe_unused]] std::size_t i = 0;
        auto const add = [&]<class A>(std::type_identity<A>) {
            axes[i] = {A::name, extent_from(std::type_identity<typename A::extent>{})};
            axes[i].has_own_extent = axes[i].extent.is_known();
            ++i;
        };
        (add(std::type_identity<Axis>{}), ...);
        if (axis_count > most_axes || array_count > most_arrays || Types::uses >= most_uses)
            found(nest_fault::too_large);
    }
    template <class Array>
    [[nodiscard]] constexpr outline_array array_from(std::type_identity<Array>) const
    {
        outline_array out{.name = Array::name,
                          .element = Array::type,
                          .rank = Array::rank,
                          .is_temporary = Array::is_temporary,
                          .is_constant = Array::is_constant,
                          .has_row_stride = Array::has_row_stride};
        [&]<class... E>(type_list<E...>) {
            std::size_t d = 0;
            ((out.extents[d++] = extent_from(std::type_identity<E>{})), ...);
        }(typename Array::extents{});
        return out;
    }
    template <class... Array>
    constexpr void add_arrays(type_list<Array...>)
    {
        std::size_t i = 0;
        ((arrays[i++] = array_from(std::type_identity<Array>{})), ...);
    }

    /// Reports two different types with one name.
    template <class... T>
    constexpr void check_same(type_list<T...>)
    {
        std::string_view const names[] = {T::name...};
        char const* const marks[] = {&mark_of_term<T>...};
        int const kinds[] = {is_axis<T> ? 0 : is_nest_array<T> ? 1 : 2 ...};
        for (std::size_t i = 0; i < sizeof...(T); ++i)
            for (std::size_t k = 0; k < i; ++k)
                if (marks[i] != marks[k] && kinds[i] == kinds[k] && names[i] == names[k])
                    found(nest_fault::other_shape);
    }

    [[nodiscard]] constexpr auto names(std::string_view program) const
    {
        std::array<std::string_view, 1 + array_count + axis_count + input_count> out{program};
        auto at = out.begin() + 1;
        auto const add = [&](auto const& rows, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i)
                *at++ = rows[i].name;
        };
        add(arrays, array_count);
        add(axes, axis_count);
        add(inputs, input_count);
        return out;
    }

    using axis_set = std::uint64_t;
    template <class... Axis>
    [[nodiscard]] constexpr axis_set set_of(type_list<Axis...>) const
    {
        return (axis_set{0} | ... | [&] {
            if constexpr (is_axis<Axis>)
                return axis_set{1} << axis(Axis::name);
            else
                return axis_set{0};
        }());
    }

    template <class Target, bool Continues, class Value, class... R>
    constexpr void add_step(std::type_identity<nest_step<Target, Continues, Value, R...>>,
                            uses_of_steps& uses)
    {
        using step = nest_step<Target, Continues, Value, R...>;
        ++uses.step;
        if (fault != nest_fault::none) return;
        axis_set const target = set_of(mentioned<Target>{});
        add_target(std::type_identity<Target>{}, Continues, uses);
        if ((set_of(mentioned<Value>{}) & ~target) != 0) found(nest_fault::free_axis);
        [[maybe_unused]] auto const add =
            [&]<reduction C, class Body, class... Axis>(
                std::type_identity<nest_reduction<C, Body, Axis...>>) {
                axis_set const over = set_of(type_list<Axis...>{});
                axis_set const reads = set_of(mentioned<Body>{});
                if ((over & target) != 0) found(nest_fault::reduced_target);
                if ((reads & ~(target | over)) != 0) found(nest_fault::free_axis);
                if constexpr (has_reduction<Body>) found(nest_fault::nested_reduction);
                if (!step::is_plain && (target & ~reads) != 0) found(nest_fault::partial_reduction);
                add_reads(std::type_identity<Body>{}, uses);
            };
        (add(std::type_identity<R>{}), ...);
        add_reads(std::type_identity<Value>{}, uses);
    }

    template <class Array, bool Padded, class... Index>
    [[nodiscard]] constexpr outline_use
    use_of(std::type_identity<element_of_array<Array, Padded, Index...>>) const
    {
        outline_use out{.array = static_cast<std::uint8_t>(array(Array::name))};
        out.axis.fill(outline_use::none); // an index may be missing, which is another error
        [[maybe_unused]] std::size_t d = 0;
        auto const add = [&]<class Axis>(std::type_identity<Axis>) {
            if constexpr (is_axis<Axis>)
                out.axis[d++] = static_cast<std::uint8_t>(axis(Axis::name));
            else
                out.axis[d++] = outline_use::none;
        };
        (add(std::type_identity<Index>{}), ...);
        return out;
    }

    template <class Array, bool Padded, class... Index>
    constexpr void add_target(std::type_identity<element_of_array<Array, Padded, Index...>> of,
                              bool continues, uses_of_steps& uses)
    {
        if constexpr (sizeof...(Index) != Array::rank || Padded) {
            found(nest_fault::target_of_no_axes);
        } else {
            outline_use use = use_of(of);
            use.is_target = true;
            for (std::size_t d = 0; d < Array::rank; ++d) {
                if (use.axis[d] == outline_use::none) return found(nest_fault::target_of_no_axes);
                for (std::size_t k = 0; k < d; ++k)
                    if (use.axis[k] == use.axis[d]) found(nest_fault::target_of_no_axes);
            }
            outline_array& to = arrays[use.array];
            if (to.written_by != outline_array::never) found(nest_fault::written_twice);
            to.written_by = uses.step;
            to.continues = continues;
            uses.add(use);
        }
    }

    template <class T>
    constexpr void add_reads(std::type_identity<T>, uses_of_steps&)
    {
    }
    template <class Array, bool Padded, class... Index>
    constexpr void add_reads(std::type_identity<element_of_array<Array, Padded, Index...>> of,
                             uses_of_steps& uses)
    {
        outline_use const use = use_of(of);
        if (arrays[use.array].first_read == outline_array::never)
            arrays[use.array].first_read = uses.step;
        arrays[use.array].read_by = uses.step;
        if constexpr (!Padded) uses.add(use);
    }
    template <nest_op Code, class T, class... X>
    constexpr void add_reads(std::type_identity<nest_operation<Code, T, X...>>, uses_of_steps& uses)
    {
        (add_reads(std::type_identity<X>{}, uses), ...);
    }
    template <nest_op Code, class T, class L, class R>
    constexpr void add_reads(std::type_identity<nest_truth<Code, T, L, R>>, uses_of_steps& uses)
    {
        add_reads(std::type_identity<L>{}, uses);
        add_reads(std::type_identity<R>{}, uses);
    }
};

} // namespace attune::inline ATTUNE_ABI::detail
