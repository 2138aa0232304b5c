// attune/space/schedule/rewrite.ipp - the definitions of rewrite.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/rewrite.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// `index` with each axis replaced by a function of axes.
inline affine_index substituted(affine_index const& index, std::vector<affine_index> const& by)
{
    affine_index out;
    out.offset = index.offset;
    for (affine_term const& term : index.terms) {
        out.offset += term.factor * by[term.axis].offset;
        for (affine_term const& part : by[term.axis].terms) {
            auto const same = std::find_if(out.terms.begin(), out.terms.end(),
                                           [&](auto const& t) { return t.axis == part.axis; });
            if (same != out.terms.end())
                same->factor += term.factor * part.factor;
            else
                out.terms.push_back({part.axis, term.factor * part.factor});
        }
    }
    std::erase_if(out.terms, [](affine_term const& t) { return t.factor == 0; });
    std::sort(out.terms.begin(), out.terms.end(),
              [](auto const& a, auto const& b) { return a.axis < b.axis; });
    return out;
}

/// The index of the node; appends a new node. Copies of one value share their nodes, so that a
/// chain of statements that read each other twice has as many nodes as it has operations.
inline std::uint32_t add_node(nest_description& nest, nest_node const& node)
{
    auto const at = std::find(nest.nodes.begin(), nest.nodes.end(), node);
    auto const index = static_cast<std::uint32_t>(at - nest.nodes.begin());
    if (at == nest.nodes.end()) nest.nodes.push_back(node);
    return index;
}

inline std::uint32_t known_access(nest_description& nest, nest_access access)
{
    auto const at = std::find(nest.accesses.begin(), nest.accesses.end(), access);
    auto const index = static_cast<std::uint32_t>(at - nest.accesses.begin());
    if (at == nest.accesses.end()) nest.accesses.push_back(std::move(access));
    return index;
}

/// An index as a number.
inline std::uint32_t index_node(nest_description& nest, affine_index const& index,
                                element_type type)
{
    nest_node number;
    number.code = nest_op::literal;
    number.type = type;
    number.literal = static_cast<double>(index.offset);
    std::uint32_t sum = add_node(nest, number);
    for (affine_term const& term : index.terms) {
        nest_node axis;
        axis.code = nest_op::axis;
        axis.type = type;
        axis.axis = term.axis;
        nest_node product;
        product.code = nest_op::multiply;
        product.type = type;
        product.first = add_node(nest, axis);
        number.literal = static_cast<double>(term.factor);
        product.second = add_node(nest, number);
        nest_node both;
        both.code = nest_op::add;
        both.type = type;
        both.first = sum;
        both.second = add_node(nest, product);
        sum = add_node(nest, both);
    }
    return sum;
}

/// A copy of the value `root` with other axes. Reads of `array` become the value `with`, whose axes
/// are those of `target`.
class value_copy {
public:
    value_copy(nest_description& nest, std::vector<affine_index> by)
        : nest_(nest)
        , by_(std::move(by))
    {
    }
    void replace(nest_access const& target, std::uint32_t with)
    {
        target_ = &target;
        with_ = with;
    }
    std::uint32_t of(std::uint32_t n)
    {
        if (n == no_index) return n;
        if (auto const known = made_.find(n); known != made_.end()) return known->second;
        std::uint32_t const out = copied(n);
        made_.emplace(n, out);
        return out;
    }

private:
    std::uint32_t copied(std::uint32_t n)
    {
        nest_node node = nest_.nodes[n];
        if (node.code == nest_op::axis) return index_node(nest_, by_[node.axis], node.type);
        if (node.code == nest_op::access) {
            nest_access access = nest_.accesses[node.access];
            for (affine_index& index : access.at)
                index = substituted(index, by_);
            if (target_ != nullptr && access.array == target_->array)
                return replaced(access, node.type);
            node.access = known_access(nest_, std::move(access));
            return add_node(nest_, node);
        }
        node.first = of(node.first);
        node.second = of(node.second);
        node.third = of(node.third);
        return add_node(nest_, node);
    }
    std::uint32_t replaced(nest_access const& access, element_type type)
    {
        std::vector<affine_index> inner;
        for (std::uint32_t a = 0; a < nest_.axes.size(); ++a)
            inner.push_back({{{a, 1}}, 0});
        for (std::size_t d = 0; d < access.at.size(); ++d)
            inner[target_->at[d].terms.front().axis] = access.at[d];
        std::uint32_t const value = value_copy(nest_, std::move(inner)).of(with_);
        element_type const element = nest_.arrays[target_->array].element;
        nest_node node; // rounded as if stored in the array
        node.code = nest_op::convert;
        node.type = element;
        node.first = value;
        std::uint32_t const kept =
            nest_.nodes[value].type == element ? value : add_node(nest_, node);
        if (type == element) return kept;
        node.type = type;
        node.first = kept;
        return add_node(nest_, node);
    }

