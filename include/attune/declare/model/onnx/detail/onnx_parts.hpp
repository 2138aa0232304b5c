// attune/declare/model/onnx/detail/onnx_parts.hpp - operators that join, pick, repeat or reduce elements, or name shapes.
// SPDX-License-Identifier: MIT
// tested by declare/model/onnx/read_onnx.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/layers.hpp>
#include <attune/declare/model/onnx/detail/onnx_layer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline void read_concat(onnx_layer& at)
{
    std::size_t const axis = at.axis(at.integer("axis", 1), at.rank(0));
    std::vector<model::tensor> const x = at.tensors();
    if (x.size() == at.input_count()) return at.set(0, model::concat(x, axis));
    quantities shape = at.shape(0);
    for (std::size_t i = 1; i < at.input_count(); ++i) {
        quantities const& part = at.shape(i);
        if (part.size() != shape.size())
            at.refuse("its inputs have " + std::to_string(shape.size()) + " and " +
                      std::to_string(part.size()) + " axes");
        for (std::size_t a = 0; a < shape.size(); ++a) {
            if (a == axis)
                shape[a] += part[a];
            else if (!shape[a].is_same(part[a]))
                at.require(shape[a] == part[a], "its inputs have " + shape[a].name() + " and " +
                                                    part[a].name() + " on axis " +
                                                    std::to_string(a));
        }
    }
    at.set(0, at.finish(model::apply("concat", x, {.shape = shape}), at.constants()));
}

inline void read_flatten(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    std::int64_t const given = at.integer("axis", 1);
    auto const rank = static_cast<std::int64_t>(x.rank());
    if (given == 1 && rank >= 1) return at.set(0, model::flatten(x));
    std::size_t const axis = given == rank ? x.rank() : at.axis(given, x.rank());
    auto const middle = x.shape().begin() + static_cast<std::ptrdiff_t>(axis);
    at.set(0, model::reshape(x, {product_of({x.shape().begin(), middle}),
                                 product_of({middle, x.shape().end()})}));
}

/// `all` divided by the product of `others`; common factors cancel.
[[nodiscard]] inline model::quantity remaining_extent(onnx_layer const& at, quantities const& all,
                                                      quantities const& others)
{
    model::quantity const elements = product_of(all);
    model::quantity const known = product_of(others);
    if (known.constant() == 0) at.refuse("its shape has an extent of 0");
    if (auto const exact = exact_quotient(elements, known)) return *exact;
    at.require(elements % known == 0,
               elements.name() + " elements are not a multiple of " + known.name());
    return elements / known;
}

inline void read_reshape(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    quantities shape;
    if (at.has(1)) {
        shape = at.contents(1);
    } else {
        onnx_attribute const* const a = at.find("shape"); // before operator set 5
        shape = quantities_of(a == nullptr ? std::vector<std::int64_t>{} : a->integers);
    }
    if (shape.size() > max_onnx_axes)
        at.refuse("its shape has " + std::to_string(shape.size()) + " axes");
    bool const copies = at.integer("allowzero", 0) == 0;
    std::optional<std::size_t> free;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i].constant() == 0 && copies) {
            if (i >= x.rank())
                at.refuse("its shape copies the axis " + std::to_string(i) + " of an input with " +
                          std::to_string(x.rank()) + " axes");
            shape[i] = x.extent(i);
        } else if (shape[i].constant() == -1) {
            if (free) at.refuse("its shape has -1 twice");
            free = i;
        }
    }
    if (free) {
        quantities others = shape;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(*free));
        shape[*free] = remaining_extent(at, x.shape(), others);
    }
    at.set(0, model::reshape(x, shape));
}

inline void read_transpose(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    std::vector<std::size_t> axes;
    if (onnx_attribute const* const a = at.find("perm"))
        for (std::int64_t const axis : a->integers)
            axes.push_back(at.axis(axis, x.rank()));
    else
        for (std::size_t i = x.rank(); i-- > 0;)
            axes.push_back(i);
    at.set(0, model::transpose(x, axes));
}

