// attune/declare/model/onnx/detail/onnx_fold.hpp - values of arrays that are computed from shapes.
// SPDX-License-Identifier: MIT
// tested by declare/model/onnx/read_onnx.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/onnx/detail/onnx_layer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

using folded = std::optional<onnx_value>;
using folded_element = std::optional<model::quantity>;

[[nodiscard]] inline onnx_value list_value(quantities elements)
{
    onnx_value out;
    out.shape = {static_cast<std::int64_t>(elements.size())};
    out.contents = std::move(elements);
    return out;
}

/// The extents, if all are constants.
[[nodiscard]] inline std::optional<std::vector<std::size_t>> known_extents(quantities const& shape)
{
    std::vector<std::size_t> out;
    for (model::quantity const& extent : shape) {
        if (!extent.constant()) return {};
        out.push_back(static_cast<std::size_t>(*extent.constant()));
    }
    return out;
}

/// The sign of a number, if parameters do not change it: BATCH + 1 is above 0.
[[nodiscard]] inline std::optional<int> known_sign(model::quantity const& q)
{
    if (q.is_same(0)) return 0;
    if ((q - 1).is_natural()) return 1;
    if ((-1 - q).is_natural()) return -1;
    return {};
}

[[nodiscard]] inline bool is_comparison(std::string_view op)
{
    return op == "Equal" || op == "Greater" || op == "Less";
}

/// Returns true if fold_two() has the operator.
[[nodiscard]] inline bool folds_two(std::string_view op)
{
    static std::set<std::string_view> const all = {"Add", "Sub", "Mul", "Min",   "Max",     "And",
                                                   "Or",  "Div", "Mod", "Equal", "Greater", "Less"};
    return all.contains(op);
}

/// An operation on two numbers of shapes; nothing if the result is no whole number.
/// @param is_floating  then a ratio with a remainder has no result
[[nodiscard]] inline folded_element fold_two(std::string_view op, model::quantity const& a,
                                             model::quantity const& b, bool is_floating)
{
    if (op == "Add") return a + b;
    if (op == "Sub") return a - b;
    if (op == "Mul") return a * b;
    if (op == "Min") return min(a, b);
    if (op == "Max") return max(a, b);
    if (op == "And") return a.as_truth() && b.as_truth();
    if (op == "Or") return a.as_truth() || b.as_truth();
    if (op == "Div" || op == "Mod") {
        if (b.constant() == 0) return {};
        bool const divides = op == "Div";
        if (auto const exact = exact_quotient(a, b)) return divides ? *exact : model::quantity(0);
        if (is_floating) return {};
        return divides ? a / b : a % b;
    }
    if (!is_comparison(op)) return {};
    std::optional<int> const sign = known_sign(a - b);
    if (op == "Equal") return sign ? model::quantity(*sign == 0 ? 1 : 0) : a == b;
    if (op == "Greater") return sign ? model::quantity(*sign > 0 ? 1 : 0) : a > b;
    if (op == "Less") return sign ? model::quantity(*sign < 0 ? 1 : 0) : a < b;
    return {};
}

/// Calls `fold` element by element, and repeats extents of 1.
template <class Fold>
[[nodiscard]] folded fold_elements(std::vector<onnx_value const*> const& in, Fold const& fold)
{
    std::size_t rank = 0;
    for (onnx_value const* v : in)
        rank = std::max(rank, v->shape.size());
    std::vector<std::size_t> extents(rank, 1);
    std::vector<std::vector<std::size_t>> of;
    for (onnx_value const* v : in) {
        auto const known = known_extents(v->shape);
        if (!known) return {};
        of.push_back(*known);
        of.back().insert(of.back().begin(), rank - of.back().size(), 1);
        for (std::size_t a = 0; a < rank; ++a) {
            if (extents[a] == 1) extents[a] = of.back()[a];
            if (of.back()[a] != 1 && of.back()[a] != extents[a]) return {}; // the layer refuses it
        }
    }
    std::size_t count = 1;
    for (std::size_t const extent : extents) {
        count *= extent;
        if (count > max_onnx_contents) return {};
    }
    onnx_value out;
    out.contents.emplace();
    for (std::size_t const extent : extents)
        out.shape.emplace_back(extent);
    std::vector<model::quantity const*> at(in.size());
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < in.size(); ++k) {
            std::size_t rest = i;
            std::size_t place = 0;
            std::size_t stride = 1;
            for (std::size_t a = rank; a-- > 0;) {
                place += of[k][a] == 1 ? 0 : rest % extents[a] * stride;
                rest /= extents[a];
                stride *= of[k][a];
            }
            at[k] = &(*in[k]->contents)[place];
        }
        folded_element const made = fold(at);
        if (!made) return {};
        out.contents->push_back(*made);
    }
    return out;
}

