// attune/declare/model/tasks/detail/task_writer.hpp - builds the nest of a task: axes, arrays, values, statements.
// SPDX-License-Identifier: MIT
// tested by declare/model/tasks/tasks_of.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/tasks/detail/task_tensor.hpp>
#include <attune/declare/model/tasks/tasks_of.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/nest/nest_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A nest with its operands.
struct written_task {
    nest_description nest;
    std::vector<std::string> inputs;
    std::vector<model_numbers> constants;
    std::vector<float> scalars; ///< numbers of one element, in order of mention
};

/// The values of scalars that are literals in the nest; others are constant arrays.
using scalar_choice = std::vector<bool>;

class task_writer {
public:
    explicit task_writer(scalar_choice is_literal)
        : is_literal_(std::move(is_literal))
    {
    }

    /// A loop. An axis of extent 1 is the index 0.
    [[nodiscard]] affine_index axis(std::string const& name, std::int64_t extent)
    {
        if (extent == 1) return {};
        std::string own = name;
        auto const is_taken = [&](nest_axis const& a) { return a.name == own; };
        for (int i = 2; std::any_of(nest().axes.begin(), nest().axes.end(), is_taken); ++i)
            own = name + std::to_string(i);
        nest().axes.push_back({own, {.constant = extent}});
        return index_of_axis(nest().axes.size() - 1);
    }
    [[nodiscard]] std::int64_t extent(affine_index const& axis) const
    {
        return axis.terms.empty() ? 1 : build_.out.axes[axis.terms.front().axis].extent.constant;
    }
    /// The axes of indices, in order.
    [[nodiscard]] static std::vector<std::uint32_t> axes_of(std::vector<affine_index> const& of)
    {
        std::vector<std::uint32_t> out;
        for (affine_index const& index : of)
            if (!index.terms.empty()) out.push_back(index.terms.front().axis);
        return out;
    }

    // --- values, as nodes ---------------------------------------------------------------------
    [[nodiscard]] std::uint32_t node(nest_op code, std::uint32_t first,
                                     std::uint32_t second = no_index,
                                     std::uint32_t third = no_index,
                                     element_type type = element_type::f32)
    {
        return build_.add_node(
            {.code = code, .type = type, .first = first, .second = second, .third = third});
    }
    [[nodiscard]] std::uint32_t add(std::uint32_t a, std::uint32_t b)
    {
        return node(nest_op::add, a, b);
    }
    [[nodiscard]] std::uint32_t subtract(std::uint32_t a, std::uint32_t b)
    {
        return node(nest_op::subtract, a, b);
    }
    [[nodiscard]] std::uint32_t multiply(std::uint32_t a, std::uint32_t b)
    {
        return node(nest_op::multiply, a, b);
    }
    [[nodiscard]] std::uint32_t divide(std::uint32_t a, std::uint32_t b)
    {
        return node(nest_op::divide, a, b);
    }
    [[nodiscard]] std::uint32_t literal(double value, element_type type = element_type::f32)
    {
        return build_.add_node({.code = nest_op::literal, .type = type, .literal = value});
    }
    /// A number of the model: a literal, or a constant array of one element.
    [[nodiscard]] std::uint32_t scalar(float value)
    {
        std::size_t const which = out_.scalars.size();
        out_.scalars.push_back(value);
        if (which < is_literal_.size() && is_literal_[which])
            return literal(static_cast<double>(value));
        std::uint32_t const array = add_array("S", element_type::f32, nest_role::read, {1});
        constants_.push_back(std::make_shared<std::vector<float> const>(1, value));
        constant_arrays_.push_back(array);
        return element({.array = array, .at = {{}}});
    }
    /// 1 / (1 + exp(-x))
    [[nodiscard]] std::uint32_t sigmoid(std::uint32_t x)
    {
        return divide(literal(1),
                      add(literal(1), node(nest_op::exponential, node(nest_op::negate, x))));
    }
    /// The value where an index lies in [0, extent), else `otherwise`.
    [[nodiscard]] std::uint32_t inside(affine_index const& index, std::int64_t extent,
                                       std::uint32_t value, std::uint32_t otherwise)
    {
        constexpr element_type whole = element_type::i32;
        std::uint32_t const i = build_.add_index(index);
        std::uint32_t const not_before =
            node(nest_op::less_equal, literal(0, whole), i, no_index, whole);
        std::uint32_t const not_behind =
            node(nest_op::less, i, literal(static_cast<double>(extent), whole), no_index, whole);
        return node(nest_op::select, not_before,
                    node(nest_op::select, not_behind, value, otherwise), otherwise);
    }

