// attune/declare/model/layers.ipp - shapes and costs of layers without a window.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/model/layers.hpp>

#include <algorithm>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline void require_sequence(model::tensor const& x, std::string const& kind)
{
    if (x.rank() != 3)
        throw error(kind + " takes 3 axes, not " + std::to_string(x.rank()),
                    layer_place(x.graph(), kind),
                    "reshape its input to samples x steps x features");
}

[[nodiscard]] inline model::tensor recur(std::string const& kind, std::int64_t gates,
                                         model::tensor const& x, model::recurrent const& o)
{
    require_sequence(x, kind);
    model::require(x, kind, o.layers >= 1, "it has " + o.layers.name() + " layers");
    std::int64_t const directions = o.bidirectional ? 2 : 1;
    model::quantity const steps = x.extent(0) * x.extent(1);
    model::quantity const made = directions * o.units;
    model::quantity const of_gates = made * gates; // of all directions
    model::quantity const further = o.layers - 1;
    model::quantity const products =
        of_gates * (x.extent(2) + o.units) + further * of_gates * (made + o.units);
    std::vector<model::quantity> shape{x.extent(0)};
    if (o.returns_sequence) shape.push_back(x.extent(1));
    shape.push_back(made);
    return model::apply(kind, {x},
                        {.shape = std::move(shape),
                         .weights = products + o.layers * of_gates * o.biases,
                         .multiply_adds = steps * products,
                         .operations = steps * o.layers * made * (gates + 5)});
}

} // namespace detail

namespace model {

ATTUNE_INLINE tensor lstm(tensor const& x, recurrent const& options)
{
    return detail::recur("lstm", 4, x, options);
}

ATTUNE_INLINE tensor gru(tensor const& x, recurrent const& options)
{
    return detail::recur("gru", 3, x, options);
}

ATTUNE_INLINE tensor attention(tensor const& x, attention_options const& options)
{
    return attention(x, x, options);
}

ATTUNE_INLINE tensor attention(tensor const& x, tensor const& memory,
                               attention_options const& options)
{
    detail::require_sequence(x, "attention");
    detail::require_sequence(memory, "attention");
    if (!x.extent(0).is_same(memory.extent(0)))
        require(x, "attention", x.extent(0) == memory.extent(0),
                "its inputs have " + x.extent(0).name() + " and " + memory.extent(0).name() +
                    " samples");
    quantity const features = x.extent(2);
    quantity const source = memory.extent(2);
    if (!options.head_size)
        require(x, "attention", features % options.heads == 0,
                options.heads.name() + " heads do not divide " + features.name() + " features");
    quantity const inner =
        options.head_size ? options.heads * *options.head_size : features; // of all heads
    quantity const rows = x.extent(0) * x.extent(1);
    quantity const columns = x.extent(0) * memory.extent(1);
    quantity const pairs = rows * memory.extent(1);
    quantity const kernels = 2 * features * inner + 2 * source * inner;
    quantity const projected = inner * (rows + 2 * columns); // queries, keys and values
    quantity const scores = options.heads * pairs;
    std::vector<tensor> inputs{x};
    if (&memory.graph() != &x.graph() || memory.number() != x.number()) inputs.push_back(memory);
    return apply("attention", inputs,
                 {.shape = x.shape(),
                  .weights = options.bias ? kernels + 3 * inner + features : kernels,
                  .multiply_adds = 2 * rows * features * inner + 2 * columns * source * inner +
                                   2 * pairs * inner,
                  .operations = 5 * scores,
                  .scratch = options.keeps_scores ? projected + scores : projected});
}

} // namespace model