[[nodiscard]] inline folded fold_shape(onnx_layer const& at)
{
    quantities const& shape = at.shape(0);
    auto const count = static_cast<std::int64_t>(shape.size());
    auto const place = [&](std::int64_t i) {
        return std::clamp<std::int64_t>(i < 0 ? i + count : i, 0, count);
    };
    std::int64_t const start = place(at.integer("start", 0));
    std::int64_t const end = std::max(start, place(at.integer("end", count)));
    return list_value({shape.begin() + start, shape.begin() + end});
}

/// Gather along the first axis.
[[nodiscard]] inline folded fold_gather(onnx_layer const& at)
{
    onnx_value const& data = at.input(0);
    if (data.shape.empty() || at.integer("axis", 0) != 0) return {};
    auto const rows = data.shape.front().constant().value_or(0);
    if (rows == 0) return {};
    std::size_t const row = data.contents->size() / static_cast<std::size_t>(rows);
    onnx_value out;
    out.contents.emplace();
    out.shape = at.shape(1);
    out.shape.insert(out.shape.end(), data.shape.begin() + 1, data.shape.end());
    for (std::int64_t const index : at.numbers(1)) {
        if (index < -rows || index >= rows)
            at.refuse("it reads the element " + std::to_string(index) + " of " +
                      std::to_string(rows));
        std::size_t const from = static_cast<std::size_t>(index < 0 ? index + rows : index) * row;
        if (out.contents->size() + row > max_onnx_contents) return {};
        for (std::size_t i = 0; i < row; ++i)
            out.contents->push_back((*data.contents)[from + i]);
    }
    return out;
}

[[nodiscard]] inline folded fold_concat(onnx_layer const& at)
{
    quantities all;
    for (std::size_t i = 0; i < at.input_count(); ++i) {
        if (at.rank(i) != 1) return {};
        all.insert(all.end(), at.contents(i).begin(), at.contents(i).end());
        if (all.size() > max_onnx_contents) return {};
    }
    return list_value(std::move(all));
}

[[nodiscard]] inline folded fold_slice(onnx_layer const& at)
{
    if (at.rank(0) != 1) return {};
    auto const starts = at.list("starts", 1);
    auto const ends = at.list("ends", 2);
    std::optional<std::vector<std::int64_t>> steps;
    if (at.has(4)) steps = at.numbers(4);
    if (!starts || !ends || starts->size() != 1 || ends->size() != 1) return {};
    std::int64_t const step = steps && steps->size() == 1 ? steps->front() : 1;
    if (step == 0) return {};
    quantities const& all = at.contents(0);
    auto const count = static_cast<std::int64_t>(all.size());
    auto const place = [&](std::int64_t i, std::int64_t low, std::int64_t high) {
        return std::clamp(i < 0 ? i + count : i, low, high);
    };
    quantities out;
    if (step > 0) {
        std::int64_t const end = place(ends->front(), 0, count);
        for (std::int64_t i = place(starts->front(), 0, count); i < end;) {
            out.push_back(all[static_cast<std::size_t>(i)]);
            if (step >= end - i) break;
            i += step;
        }
    } else {
        std::int64_t const end = place(ends->front(), -1, count - 1);
        for (std::int64_t i = place(starts->front(), -1, count - 1); i > end;) {
            out.push_back(all[static_cast<std::size_t>(i)]);
            if (step <= end - i) break;
            i += step;
        }
    }
    return list_value(std::move(out));
}

[[nodiscard]] inline folded fold_range(onnx_layer const& at)
{
    for (std::size_t i = 0; i < 3; ++i)
        if (at.contents(i).size() != 1)
            at.refuse("its input " + std::to_string(i) + " has " +
                      std::to_string(at.contents(i).size()) + " elements, not 1");
    model::quantity const& first = at.contents(0)[0];
    model::quantity const& step = at.contents(2)[0];
    model::quantity const reach = at.contents(1)[0] - first;
    auto const by = step.constant();
    if (!by || *by == 0 || *by == std::numeric_limits<std::int64_t>::min()) return {};
    onnx_value out;
    out.shape = {*by == 1 ? reach : *by > 0 ? ceil_div(reach, *by) : ceil_div(0 - reach, -*by)};
    auto const count = out.shape.front().constant();
    if (!count || *count < 0 || *count > static_cast<std::int64_t>(max_onnx_contents)) return out;
    out.contents.emplace();
    for (std::int64_t i = 0; i < *count; ++i)
        out.contents->push_back(first + i * step);
    return out;
}