    nest_description& nest_;
    std::vector<affine_index> by_;
    nest_access const* target_ = nullptr;
    std::uint32_t with_ = no_index;
    std::map<std::uint32_t, std::uint32_t> made_; ///< copies, by node
};

inline std::vector<affine_index> same_axes(nest_description const& nest)
{
    std::vector<affine_index> out;
    for (std::uint32_t a = 0; a < nest.axes.size(); ++a)
        out.push_back({{{a, 1}}, 0});
    return out;
}

inline void require_own_loops(loop_program const& program, std::uint32_t block)
{
    std::vector<std::uint32_t> const own = loops_around(program, {item_kind::block, block});
    if (!own.empty() && blocks_inside(program, own.front()).size() != 1)
        refuse(program, "the statement shares its loops with another one", own.front(),
               "change it before loops are joined");
    bool has_buffers =
        program.blocks[block].target != no_index || !program.blocks[block].reads.empty();
    if (has_buffers)
        refuse(program, "the statement has buffers", own.empty() ? no_index : own.front(),
               "change it before buffers are made");
}

[[nodiscard]] inline std::string new_name(nest_description const& nest, std::string const& wish)
{
    std::string name = wish;
    for (int i = 1;; ++i) {
        bool is_taken = false;
        for (nest_axis const& axis : nest.axes)
            is_taken = is_taken || axis.name == name;
        for (nest_array const& array : nest.arrays)
            is_taken = is_taken || array.name == name;
        for (nest_input const& input : nest.inputs)
            is_taken = is_taken || input.name == name;
        if (!is_taken) return name;
        name = wish + '_' + std::to_string(i);
    }
}

} // namespace detail

ATTUNE_INLINE void inline_statement(loop_program& program, std::uint32_t block)
{
    detail::require_own_loops(program, block);
    nest_description& nest = program.nest;
    std::uint32_t const s = program.blocks[block].statement;
    nest_statement const producer = nest.statements[s];
    nest_array const& array = nest.arrays[producer.target.array];
    if (producer.combine != reduction::none)
        detail::refuse(program, "the statement combines values", no_index, "use compute_at");
    if (array.role != nest_role::temporary)
        detail::refuse(program, "the array " + array.name + " is an argument", no_index,
                       "inline temporaries");
    bool const is_narrow = detail::element_bytes(array.element) < 4;
    if (is_narrow)
        detail::refuse(program, "the array " + array.name + " rounds its values", no_index,
                       "use compute_at");
    std::vector<std::uint32_t> consumers;
    for (std::uint32_t const other : blocks_inside(program, no_index))
        for (std::uint32_t const a :
             detail::accesses_of(nest, nest.statements[program.blocks[other].statement])) {
            if (nest.accesses[a].array != producer.target.array) continue;
            if (nest.accesses[a].is_padded)
                detail::refuse(program, "the array " + array.name + " is read with padding",
                               no_index, "use compute_at");
            for (buffer_use const& use : program.blocks[other].reads)
                if (use.access == a)
                    detail::refuse(program, "a copy of " + array.name + " is read", no_index,
                                   "inline it first, then make copies");
            if (std::find(consumers.begin(), consumers.end(), other) == consumers.end())
                consumers.push_back(other);
        }
    for (std::uint32_t const consumer : consumers) {
        nest_statement& statement = nest.statements[program.blocks[consumer].statement];
        detail::value_copy copy(nest, detail::same_axes(nest));
        copy.replace(producer.target, producer.value);
        std::uint32_t const value = copy.of(statement.value);
        nest.statements[program.blocks[consumer].statement].value = value;
    }
    std::vector<std::uint32_t> const own = loops_around(program, {item_kind::block, block});
    program_item const top = own.empty() ? program_item{item_kind::block, block}
                                         : program_item{item_kind::loop, own.front()};
    std::vector<program_item>& items = detail::items_with(program, top);
    items.erase(std::find(items.begin(), items.end(), top));
}

