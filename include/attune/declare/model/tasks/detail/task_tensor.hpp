// attune/declare/model/tasks/detail/task_tensor.hpp - an array of a graph as indices into memory: views without a copy.
// SPDX-License-Identifier: MIT
// tested by declare/model/tasks/tasks_of.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/tasks/tasks_of.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/nest/nest_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Thrown where an operator has no formula: the operator is then outside.
struct no_formula {
    std::string reason;
};

using task_extents = std::vector<std::int64_t>;

[[nodiscard]] inline std::int64_t count_of(task_extents const& shape)
{
    std::int64_t out = 1;
    for (std::int64_t const extent : shape)
        out *= extent;
    return out;
}

/// The sum of `of`, with each term's axis replaced by an index: of(axis -> with[axis]).
[[nodiscard]] inline affine_index composed(affine_index const& of,
                                           std::vector<affine_index> const& with)
{
    affine_index out{.offset = of.offset};
    for (affine_term const& term : of.terms) {
        out.offset += term.factor * with[term.axis].offset;
        for (affine_term const& inner : with[term.axis].terms)
            add_term(out, inner.axis, term.factor * inner.factor);
    }
    return out;
}

[[nodiscard]] inline affine_index index_of_axis(std::size_t axis, std::int64_t factor = 1)
{
    return {.terms = {{static_cast<std::uint32_t>(axis), factor}}};
}

/// An array of the graph.
struct task_tensor {
    task_extents shape{}; ///< in the file
    bool is_float = true;
    bool flows = false;                               ///< depends on inputs of the graph
    model_numbers numbers{};                          ///< of a constant, in the order of `shape`
    std::optional<std::vector<std::int64_t>> whole{}; ///< of a constant of whole numbers
    std::string base{};                               ///< the array in memory
    task_extents base_extents{};                      ///< of that array
    std::vector<affine_index> at{}; ///< indices into that array, of axes of `shape`

    /// Element i of `order` is the axis of `shape` that is dimension i in memory.
    void hold(std::string name, std::vector<std::size_t> const& order)
    {
        base = std::move(name);
        base_extents.clear();
        at.clear();
        for (std::size_t const axis : order) {
            base_extents.push_back(shape[axis]);
            at.push_back(index_of_axis(axis));
        }
    }
    void hold_in_order(std::string name)
    {
        std::vector<std::size_t> order(shape.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        hold(std::move(name), order);
    }

    /// The axes in the order of memory, without those of extent 1. Empty if this is a part of the
    /// memory, or if elements occur twice.
    [[nodiscard]] std::optional<std::vector<std::size_t>> order() const
    {
        std::vector<std::size_t> out;
        for (std::size_t d = 0; d < at.size(); ++d) {
            if (base_extents[d] == 1) continue;
            affine_index const& index = at[d];
            bool const is_axis = index.terms.size() == 1 && index.terms[0].factor == 1 &&
                                 index.offset == 0 && shape[index.terms[0].axis] == base_extents[d];
            if (!is_axis || std::find(out.begin(), out.end(), index.terms[0].axis) != out.end())
                return {};
            out.push_back(index.terms[0].axis);
        }
        std::size_t axes = 0;
        for (std::int64_t const extent : shape)
            axes += extent == 1 ? 0U : 1U;
        if (axes != out.size()) return {};
        return out;
    }
    /// Returns true if the memory has all elements in the order of `shape`.
    [[nodiscard]] bool is_in_order() const
    {
        auto const axes = order();
        return axes && std::is_sorted(axes->begin(), axes->end());
    }
};

/// The same memory with other axes: reshape. Empty if no index into the memory gives `shape`.
[[nodiscard]] inline std::optional<task_tensor> reshaped(task_tensor const& x,
                                                         task_extents const& shape)
{
    auto const long_axes = [](task_extents const& of) {
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < of.size(); ++i)
            if (of[i] != 1) out.push_back(i);
        return out;
    };
    std::vector<std::size_t> const from = long_axes(x.shape);
    std::vector<std::size_t> const to = long_axes(shape);
    task_tensor out = x;
    out.shape = shape;
    bool const is_squeezed =
        std::equal(from.begin(), from.end(), to.begin(), to.end(),
                   [&](std::size_t a, std::size_t b) { return x.shape[a] == shape[b]; });
    if (is_squeezed) { // other axes of extent 1 alone, also of a part of the memory
        std::vector<affine_index> with(x.shape.size());
        for (std::size_t i = 0; i < from.size(); ++i)
            with[from[i]] = index_of_axis(to[i]);
        for (affine_index& index : out.at)
            index = composed(index, with);
        return out;
    }
    auto const order = x.order();
    if (!order || count_of(shape) != count_of(x.shape)) return {};
    out.base_extents.clear();
    out.at.clear();
    // Axes whose extents have one product correspond; such a group must be together in memory.
    std::vector<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> groups;
    for (std::size_t i = 0, k = 0; i < from.size() || k < to.size();) {
        groups.emplace_back();
        std::int64_t a = 1;
        std::int64_t b = 1;
        do {
            if (a <= b && i < from.size()) {
                a *= x.shape[from[i]];
                groups.back().first.push_back(from[i++]);
            } else if (k < to.size()) {
                b *= shape[to[k]];
                groups.back().second.push_back(to[k++]);
            } else {
                return {};
            }
        } while (a != b);
    }
    for (std::size_t place = 0; place < order->size();) {
        auto const group = std::find_if(groups.begin(), groups.end(), [&](auto const& g) {
            return !g.first.empty() && g.first.front() == (*order)[place];
        });
        if (group == groups.end()) return {};
        for (std::size_t const axis : group->first)
            if (place >= order->size() || (*order)[place++] != axis) return {};
        for (std::size_t const axis : group->second) {
            out.base_extents.push_back(shape[axis]);
            out.at.push_back(index_of_axis(axis));
        }
    }
    if (out.at.empty()) {
        out.base_extents = {1};
        out.at = {{}};
    }
    return out;
}