inline void read_squeeze(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    auto const given = at.list("axes", 1);
    std::vector<char> is_left_out(x.rank(), 0);
    for (std::size_t i = 0; !given && i < x.rank(); ++i)
        is_left_out[i] = x.extent(i).constant() == 1;
    for (std::int64_t const axis : given.value_or(std::vector<std::int64_t>{}))
        is_left_out[at.axis(axis, x.rank())] = 1;
    quantities shape;
    for (std::size_t i = 0; i < x.rank(); ++i) {
        if (is_left_out[i] == 0) {
            shape.push_back(x.extent(i));
            if (!given && !x.extent(i).constant()) // an extent of 1 changes the number of axes
                at.require(x.extent(i) != 1, "it leaves out an axis of " + x.extent(i).name());
        } else if (x.extent(i).constant() != 1)
            at.require(x.extent(i) == 1, "it leaves out an axis of " + x.extent(i).name());
    }
    at.set(0, model::reshape(x, shape));
}

inline void read_unsqueeze(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    std::vector<std::int64_t> const given =
        at.list("axes", 1).value_or(std::vector<std::int64_t>{});
    std::size_t const rank = x.rank() + given.size();
    if (rank > max_onnx_axes) at.refuse("its output has " + std::to_string(rank) + " axes");
    std::vector<char> is_new(rank, 0);
    for (std::int64_t const axis : given)
        if (std::exchange(is_new[at.axis(axis, rank)], 1) != 0) at.refuse("it adds an axis twice");
    quantities shape;
    std::size_t next = 0;
    for (std::size_t i = 0; i < rank; ++i)
        shape.push_back(is_new[i] != 0 ? model::quantity(1) : x.extent(next++));
    at.set(0, model::reshape(x, shape));
}

inline void read_gather(onnx_layer& at)
{
    std::size_t const axis = at.axis(at.integer("axis", 0), at.rank(0));
    quantities const& data = at.shape(0);
    if (!at.flows(0) && at.flows(1) && axis == 0 && data.size() == 2) {
        model::tensor const y = model::embedding(at.tensor(1), data[0], data[1]);
        at.finish(y, {at.input(0)});
        y.graph().steps.back().cost.weights_read = y.elements();
        return at.set(0, y);
    }
    auto const cut = static_cast<std::ptrdiff_t>(axis);
    quantities shape(data.begin(), data.begin() + cut);
    shape.insert(shape.end(), at.shape(1).begin(), at.shape(1).end());
    shape.insert(shape.end(), data.begin() + cut + 1, data.end());
    model::quantity const read = product_of(shape);
    model::tensor const y =
        model::apply("gather", at.tensors(),
                     {.shape = shape,
                      .inputs_read = (at.flows(0) ? read : model::quantity(0)) +
                                     (at.flows(1) ? product_of(at.shape(1)) : model::quantity(0))});
    at.finish(y, at.constants());
    if (!at.flows(0)) y.graph().steps.back().cost.weights_read = read;
    at.set(0, y);
}

/// Number of places from `start` to `end` in steps of `step` on an axis of `extent`.
[[nodiscard]] inline model::quantity sliced_extent(onnx_layer const& at,
                                                   model::quantity const& extent,
                                                   model::quantity start, model::quantity end,
                                                   std::int64_t step)
{
    if (step == 0 || step == std::numeric_limits<std::int64_t>::min())
        at.refuse("it has steps of " + std::to_string(step));
    auto const first = start.constant();
    auto const last = end.constant();
    if (auto const known = extent.constant(); known && first && last) {
        std::int64_t const low = step > 0 ? 0 : -1;
        std::int64_t const high = step > 0 ? *known : *known - 1;
        auto const place = [&](std::int64_t i) {
            return std::clamp(i < 0 ? i + *known : i, low, high);
        };
        std::int64_t const reach =
            step > 0 ? place(*last) - place(*first) : place(*first) - place(*last);
        std::int64_t const by = step > 0 ? step : -step;
        return reach <= 0 ? 0 : (reach - 1) / by + 1;
    }
    if (step < 0) {
        // From the last element back to the first: this form reverses an axis.
        if (step == -1 && first && *first == -1 && last && *last < -0x7fffffffLL) return extent;
        at.refuse("it goes backwards through an axis of " + extent.name(),
                  "give that size as a number: onnx_options::sizes");
    }
    // Below 0 both count from the end, and stop at the first element.
    if (first && *first < 0)
        start = max(extent + *first, 0);
    else if (!start.is_natural())
        start = select(start < 0, max(start + extent, 0), start);
    if (!last && !end.is_natural()) end = select(end < 0, end + extent, end);
    if (last && *last < 0)
        end = extent + *last;
    else if (last && *last >= 0x7fffffffLL) // "to the end"
        end = extent;
    else if (last && !extent.constant())
        end = min(extent, end);
    else if (!last && extent.constant() && !at.input(0).flows) // a table: at most all of its rows
        at.require(end <= extent, "it ends behind an axis of " + extent.name());
    else if (!last && !end.is_same(extent) && !(extent - end).is_natural())
        end = min(extent, end);
    model::quantity const reach = end - start;
    if (step == 1) return reach;
    if (!reach.is_positive())
        at.require(reach >= 1, "it takes nothing of an axis of " + extent.name());
    return ceil_div(reach.as_extent(), step);
}

