// attune/declare/nest/nest_rows.ipp - makes nodes, accesses and statements of rows; equal ones occur once.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/nest/nest_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void add_term(affine_index& to, std::uint32_t axis, std::int64_t factor)
{
    auto at = std::find_if(to.terms.begin(), to.terms.end(),
                           [&](affine_term const& t) { return t.axis >= axis; });
    if (at == to.terms.end() || at->axis != axis) at = to.terms.insert(at, {axis, 0});
    at->factor += factor;
    if (at->factor == 0) to.terms.erase(at);
}

/// The index of a part of `all` that is equal to `wanted`; appends `wanted` if none is.
template <class T>
[[nodiscard]] std::uint32_t intern_part(std::vector<T>& all, T const& wanted)
{
    auto const at = std::find(all.begin(), all.end(), wanted);
    auto const place = static_cast<std::uint32_t>(at - all.begin());
    if (at == all.end()) all.push_back(wanted);
    return place;
}

ATTUNE_INLINE std::uint32_t nest_builder::add_node(nest_node const& wanted)
{
    return intern_part(out.nodes, wanted);
}

ATTUNE_INLINE std::uint32_t nest_builder::add_access(nest_access const& wanted)
{
    return intern_part(out.accesses, wanted);
}

ATTUNE_INLINE std::uint32_t nest_builder::add_index(affine_index const& index)
{
    constexpr element_type whole = element_type::i32;
    auto const literal = [&](std::int64_t value) {
        return add_node(
            {.code = nest_op::literal, .type = whole, .literal = static_cast<double>(value)});
    };
    auto const of_two = [&](nest_op code, std::uint32_t first, std::uint32_t second) {
        return add_node({.code = code, .type = whole, .first = first, .second = second});
    };
    std::uint32_t sum = no_index;
    for (affine_term const& term : index.terms) {
        std::uint32_t one = add_node({.code = nest_op::axis, .type = whole, .axis = term.axis});
        if (term.factor != 1) one = of_two(nest_op::multiply, one, literal(term.factor));
        sum = sum == no_index ? one : of_two(nest_op::add, sum, one);
    }
    if (sum == no_index) return literal(index.offset);
    return index.offset == 0 ? sum : of_two(nest_op::add, sum, literal(index.offset));
}

ATTUNE_INLINE std::uint32_t nest_builder::add_temporary(std::uint32_t target, reduction combine,
                                                        element_type element)
{
    std::string const stem = out.arrays[target].name + '_' + std::string(rules_of(combine).name);
    std::string name = stem;
    auto const taken = [&] {
        auto const called = [&](auto const& part) { return part.name == name; };
        return std::any_of(out.arrays.begin(), out.arrays.end(), called) ||
               std::any_of(out.axes.begin(), out.axes.end(), called) ||
               std::any_of(out.inputs.begin(), out.inputs.end(), called) || out.name == name;
    };
    for (int i = 2; taken(); ++i)
        name = stem + std::to_string(i);
    nest_array made{.name = std::move(name), .element = element, .role = nest_role::temporary};
    made.extents = out.arrays[target].extents;
    out.arrays.push_back(std::move(made));
    return static_cast<std::uint32_t>(out.arrays.size() - 1);
}

/// Reads rows from first to last, and keeps the parts of a row on stacks.
class form_describer {
public:
    explicit form_describer(nest_form const& of)
        : form_(of)
        , places_(of.arrays.size(), no_index)
    {
    }