    // --- arrays -------------------------------------------------------------------------------
    /// An element of an array that the graph computes.
    /// @param at  indices along the axes of the array, in axes of the nest
    [[nodiscard]] std::uint32_t read(task_tensor const& x, std::vector<affine_index> const& at,
                                     bool is_padded = false)
    {
        std::vector<affine_index> all;
        for (affine_index const& index : x.at)
            all.push_back(composed(index, at));
        std::uint32_t which = no_index;
        for (std::size_t i = 0; i < reads_.size() && which == no_index; ++i)
            if (out_.inputs[i] == x.base && reads_[i].extents == x.base_extents)
                which = static_cast<std::uint32_t>(i);
        if (which == no_index) {
            which = static_cast<std::uint32_t>(reads_.size());
            read_array made{.extents = x.base_extents};
            task_extents kept;
            for (std::size_t d = 0; d < all.size(); ++d) {
                made.keeps.push_back(x.base_extents[d] != 1 || !is_zero(all[d]));
                if (made.keeps.back()) kept.push_back(x.base_extents[d]);
            }
            if (kept.empty()) {
                kept = {1};
                made.keeps.back() = true;
            }
            made.array = add_array("X", element_type::f32, nest_role::read, kept);
            reads_.push_back(made);
            out_.inputs.push_back(x.base);
        }
        nest_access access{.array = reads_[which].array, .is_padded = is_padded};
        for (std::size_t d = 0; d < all.size(); ++d) {
            if (reads_[which].keeps[d])
                access.at.push_back(all[d]);
            else if (!is_zero(all[d]))
                throw no_formula{"it reads an array of one row in two ways"};
        }
        return element(access);
    }
    /// An element of stored numbers. The array has no dimensions of extent 1.
    /// @param numbers    in the order of `extents`
    /// @param is_packed  whether a tuning may keep another order of the numbers
    [[nodiscard]] std::uint32_t constant(std::string const& name, std::vector<float> numbers,
                                         task_extents const& extents,
                                         std::vector<affine_index> const& at,
                                         bool is_packed = false)
    {
        task_extents kept;
        nest_access access;
        for (std::size_t d = 0; d < extents.size(); ++d) {
            if (extents[d] == 1) continue;
            kept.push_back(extents[d]);
            access.at.push_back(at[d]);
        }
        if (kept.empty()) {
            kept = {1};
            access.at = {{}};
        }
        access.array = add_array(name, element_type::f32, nest_role::read, kept);
        nest().arrays[access.array].is_constant = is_packed && kept.size() > 1;
        constants_.push_back(std::make_shared<std::vector<float> const>(std::move(numbers)));
        constant_arrays_.push_back(access.array);
        return element(access);
    }

    // --- statements ---------------------------------------------------------------------------
    /// A temporary array over these axes; its element.
    [[nodiscard]] std::uint32_t temporary(std::vector<affine_index> const& spatial,
                                          std::uint32_t value, reduction combine = reduction::none,
                                          std::vector<affine_index> const& over = {})
    {
        nest_access const target = target_over("T", nest_role::temporary, spatial);
        add_statement(target, spatial, value, combine, over);
        if (axes_of(spatial).empty()) return element({.array = target.array, .at = {{}}});
        return element(target);
    }
    /// The result of the task, whose dimensions are the axes `spatial`.
    void result(std::vector<affine_index> const& spatial, std::uint32_t value,
                reduction combine = reduction::none, std::vector<affine_index> const& over = {})
    {
        add_statement(target_over("Y", nest_role::written, spatial), spatial, value, combine, over);
    }