namespace detail {

inline void require_rank(model::tensor const& x, std::string const& kind, std::size_t least)
{
    require_form(x.graph(), kind, x.rank() >= least,
                 kind + " takes " + std::to_string(least) + " axes or more, not " +
                     std::to_string(x.rank()));
}

/// Refuses two tensors whose extents differ on an axis other than `free`.
/// @param repeats  accepts an extent of 1 in `b`
inline void require_same(model::tensor const& a, model::tensor const& b, std::string const& kind,
                         std::size_t free, bool repeats)
{
    require_form(a.graph(), kind, a.rank() == b.rank(),
                 "its inputs have " + std::to_string(a.rank()) + " and " +
                     std::to_string(b.rank()) + " axes");
    for (std::size_t i = 0; i < std::min(a.rank(), b.rank()); ++i) {
        if (i == free || (repeats && b.extent(i).constant() == 1)) continue;
        if (a.extent(i).is_same(b.extent(i))) continue;
        model::require(a, kind, a.extent(i) == b.extent(i),
                       "its inputs have " + a.extent(i).name() + " and " + b.extent(i).name() +
                           " on axis " + std::to_string(i));
    }
}

[[nodiscard]] inline std::vector<model::quantity> with_last(model::tensor const& x,
                                                            model::quantity const& extent)
{
    std::vector<model::quantity> shape = x.shape();
    shape.back() = extent;
    return shape;
}

[[nodiscard]] inline model::quantity broadcast_extent(model::tensor const& at,
                                                      std::string const& kind,
                                                      model::quantity const& a,
                                                      model::quantity const& b)
{
    if (a.is_same(b) || b.constant() == 1) return a;
    if (a.constant() == 1) return b;
    std::string const reason =
        "extents of " + a.name() + " and " + b.name() + " meet, and none is 1";
    bool const is_known = a.constant().has_value();
    if (!is_known && !b.constant()) {
        model::require(at, kind, a == b || a == 1 || b == 1, reason);
        return max(a, b);
    }
    model::quantity const& known = is_known ? a : b;
    model::quantity const& other = is_known ? b : a;
    model::require(at, kind, other == known || other == 1, reason);
    return known;
}

ATTUNE_INLINE product_shape shape_of_product(model::tensor const& at,
                                             std::vector<model::quantity> a,
                                             std::vector<model::quantity> b)
{
    require_form(at.graph(), "matmul", !a.empty() && !b.empty(), "an input has no axis");
    bool const is_row = a.size() == 1;
    bool const is_column = b.size() == 1;
    if (is_row) a.insert(a.begin(), model::quantity(1));
    if (is_column) b.emplace_back(1);
    model::quantity const inner = a.back();
    model::quantity const rows = a[a.size() - 2];
    model::quantity const columns = b.back();
    model::quantity const met = b[b.size() - 2];
    if (!inner.is_same(met))
        model::require(at, "matmul", inner == met,
                       "rows of " + inner.name() + " meet columns of " + met.name());
    a.resize(a.size() - 2);
    b.resize(b.size() - 2);
    product_shape out{model::broadcast_shape(at, "matmul", {a, b}), inner};
    if (!is_row) out.shape.push_back(rows);
    if (!is_column) out.shape.push_back(columns);
    return out;
}

} // namespace detail