    [[nodiscard]] nest_description describe()
    {
        nest_description& out = build_.out;
        out.name = form_.name;
        for (outline_input const& input : form_.inputs)
            out.inputs.push_back({std::string(input.name), input.type});
        for (outline_axis const& axis : form_.axes)
            out.axes.push_back({std::string(axis.name), extent(axis.extent)});
        for (std::size_t const which : form_.order)
            if (which < form_.arrays.size()) add_array(which);
        for (std::size_t i = 0; i < form_.arrays.size(); ++i)
            if (form_.arrays[i].is_temporary) add_array(i);
        for (nest_row const& row : form_.rows)
            add(row);
        return std::move(out);
    }

private:
    [[nodiscard]] static nest_extent extent(outline_extent const& of)
    {
        if (of.is_constant()) return {.constant = of.value};
        return {.input = static_cast<std::uint32_t>(of.value)};
    }
    void add_array(std::size_t which)
    {
        outline_array const& of = form_.arrays[which];
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

    template <class T>
    [[nodiscard]] static T taken(std::vector<T>& stack)
    {
        T out = std::move(stack.back());
        stack.pop_back();
        return out;
    }
    void push_node(nest_op code, element_type type, nest_node made = {})
    {
        made.code = code;
        made.type = type;
        values_.push_back(build_.add_node(made));
    }

    void add(nest_row const& row)
    {
        switch (row.what) {
        case nest_row::part::term:
            terms_.push_back({row.which, form_.factor(row)});
            break;
        case nest_row::part::index:
            indices_.push_back({.offset = form_.offset(row)});
            for (affine_term const& term : terms_)
                add_term(indices_.back(), term.axis, term.factor);
            terms_.clear();
            break;
        case nest_row::part::element:
            elements_.push_back({.array = places_[row.which],
                                 .at = std::exchange(indices_, {}),
                                 .is_padded = row.is_padded});
            break;
        case nest_row::part::read:
            push_node(nest_op::access, row.type, {.access = build_.add_access(taken(elements_))});
            break;
        case nest_row::part::value_of_index:
            values_.push_back(build_.add_index(taken(indices_)));
            break;
        case nest_row::part::node:
            add_node(row);
            break;
        case nest_row::part::result:
            push_node(nest_op::access, row.type,
                      {.access = build_.add_access(results_[row.which])});
            break;
        case nest_row::part::over:
            over_.push_back(row.which);
            break;
        case nest_row::part::reduction:
            add_reduction(row);
            break;
        case nest_row::part::step:
            if (!row.is_value) add_statement(elements_.back(), {}, row.type);
            elements_.clear();
            results_.clear();
            break;
        }
    }

    void add_node(nest_row const& row)
    {
        if (row.code == nest_op::literal)
            return push_node(row.code, row.type, {.literal = form_.literal(row)});
        if (row.code == nest_op::input) return push_node(row.code, row.type, {.input = row.which});
        nest_node made{};
        if (row.count > 2) made.third = taken(values_);
        if (row.count > 1) made.second = taken(values_);
        made.first = taken(values_);
        push_node(row.code, row.type, made);
    }
    void add_reduction(nest_row const& row)
    {
        nest_access target = elements_.back();
        if (!row.is_value) {
            target.array = build_.add_temporary(target.array, row.combine, row.of_result);
            results_.push_back(target);
        }
        add_statement(target, row, row.type);
    }
    /// Adds the statement of the value on the stack, over the named axes.
    void add_statement(nest_access target, nest_row const& reduced, element_type accumulator)
    {
        nest_statement made{.combine = reduced.combine,
                            .continues = reduced.continues,
                            .accumulator = accumulator,
                            .value = taken(values_)};
        for (affine_index const& index : target.at)
            made.axes.push_back(index.terms[0].axis);
        made.target = std::move(target);
        made.spatial_count = static_cast<std::uint32_t>(made.axes.size());
        made.axes.insert(made.axes.end(), over_.begin(), over_.end());
        over_.clear();
        build_.out.statements.push_back(std::move(made));
    }

    nest_form const& form_;
    nest_builder build_;
    std::vector<std::uint32_t> places_; ///< of the program's arrays in the description
    std::vector<affine_term> terms_;
    std::vector<affine_index> indices_;
    std::vector<nest_access> elements_; ///< the statement's target is the first
    std::vector<std::uint32_t> values_; ///< nodes
    std::vector<std::uint32_t> over_;
    std::vector<nest_access> results_; ///< temporaries: results of reductions
};

ATTUNE_INLINE nest_description describe_form(nest_form const& program)
{
    return form_describer(program).describe();
}

} // namespace attune::inline ATTUNE_ABI::detail