    [[nodiscard]] written_task made()
    {
        // Arguments in order: what the graph computes, constants, the result; then temporaries.
        std::vector<std::uint32_t> order;
        for (read_array const& one : reads_)
            order.push_back(one.array);
        order.insert(order.end(), constant_arrays_.begin(), constant_arrays_.end());
        for (nest_role const role : {nest_role::written, nest_role::temporary})
            for (std::size_t a = 0; a < nest().arrays.size(); ++a)
                if (nest().arrays[a].role == role) order.push_back(static_cast<std::uint32_t>(a));
        std::vector<std::uint32_t> place(order.size());
        std::vector<nest_array> sorted;
        for (std::size_t i = 0; i < order.size(); ++i) {
            place[order[i]] = static_cast<std::uint32_t>(i);
            sorted.push_back(nest().arrays[order[i]]);
        }
        nest().arrays = std::move(sorted);
        for (nest_access& access : nest().accesses)
            access.array = place[access.array];
        for (nest_statement& statement : nest().statements)
            statement.target.array = place[statement.target.array];
        out_.constants = constants_;
        out_.nest = nest();
        return out_;
    }

private:
    struct read_array {
        task_extents extents;
        std::vector<bool> keeps{}; ///< by dimension: the nest's array has it
        std::uint32_t array = no_index;
    };

    [[nodiscard]] nest_description& nest() { return build_.out; }
    [[nodiscard]] static bool is_zero(affine_index const& index)
    {
        return index.terms.empty() && index.offset == 0;
    }
    [[nodiscard]] std::uint32_t element(nest_access const& access)
    {
        return build_.add_node({.code = nest_op::access,
                                .type = element_type::f32,
                                .access = build_.add_access(access)});
    }
    [[nodiscard]] std::uint32_t add_array(std::string const& name, element_type type,
                                          nest_role role, task_extents const& extents)
    {
        std::string own = name;
        auto const is_taken = [&](nest_array const& a) { return a.name == own; };
        for (int i = 2; std::any_of(nest().arrays.begin(), nest().arrays.end(), is_taken); ++i)
            own = name + std::to_string(i);
        nest_array made{.name = own, .element = type, .role = role};
        for (std::int64_t const extent : extents)
            made.extents.push_back({.constant = extent});
        nest().arrays.push_back(std::move(made));
        return static_cast<std::uint32_t>(nest().arrays.size() - 1);
    }
    /// The element of an array of these axes. A result of one number has an axis of extent 1.
    [[nodiscard]] nest_access target_over(std::string const& name, nest_role role,
                                          std::vector<affine_index> const& spatial)
    {
        task_extents extents;
        nest_access target;
        for (std::uint32_t const a : axes_of(spatial)) {
            extents.push_back(nest().axes[a].extent.constant);
            target.at.push_back(index_of_axis(a));
        }
        if (extents.empty()) {
            target.at.push_back(index_of_axis(one_axis()));
            extents = {1};
        }
        target.array = add_array(name, element_type::f32, role, extents);
        return target;
    }
    [[nodiscard]] std::uint32_t one_axis()
    {
        if (one_axis_ == no_index) {
            one_axis_ = static_cast<std::uint32_t>(nest().axes.size());
            nest().axes.push_back({"one", {.constant = 1}});
        }
        return one_axis_;
    }
    void add_statement(nest_access const& target, std::vector<affine_index> const& spatial,
                       std::uint32_t value, reduction combine,
                       std::vector<affine_index> const& over)
    {
        nest_statement made{
            .target = target, .combine = combine, .accumulator = element_type::f32, .value = value};
        made.axes = axes_of(spatial);
        if (made.axes.empty()) made.axes = {one_axis()};
        made.spatial_count = static_cast<std::uint32_t>(made.axes.size());
        for (std::uint32_t const a : axes_of(over))
            made.axes.push_back(a);
        // A reduction along axes of extent 1 is its only value.
        if (made.axes.size() == made.spatial_count) made.combine = reduction::none;
        nest().statements.push_back(std::move(made));
    }

    nest_builder build_;
    written_task out_;
    scalar_choice is_literal_;
    std::vector<read_array> reads_;
    std::vector<model_numbers> constants_;
    std::vector<std::uint32_t> constant_arrays_;
    std::uint32_t one_axis_ = no_index;
};