namespace model {

ATTUNE_INLINE tensor dense(tensor const& x, quantity const& units, dense_options options)
{
    detail::require_rank(x, "dense", 2);
    std::vector<quantity> shape = detail::with_last(x, units);
    quantity const inputs = x.shape().back();
    quantity const kernel = inputs * units;
    quantity const bias = options.bias ? units : quantity(0);
    return apply("dense", {x},
                 {.shape = shape,
                  .weights = options.is_tied ? bias : kernel + bias,
                  .multiply_adds = detail::product_of(shape) * inputs,
                  .weights_read = kernel + bias});
}

ATTUNE_INLINE tensor embedding(tensor const& x, quantity const& vocabulary,
                               quantity const& features)
{
    require(x, "embedding", vocabulary >= 1, "it has " + vocabulary.name() + " words");
    std::vector<quantity> shape = x.shape();
    shape.push_back(features);
    return apply("embedding", {x},
                 {.shape = std::move(shape),
                  .weights = vocabulary * features,
                  .weights_read = x.elements() * features});
}

ATTUNE_INLINE tensor matmul(tensor const& a, tensor const& b)
{
    detail::product_shape made = detail::shape_of_product(a, a.shape(), b.shape());
    quantity const products = detail::product_of(made.shape) * made.inner;
    return apply("matmul", {a, b}, {.shape = std::move(made.shape), .multiply_adds = products});
}

ATTUNE_INLINE tensor batch_norm(tensor const& x, bool scales)
{
    detail::require_rank(x, "batch_norm", 2);
    return apply("batch_norm", {x},
                 {.shape = x.shape(),
                  .weights = scales ? 2 * x.extent(1) : x.extent(1),
                  .statistics = 2 * x.extent(1),
                  .operations = 2 * x.elements(),
                  .may_overwrite = true});
}

ATTUNE_INLINE tensor layer_norm(tensor const& x)
{
    detail::require_rank(x, "layer_norm", 1);
    return apply(
        "layer_norm", {x},
        {.shape = x.shape(), .weights = 2 * x.shape().back(), .operations = 8 * x.elements()});
}

ATTUNE_INLINE tensor activation(tensor const& x, std::string const& function,
                                std::int64_t operations)
{
    return apply(
        function, {x},
        {.shape = x.shape(), .operations = operations * x.elements(), .may_overwrite = true});
}

ATTUNE_INLINE tensor relu(tensor const& x) { return activation(x, "relu"); }
ATTUNE_INLINE tensor sigmoid(tensor const& x) { return activation(x, "sigmoid", 4); }
ATTUNE_INLINE tensor gelu(tensor const& x) { return activation(x, "gelu", 8); }
ATTUNE_INLINE tensor softmax(tensor const& x) { return activation(x, "softmax", 4); }

ATTUNE_INLINE tensor add(tensor const& a, tensor const& b)
{
    detail::require_same(a, b, "add", no_index, true);
    return apply("add", {a, b},
                 {.shape = a.shape(), .operations = a.elements(), .may_overwrite = true});
}

ATTUNE_INLINE tensor multiply(tensor const& a, tensor const& b)
{
    detail::require_same(a, b, "multiply", no_index, true);
    return apply("multiply", {a, b},
                 {.shape = a.shape(), .operations = a.elements(), .may_overwrite = true});
}

ATTUNE_INLINE std::vector<quantity>
broadcast_shape(tensor const& at, std::string const& kind,
                std::vector<std::vector<quantity>> const& shapes)
{
    std::size_t rank = 0;
    for (std::vector<quantity> const& s : shapes)
        rank = std::max(rank, s.size());
    std::vector<quantity> out(rank, quantity(1));
    for (std::vector<quantity> const& s : shapes)
        for (std::size_t i = 0; i < s.size(); ++i) {
            quantity& made = out[rank - s.size() + i];
            made = detail::broadcast_extent(at, kind, made, s[i]);
        }
    return out;
}

ATTUNE_INLINE tensor concat(std::vector<tensor> const& parts, std::size_t axis)
{
    if (parts.empty()) throw error("a layer needs an input", "concat", "pass the tensors it joins");
    tensor const& first = parts.front();
    detail::require_rank(first, "concat", axis + 1 == 0 ? axis : axis + 1);
    std::vector<quantity> shape = first.shape();
    shape[axis] = 0;
    for (tensor const& part : parts) {
        detail::require_same(first, part, "concat", axis, false);
        shape[axis] += part.extent(axis);
    }
    return apply("concat", parts, {.shape = std::move(shape)});
}

ATTUNE_INLINE tensor flatten(tensor const& x)
{
    detail::require_rank(x, "flatten", 1);
    std::vector<quantity> const others(x.shape().begin() + 1, x.shape().end());
    return apply("flatten", {x},
                 {.shape = {x.extent(0), detail::product_of(others)}, .is_view = true});
}

ATTUNE_INLINE tensor reshape(tensor const& x, std::vector<quantity> shape)
{
    quantity const wanted = detail::product_of(shape);
    if (!wanted.is_same(x.elements()))
        require(x, "reshape", wanted == x.elements(),
                "a shape of " + wanted.name() + " elements cannot hold " + x.elements().name());
    return apply("reshape", {x}, {.shape = std::move(shape), .is_view = true});
}

ATTUNE_INLINE tensor transpose(tensor const& x, std::vector<std::size_t> const& axes)
{
    std::vector<std::size_t> sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    bool is_order = sorted.size() == x.rank();
    for (std::size_t i = 0; is_order && i < sorted.size(); ++i)
        is_order = sorted[i] == i;
    detail::require_form(x.graph(), "transpose", is_order,
                         "its axes are no order of those of its input");
    std::vector<quantity> shape;
    for (std::size_t const axis : axes)
        shape.push_back(x.extent(axis));
    return apply("transpose", {x}, {.shape = std::move(shape)});
}

ATTUNE_INLINE tensor slice(tensor const& x, std::vector<quantity> shape)
{
    quantity const read = detail::product_of(shape);
    return apply("slice", {x}, {.shape = std::move(shape), .inputs_read = read});
}

ATTUNE_INLINE tensor upsample(tensor const& x, quantity const& factor)
{
    std::vector<quantity> shape = x.shape();
    for (std::size_t i = 2; i < shape.size(); ++i)
        shape[i] = shape[i] * factor;
    return apply("upsample", {x}, {.shape = std::move(shape)});
}

} // namespace model

} // namespace attune::inline ATTUNE_ABI
