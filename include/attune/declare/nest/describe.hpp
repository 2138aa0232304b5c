// attune/declare/nest/describe.hpp - a typed program as a nest_description.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/declare_nest.hpp>
#include <attune/declare/nest/nest_builder.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Adds the statements of a declaration to a description.
template <class Declaration>
class nest_describer {
    static constexpr auto const& outline = Declaration::outline;

public:
    [[nodiscard]] nest_description describe(Declaration const& program)
    {
        build_.out.name = Declaration::name;
        for (std::size_t i = 0; i < outline.input_count; ++i)
            build_.out.inputs.push_back(
                {std::string(outline.inputs[i].name), outline.inputs[i].type});
        for (std::size_t i = 0; i < outline.axis_count; ++i)
            build_.out.axes.push_back(
                {std::string(outline.axes[i].name), extent(outline.axes[i].extent)});
        for (std::size_t a = 0; a < Declaration::order.count; ++a)
            if (Declaration::order.at[a] < outline.array_count) add_array(Declaration::order.at[a]);
        for (std::size_t i = 0; i < outline.array_count; ++i)
            if (outline.arrays[i].is_temporary) add_array(i);
        std::apply([&](auto const&... step) { (add(step), ...); }, program.steps());
        return std::move(build_.out);
    }

private:
    [[nodiscard]] static nest_extent extent(outline_extent const& of)
    {
        if (of.is_constant()) return {.constant = of.value};
        return {.input = static_cast<std::uint32_t>(of.value)};
    }
    void add_array(std::size_t which)
    {
        outline_array const& of = outline.arrays[which];
        nest_array made{.name = std::string(of.name),
                        .element = of.element,
                        .role = of.role(),
                        .has_row_stride = of.has_row_stride,
                        .is_constant = of.is_constant};
        for (std::size_t d = 0; d < of.rank; ++d)
            made.extents.push_back(extent(of.extents[d]));
        places_[which] = static_cast<std::uint32_t>(build_.out.arrays.size());
        build_.out.arrays.push_back(std::move(made));
    }

    template <class Target, bool Continues, class Value, class... R>
    void add(nest_step<Target, Continues, Value, R...> const& step)
    {
        using types = nest_step<Target, Continues, Value, R...>;
        nest_access const target = access(step.target);
        if constexpr (sizeof...(R) == 0) {
            add_statement(target,
                          reduction::none,
                          false,
                          nest_element<typename Value::value_type>(),
                          value(step.value),
                          type_list<>{});
        } else if constexpr (types::is_plain) {
            add_reduction(target, std::get<0>(step.reductions), Continues);
        } else {
            reduced_.clear();
            auto const through_temporary = [&]<class One>(One const& one) {
                nest_access to = target;
                to.array = build_.add_temporary(
                    target.array, One::combine, nest_element<typename One::value_type>());
                add_reduction(to, one, false);
                reduced_.push_back(to);
            };
            std::apply([&](R const&... one) { (through_temporary(one), ...); }, step.reductions);
            add_statement(target,
                          reduction::none,
                          false,
                          nest_element<typename Value::value_type>(),
                          value(step.value),
                          type_list<>{});
        }
    }
    template <reduction C, class Body, class... Axis>
    void add_reduction(nest_access const& target,
                       nest_reduction<C, Body, Axis...> const& of,
                       bool continues)
    {
        add_statement(target,
                      C,
                      continues,
                      nest_element<typename Body::value_type>(),
                      value(of.body),
                      type_list<Axis...>{});
    }
    template <class... Axis>
    void add_statement(nest_access const& target,
                       reduction combine,
                       bool continues,
                       element_type accumulator,
                       std::uint32_t of,
                       type_list<Axis...>)
    {
        nest_statement made{.target = target,
                            .combine = combine,
                            .continues = continues,
                            .accumulator = accumulator,
                            .value = of};
        for (affine_index const& index : target.at)
            made.axes.push_back(index.terms[0].axis);
        made.spatial_count = static_cast<std::uint32_t>(made.axes.size());
        (made.axes.push_back(static_cast<std::uint32_t>(outline.axis(Axis::name))), ...);
        build_.out.statements.push_back(std::move(made));
    }

    template <class Index>
    [[nodiscard]] static affine_index affine(Index const& index)
    {
        auto const sum = as_affine(index);
        affine_index out{.offset = sum.offset};
        std::apply(
            [&]<class... T>(T const&... term) {
                (add_term(
                     out, static_cast<std::uint32_t>(outline.axis(T::axis::name)), term.factor),
                 ...);
            },
            sum.terms);
        return out;
    }
    template <class Array, bool Padded, class... Index>
    [[nodiscard]] nest_access access(element_of_array<Array, Padded, Index...> const& of) const
    {
        nest_access out{.array = places_[outline.array(Array::name)], .is_padded = Padded};
        std::apply([&](Index const&... each) { (out.at.push_back(affine(each)), ...); }, of.at);
        return out;
    }

    [[nodiscard]] std::uint32_t node(nest_op code, element_type type, nest_node made = {})
    {
        made.code = code;
        made.type = type;
        return build_.add_node(made);
    }
    template <class T>
    [[nodiscard]] std::uint32_t value(nest_literal<T> const& x)
    {
        return node(nest_op::literal, nest_element<T>(), {.literal = static_cast<double>(x.value)});
    }
    /// The sum of axes in whole numbers.
    template <class Index>
    [[nodiscard]] std::uint32_t value(index_as_value<Index> const& x)
    {
        return build_.add_index(affine(x.index));
    }
    template <class Input>
    [[nodiscard]] std::uint32_t value(input_as_value<Input> const&)
    {
        return node(nest_op::input,
                    nest_element<operand_type<typename Input::value_type>>(),
                    {.input = static_cast<std::uint32_t>(outline.input(Input::name))});
    }
    template <class Array, bool Padded, class... Index>
    [[nodiscard]] std::uint32_t value(element_of_array<Array, Padded, Index...> const& x)
    {
        return node(nest_op::access,
                    nest_element<operand_type<typename Array::element>>(),
                    {.access = build_.add_access(access(x))});
    }
    template <std::size_t Place, class T>
    [[nodiscard]] std::uint32_t value(reduced_value<Place, T> const&)
    {
        return node(
            nest_op::access, nest_element<T>(), {.access = build_.add_access(reduced_[Place])});
    }
    template <nest_op Code, class T, class... X>
    [[nodiscard]] std::uint32_t value(nest_operation<Code, T, X...> const& x)
    {
        return operation(Code, nest_element<T>(), x.operands);
    }
    template <nest_op Code, class T, class L, class R>
    [[nodiscard]] std::uint32_t value(nest_truth<Code, T, L, R> const& x)
    {
        return operation(Code, nest_element<T>(), x.operands);
    }
    template <class... X>
    [[nodiscard]] std::uint32_t
    operation(nest_op code, element_type type, std::tuple<X...> const& operands)
    {
        std::uint32_t at[3] = {no_index, no_index, no_index};
        std::size_t count = 0;
        std::apply([&](X const&... each) { ((at[count++] = value(each)), ...); }, operands);
        return node(code, type, {.first = at[0], .second = at[1], .third = at[2]});
    }

    nest_builder build_;
    outline_list<outline.array_count, std::uint32_t> places_{};
    std::vector<nest_access> reduced_; ///< temporaries with the reductions of a step
};

template <class Declaration>
[[nodiscard]] nest_description describe_nest(Declaration const& program)
{
    return nest_describer<Declaration>{}.describe(program);
}

} // namespace attune::inline ATTUNE_ABI::detail