/// Joins axes that are neighbours, in one order, in all arrays and statements: elements of a matrix
/// that only operators element by element read are one list.
class axis_joiner {
public:
    explicit axis_joiner(nest_description& nest)
        : nest_(nest)
    {
    }
    void join()
    {
        for (std::uint32_t a = 0; a < nest_.axes.size(); ++a)
            for (std::uint32_t b = 0; b < nest_.axes.size(); ++b)
                if (a != b && can_join(a, b)) {
                    join(a, b);
                    a = no_index; // from the start: ++ makes it 0
                    break;
                }
    }

private:
    [[nodiscard]] static bool has(affine_index const& index, std::uint32_t axis)
    {
        return std::any_of(index.terms.begin(), index.terms.end(),
                           [axis](affine_term const& t) { return t.axis == axis; });
    }
    /// The dimension of `a` if dimension and next one are these axes alone; no_index if the
    /// element has neither; nothing if the axes cannot join.
    [[nodiscard]] std::optional<std::uint32_t> dimension(nest_access const& of, std::uint32_t a,
                                                         std::uint32_t b) const
    {
        std::uint32_t found = no_index;
        nest_array const& array = nest_.arrays[of.array];
        for (std::uint32_t d = 0; d < of.at.size(); ++d) {
            if (!has(of.at[d], a) && !has(of.at[d], b)) continue;
            bool const is_pair = found == no_index && d + 1 < of.at.size() &&
                                 of.at[d] == index_of_axis(a) && of.at[d + 1] == index_of_axis(b) &&
                                 array.extents[d].constant == nest_.axes[a].extent.constant &&
                                 array.extents[d + 1].constant == nest_.axes[b].extent.constant;
            if (!is_pair) return {};
            found = d++;
        }
        return found;
    }
    template <class See>
    void see_accesses(See const& see)
    {
        for (nest_access& access : nest_.accesses)
            see(access);
        for (nest_statement& statement : nest_.statements)
            see(statement.target);
    }
    [[nodiscard]] bool can_join(std::uint32_t a, std::uint32_t b)
    {
        for (nest_node const& node : nest_.nodes)
            if (node.code == nest_op::axis && (node.axis == a || node.axis == b)) return false;
        bool out = true;
        places_.assign(nest_.arrays.size(), {});
        see_accesses([&](nest_access const& access) {
            auto const place = dimension(access, a, b);
            out = out && place && (!places_[access.array] || *places_[access.array] == *place);
            places_[access.array] = place;
        });
        for (nest_statement const& s : nest_.statements) {
            auto const at_a = std::find(s.axes.begin(), s.axes.end(), a);
            auto const at_b = std::find(s.axes.begin(), s.axes.end(), b);
            if (at_a == s.axes.end() && at_b == s.axes.end()) continue;
            if (at_a == s.axes.end() || at_b == s.axes.end() || at_b != at_a + 1) return false;
            bool const is_spatial = at_a - s.axes.begin() < s.spatial_count;
            if (is_spatial != (at_b - s.axes.begin() < s.spatial_count)) return false;
        }
        return out;
    }
    void join(std::uint32_t a, std::uint32_t b)
    {
        std::int64_t const inner = nest_.axes[b].extent.constant;
        std::vector<bool> is_done(nest_.arrays.size(), false);
        auto const less_one = [b](std::uint32_t axis) { return axis > b ? axis - 1 : axis; };
        see_accesses([&](nest_access& access) {
            if (std::uint32_t const d = *places_[access.array]; d != no_index) {
                access.at.erase(access.at.begin() + d + 1);
                nest_array& array = nest_.arrays[access.array];
                if (!is_done[access.array]) {
                    array.extents[d].constant *= inner;
                    array.extents.erase(array.extents.begin() + d + 1);
                    if (array.extents.size() == 1) array.is_constant = false;
                }
                is_done[access.array] = true;
            }
            for (affine_index& index : access.at)
                for (affine_term& term : index.terms)
                    term.axis = less_one(term.axis);
        });
        for (nest_node& node : nest_.nodes)
            if (node.code == nest_op::axis) node.axis = less_one(node.axis);
        for (nest_statement& s : nest_.statements) {
            auto const at = std::find(s.axes.begin(), s.axes.end(), b);
            if (at != s.axes.end()) {
                if (at - s.axes.begin() < s.spatial_count) --s.spatial_count;
                s.axes.erase(at);
            }
            for (std::uint32_t& axis : s.axes)
                axis = less_one(axis);
        }
        nest_.axes[a].extent.constant *= inner;
        nest_.axes.erase(nest_.axes.begin() + b);
    }

    nest_description& nest_;
    std::vector<std::optional<std::uint32_t>> places_;
};

} // namespace attune::inline ATTUNE_ABI::detail