ATTUNE_INLINE std::uint32_t rfactor(loop_program& program, std::uint32_t block, std::uint32_t loop)
{
    detail::require_own_loops(program, block);
    detail::refuse_lanes_of_sum(program, block, loop);
    nest_description& nest = program.nest;
    std::uint32_t const s = program.blocks[block].statement;
    nest_statement const former = nest.statements[s];
    if (former.combine == reduction::argument_of_maximum)
        detail::refuse(program, "the parts could find another of several equal maxima", loop,
                       "keep the loop");
    std::vector<std::uint32_t> const own = loops_around(program, {item_kind::block, block});
    if (std::find(own.begin(), own.end(), loop) == own.end() ||
        program.loops[loop].over.size() != 1 ||
        !is_reduced(former, program.loops[loop].over.front().axis))
        detail::refuse(program, "the loop is not over one reduction axis of the statement", loop,
                       "name such a loop");
    std::uint32_t const axis = program.loops[loop].over.front().axis;
    auto const extent = detail::steps_inside(program, no_index, axis);
    if (!extent)
        detail::refuse(program, "the extent of the axis is an input", loop,
                       "use a constant extent");
    std::vector<std::uint32_t> over; // the loops over the axis
    for (std::uint32_t const at : own)
        for (loop_range const& range : program.loops[at].over)
            if (range.axis == axis) over.push_back(at);
    std::int64_t const step = program.loops[loop].over.front().step;
    bool const is_outer = over.front() == loop;
    bool const is_inner = over.back() == loop && step == 1;
    if (!is_outer && !is_inner)
        detail::refuse(program, "the loop is neither the outermost nor the innermost over its axis",
                       loop, "split it so that it is");
    std::vector<std::uint32_t> const around = loops_around(program, {item_kind::loop, loop});
    std::int64_t const within =
        is_outer ? *extent
                 : *detail::steps_inside(program, around.empty() ? no_index : around.back(), axis);
    // Outermost: axis = step f + rest. Innermost: axis = within rest + f.
    if (within < step || within == 0)
        detail::refuse(program, "the axis has fewer steps than one part", loop,
                       "split by a divisor first");
    std::int64_t const parts = within / step;
    std::int64_t const rest_extent = *extent / parts;
    bool is_whole = within % step == 0 && *extent % within == 0;
    for (std::uint32_t const at : over)
        for (loop_range const& range : program.loops[at].over)
            if (range.axis == axis) {
                bool const is_further = range.step > step;
                is_whole = is_whole && (!is_further || range.step % within == 0);
            }
    if (!is_whole)
        detail::refuse(program, "the parts are not all of one size", loop,
                       "split by a divisor first");
    auto const f = static_cast<std::uint32_t>(nest.axes.size());
    nest.axes.push_back(
        {detail::new_name(nest, nest.axes[axis].name + "_part"), {parts, no_index}});
    auto const rest = static_cast<std::uint32_t>(nest.axes.size());
    nest.axes.push_back(
        {detail::new_name(nest, nest.axes[axis].name + "_rest"), {rest_extent, no_index}});
    bool const is_all = over.size() == 1; // the part is one step
    std::vector<affine_index> by = detail::same_axes(nest);
    by[axis] = is_all     ? affine_index{{{f, 1}}, 0}
               : is_outer ? affine_index{{{f, step}, {rest, 1}}, 0}
                          : affine_index{{{f, 1}, {rest, within}}, 0};
    // The temporary: one element per part.
    nest_array made;
    made.name = detail::new_name(nest, nest.arrays[former.target.array].name + "_parts");
    made.element = former.accumulator;
    made.role = nest_role::temporary;
    nest_statement first = former;
    first.continues = false;
    first.target.array = static_cast<std::uint32_t>(nest.arrays.size());
    first.target.at.clear();
    first.axes.clear();
    nest_statement second = former;
    second.axes.clear();
    for (std::uint32_t i = 0; i < former.spatial_count; ++i) {
        first.axes.push_back(former.axes[i]);
        second.axes.push_back(former.axes[i]);
        made.extents.push_back(nest.axes[former.axes[i]].extent);
        first.target.at.push_back({{{former.axes[i], 1}}, 0});
    }
    first.axes.push_back(f);
    second.axes.push_back(f);
    made.extents.push_back({parts, no_index});
    first.target.at.push_back({{{f, 1}}, 0});
    first.spatial_count = former.spatial_count + 1;
    for (std::size_t i = former.spatial_count; i < former.axes.size(); ++i)
        if (former.axes[i] != axis || !is_all)
            first.axes.push_back(former.axes[i] == axis ? rest : former.axes[i]);
    if (first.axes.size() == first.spatial_count) first.combine = reduction::none;
    nest.arrays.push_back(made);
    first.value = detail::value_copy(nest, by).of(former.value);
    nest_node read;
    read.code = nest_op::access;
    read.type = former.accumulator;
    read.access = detail::known_access(nest, first.target);
    second.value = detail::add_node(nest, read);
    nest.statements[s] = first;
    nest.statements.push_back(second);
    for (std::uint32_t const at : over)
        for (loop_range& range : program.loops[at].over) {
            if (range.axis != axis) continue;
            if (at == loop) {
                range = {f, 1};
            } else {
                range.axis = rest;
                if (is_inner && !is_outer) range.step /= within;
            }
        }
    auto const combine = static_cast<std::uint32_t>(program.blocks.size());
    program.blocks.push_back(
        {static_cast<std::uint32_t>(nest.statements.size() - 1), no_index, {}});
    program_item inner{item_kind::block, combine};
    for (std::size_t i = second.axes.size(); i-- > 0;) {
        program_loop added;
        added.over.push_back({second.axes[i], 1});
        added.body.push_back(inner);
        inner = {item_kind::loop, static_cast<std::uint32_t>(program.loops.size())};
        program.loops.push_back(std::move(added));
    }
    std::vector<program_item>& items = detail::items_with(program, {item_kind::loop, own.front()});
    auto const at =
        std::find(items.begin(), items.end(), program_item{item_kind::loop, own.front()});
    items.insert(at + 1, inner);
    return combine;
}

} // namespace attune::inline ATTUNE_ABI