inline void read_slice(onnx_layer& at)
{
    quantities shape = at.shape(0);
    auto const ends_of = [&](std::string const& attribute, std::size_t i) {
        if (at.has(i)) return at.contents(i);
        onnx_attribute const* const a = at.find(attribute);
        if (a == nullptr) at.refuse("it has no " + attribute);
        return quantities_of(a->integers);
    };
    quantities const starts = ends_of("starts", 1);
    quantities const ends = ends_of("ends", 2);
    std::vector<std::int64_t> axes;
    if (auto const given = at.list("axes", 3))
        axes = *given;
    else
        for (std::size_t i = 0; i < starts.size(); ++i)
            axes.push_back(static_cast<std::int64_t>(i));
    std::vector<std::int64_t> const steps =
        at.has(4) ? at.numbers(4) : std::vector<std::int64_t>(axes.size(), 1);
    if (starts.size() != axes.size() || ends.size() != axes.size() || steps.size() != axes.size())
        at.refuse("its starts, ends, axes and steps are not equally many");
    for (std::size_t i = 0; i < axes.size(); ++i) {
        model::quantity& extent = shape[at.axis(axes[i], shape.size())];
        extent = sliced_extent(at, extent, starts[i], ends[i], steps[i]);
    }
    at.set(0, model::slice(at.tensor(0), shape));
}

inline void read_split(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    std::size_t const axis = at.axis(at.integer("axis", 0), x.rank());
    std::size_t const parts = at.node().outputs.size();
    quantities extents;
    if (at.has(1)) {
        extents = at.contents(1);
    } else if (onnx_attribute const* const a = at.find("split")) {
        extents = quantities_of(a->integers);
    } else {
        model::quantity const each = ceil_div(x.extent(axis), parts);
        model::quantity const even = exact_quotient(x.extent(axis), parts).value_or(each);
        extents.assign(parts, even);
        extents.back() = x.extent(axis) - (parts - 1) * even;
    }
    if (extents.size() != parts)
        at.refuse("it has " + std::to_string(parts) + " outputs and " +
                  std::to_string(extents.size()) + " extents");
    model::quantity all = 0;
    for (model::quantity const& extent : extents)
        all += extent;
    if (!all.is_same(x.extent(axis)))
        at.require(all == x.extent(axis),
                   "its parts have " + all.name() + " of " + x.extent(axis).name());
    for (std::size_t i = 0; i < parts; ++i) {
        if (!at.wants(i)) continue;
        quantities shape = x.shape();
        shape[axis] = extents[i];
        at.set(i, model::slice(x, shape));
    }
}

inline void read_expand(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    quantities const shape = model::broadcast_shape(x, at.kind(), {x.shape(), at.contents(1)});
    at.set(0, model::apply("expand", {x}, {.shape = shape}));
}

inline void read_tile(onnx_layer& at)
{
    quantities shape = at.shape(0);
    quantities const& repeats = at.contents(1);
    if (repeats.size() != shape.size())
        at.refuse("it has " + std::to_string(repeats.size()) + " repeats of " +
                  std::to_string(shape.size()) + " axes");
    for (std::size_t i = 0; i < shape.size(); ++i)
        shape[i] = shape[i] * repeats[i];
    at.set(0, model::apply("tile", {at.tensor(0)}, {.shape = shape}));
}