/// @param perm  axis i of the result is axis perm[i] of x
[[nodiscard]] inline task_tensor transposed(task_tensor const& x,
                                            std::vector<std::int64_t> const& perm)
{
    task_tensor out = x;
    std::vector<affine_index> moved(perm.size());
    for (std::size_t i = 0; i < perm.size(); ++i) {
        auto const old = static_cast<std::size_t>(perm[i]);
        out.shape[i] = x.shape[old];
        moved[old] = index_of_axis(i);
    }
    for (affine_index& index : out.at)
        index = composed(index, moved);
    return out;
}

/// Elements start, start + step, ... of one axis.
[[nodiscard]] inline task_tensor sliced(task_tensor const& x, std::size_t axis, std::int64_t start,
                                        std::int64_t step, std::int64_t extent)
{
    task_tensor out = x;
    std::vector<affine_index> moved;
    for (std::size_t i = 0; i < x.shape.size(); ++i)
        moved.push_back(index_of_axis(i));
    moved[axis] = index_of_axis(axis, step);
    if (extent == 1) moved[axis] = {};
    moved[axis].offset = start;
    out.shape[axis] = extent;
    for (affine_index& index : out.at)
        index = composed(index, moved);
    return out;
}

/// The indices of an operand in an operation element by element, whose extents of 1 repeat.
/// @param result  indices of the result
[[nodiscard]] inline std::vector<affine_index> repeated(task_extents const& operand,
                                                        std::vector<affine_index> const& result)
{
    std::vector<affine_index> out(result.end() - static_cast<std::ptrdiff_t>(operand.size()),
                                  result.end());
    for (std::size_t i = 0; i < operand.size(); ++i)
        if (operand[i] == 1) out[i] = {};
    return out;
}

/// The numbers of an array with its axes in another order.
/// @param order  axis i of the result is axis order[i] of the array
[[nodiscard]] inline std::vector<float> permuted(std::vector<float> const& of,
                                                 task_extents const& shape,
                                                 std::vector<std::size_t> const& order)
{
    task_extents stride(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;)
        stride[i - 1] = stride[i] * shape[i];
    std::vector<float> out;
    out.reserve(of.size());
    std::vector<std::int64_t> at(order.size(), 0);
    for (std::size_t n = 0; n < of.size(); ++n) {
        std::int64_t place = 0;
        for (std::size_t i = 0; i < order.size(); ++i)
            place += at[i] * stride[order[i]];
        out.push_back(of[static_cast<std::size_t>(place)]);
        for (std::size_t i = order.size(); i-- > 0;) {
            if (++at[i] < shape[order[i]]) break;
            at[i] = 0;
        }
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