/// An array of one value.
[[nodiscard]] inline onnx_value filled(quantities shape, model::quantity const& value)
{
    onnx_value out;
    out.shape = std::move(shape);
    std::int64_t count = 1;
    for (model::quantity const& extent : out.shape) {
        auto const known = extent.constant();
        if (!known || *known < 0 ||
            (*known != 0 && count > static_cast<std::int64_t>(max_onnx_contents) / *known))
            return out;
        count *= *known;
    }
    out.contents.emplace(static_cast<std::size_t>(count), value);
    return out;
}

[[nodiscard]] inline folded fold_constant_of_shape(onnx_layer const& at)
{
    onnx_attribute const* const value = at.find("value");
    model::quantity of = 0;
    if (value != nullptr && value->array) {
        auto const& contents = value->array->contents;
        if (!contents || contents->size() != 1) {
            onnx_value out;
            out.shape = at.contents(0);
            out.is_floating = value->array->is_floating;
            return out;
        }
        of = contents->front();
    }
    onnx_value out = filled(at.contents(0), of);
    out.is_floating = value == nullptr || !value->array || value->array->is_floating;
    return out;
}

[[nodiscard]] inline folded fold_reduction(onnx_layer const& at)
{
    quantities const& all = at.contents(0);
    if (at.rank(0) != 1 || all.empty() || all.size() > 2 * max_onnx_axes) return {};
    std::string const& op = at.node().op;
    model::quantity out = all.front();
    for (std::size_t i = 1; i < all.size(); ++i)
        out = op == "ReduceProd"  ? out * all[i]
              : op == "ReduceSum" ? out + all[i]
              : op == "ReduceMax" ? max(out, all[i])
                                  : min(out, all[i]);
    onnx_value made;
    made.contents = quantities{out};
    if (at.integer("keepdims", 1) != 0) made.shape = {1};
    return made;
}

[[nodiscard]] inline folded fold_where(onnx_layer const& at)
{
    return fold_elements({&at.input(0), &at.input(1), &at.input(2)},
                         [](auto const& in) -> folded_element {
                             model::quantity const truth = in[0]->as_truth();
                             if (!truth.is_truth() && !truth.constant()) return {};
                             return select(truth, *in[1], *in[2]);
                         });
}

[[nodiscard]] inline folded fold_one(onnx_layer const& at)
{
    std::string const& op = at.node().op;
    onnx_value out = at.input(0);
    if (op == "Neg")
        for (model::quantity& q : *out.contents)
            q = 0 - q;
    if (op == "Not")
        for (model::quantity& q : *out.contents)
            q = !q.as_truth();
    return out;
}

/// The result of a node over shapes alone; nothing if its contents are unknown.
[[nodiscard]] inline folded fold(onnx_layer const& at)
{
    std::string const& op = at.node().op;
    if (op == "Shape") return fold_shape(at);
    if (op == "Size") {
        onnx_value out;
        out.contents = quantities{product_of(at.shape(0))};
        return out;
    }
    for (std::size_t i = 0; i < at.input_count(); ++i)
        if (at.has(i) && !at.input(i).contents) return {};
    static std::map<std::string_view, folded (*)(onnx_layer const&)> const folds = {
        {"Gather", fold_gather},
        {"Concat", fold_concat},
        {"Slice", fold_slice},
        {"Range", fold_range},
        {"ConstantOfShape", fold_constant_of_shape},
        {"ReduceProd", fold_reduction},
        {"ReduceSum", fold_reduction},
        {"ReduceMax", fold_reduction},
        {"ReduceMin", fold_reduction},
        {"Where", fold_where},
        {"Neg", fold_one},
        {"Not", fold_one},
        {"Floor", fold_one},
        {"Ceil", fold_one},
        {"Round", fold_one},
    };
    folded out;
    if (auto const found = folds.find(op); found != folds.end()) {
        if (!at.has(0)) return {};
        out = found->second(at);
        if (out && op != "ConstantOfShape" && op != "Range") out->stored = at.stored();
        std::size_t const typed = op == "Where" ? 1 : 0; // the input that has the result's type
        if (out && op != "ConstantOfShape") out->is_floating = at.input(typed).is_floating;
    } else if (folds_two(op) && at.input_count() == 2 && at.has(0) && at.has(1)) {
        bool const is_floating = at.input(0).is_floating;
        out = fold_elements({&at.input(0), &at.input(1)}, [&](auto const& in) {
            return fold_two(op, *in[0], *in[1], is_floating);
        });
        if (!out) return {};
        out->is_floating = is_floating && !is_comparison(op);
        out->stored = at.stored();
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