inline void read_pad(onnx_layer& at)
{
    quantities shape = at.shape(0);
    onnx_attribute const* const a = at.find("pads");
    quantities const pads =
        at.has(1) ? at.contents(1)
                  : quantities_of(a == nullptr ? std::vector<std::int64_t>{} : a->integers);
    if (pads.size() != 2 * shape.size())
        at.refuse("it has " + std::to_string(pads.size()) + " pads for " +
                  std::to_string(shape.size()) + " axes");
    for (std::size_t i = 0; i < shape.size(); ++i)
        shape[i] = shape[i] + pads[i] + pads[i + shape.size()];
    at.set(0, model::apply("pad", {at.tensor(0)}, {.shape = shape}));
}

/// Resize and Upsample: whole factors, or the extents of the output.
inline void read_resize(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    std::size_t const scales = at.node().op == "Upsample" || at.state().opset < 11 ? 1 : 2;
    quantities shape = x.shape();
    onnx_attribute const* const a = at.find("scales");
    if (at.has(3) && at.shape(3).size() == 1 && at.shape(3)[0].constant() != 0) {
        shape = at.contents(3);
    } else if (at.has(scales)) {
        quantities const& factors = at.contents(scales);
        for (std::size_t i = 0; i < shape.size() && factors.size() == shape.size(); ++i)
            shape[i] = shape[i] * factors[i];
        if (factors.size() != shape.size()) shape.clear();
    } else if (a != nullptr && a->reals.size() == shape.size()) {
        for (std::size_t i = 0; i < shape.size(); ++i) {
            auto const factor =
                a->reals[i] >= 1 && a->reals[i] < 1e9 ? static_cast<std::int64_t>(a->reals[i]) : 0;
            if (static_cast<double>(factor) != a->reals[i])
                at.refuse("its factors are not whole", "give its output extents in place of them");
            shape[i] = shape[i] * factor;
        }
    } else {
        shape.clear();
    }
    if (shape.size() != x.rank()) at.refuse("its scales or sizes are not one per axis");
    at.set(0, model::apply("resize", {x}, {.shape = shape}));
}

/// ReduceMean and the like, and ArgMax: one operation per element of the input.
inline void read_reduction(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    bool const is_place = at.node().op.starts_with("Arg");
    auto const given =
        is_place ? std::optional(std::vector{at.integer("axis", 0)}) : at.list("axes", 1);
    bool const is_all = !given || given->empty();
    if (is_all && at.integer("noop_with_empty_axes", 0) != 0) return at.set(0, x);
    std::vector<char> is_reduced(x.rank(), is_all ? 1 : 0);
    if (given)
        for (std::int64_t const axis : *given)
            is_reduced[at.axis(axis, x.rank())] = 1;
    bool const keeps = at.integer("keepdims", 1) != 0;
    quantities shape;
    for (std::size_t i = 0; i < x.rank(); ++i) {
        if (is_reduced[i] == 0)
            shape.push_back(x.extent(i));
        else if (keeps)
            shape.emplace_back(1);
    }
    at.set(0, model::apply(at.kind(), {x}, {.shape = shape, .operations = x.elements()}));
}

/// DepthToSpace and SpaceToDepth: blocks of channels as blocks of pixels, and back.
inline void read_blocks(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    std::int64_t const block = at.integer("blocksize", 1);
    if (x.rank() != 4 || block < 1 || block > 0xffff)
        at.refuse("it needs 4 axes and blocks of at least 1");
    quantities shape = x.shape();
    bool const is_to_space = at.node().op == "DepthToSpace";
    auto const cut = [&](model::quantity const& extent, std::int64_t by) {
        at.require(extent % by == 0,
                   "blocks of " + std::to_string(by) + " do not divide " + extent.name());
        return exact_quotient(extent, by).value_or(extent / by);
    };
    shape[1] = is_to_space ? cut(shape[1], block * block) : shape[1] * (block * block);
    for (std::size_t i = 2; i < 4; ++i)
        shape[i] = is_to_space ? shape[i] * block : cut(shape[i], block);
    at.set(0, model::apply(at.kind(), {x}, {.shape = shape}));
}

} // namespace attune::inline ATTUNE_ABI::detail
