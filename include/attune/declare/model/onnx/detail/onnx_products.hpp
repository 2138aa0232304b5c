// attune/declare/model/onnx/detail/onnx_products.hpp - convolutions, pooling, matrix products, norms and recurrent layers of ONNX.
// SPDX-License-Identifier: MIT
// tested by declare/model/onnx/read_onnx.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/convolution.hpp>
#include <attune/declare/model/layers.hpp>
#include <attune/declare/model/onnx/detail/onnx_layer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Number of axes of space of input 0.
[[nodiscard]] inline std::size_t axes_of_space(onnx_layer const& at)
{
    if (at.rank(0) < 3 || at.rank(0) > 5)
        at.refuse("its input has " + std::to_string(at.rank(0)) + " axes, not 3 to 5",
                  "read it by an operator of your own: onnx_options::operators");
    return at.rank(0) - 2;
}

/// The first or second half of `pads`, or 0 for each axis.
[[nodiscard]] inline quantities pads_of(onnx_layer const& at, std::size_t axes, bool is_behind)
{
    if (auto const all = at.replaced("pads")) return quantities(axes, *all);
    quantities const both = at.sizes("pads", 2 * axes, quantities(2 * axes, model::quantity(0)));
    auto const middle = both.begin() + static_cast<std::ptrdiff_t>(axes);
    return is_behind ? quantities(middle, both.end()) : quantities(both.begin(), middle);
}

[[nodiscard]] inline bool has_same_extent(onnx_layer const& at)
{
    return at.text("auto_pad", "NOTSET").starts_with("SAME_");
}

[[nodiscard]] inline model::padding padding_of(onnx_layer const& at, std::size_t axes)
{
    if (has_same_extent(at)) return model::padding::same_extent();
    model::padding out;
    out.each_side = model::per_axis(pads_of(at, axes, false));
    out.behind = model::per_axis(pads_of(at, axes, true));
    return out;
}

/// Extents of the windows: an attribute, or the last extents of the weights.
[[nodiscard]] inline quantities kernel_of(onnx_layer const& at, std::size_t axes)
{
    if (at.rank(1) != axes + 2)
        at.refuse("its weights have " + std::to_string(at.rank(1)) + " axes, not " +
                  std::to_string(axes + 2));
    quantities const stored(at.shape(1).begin() + 2, at.shape(1).end());
    return at.sizes("kernel_shape", axes, stored);
}

[[nodiscard]] inline model::quantity divided_by(model::quantity const& a, model::quantity const& b)
{
    auto const exact = exact_quotient(a, b);
    return exact ? *exact : a / b;
}

/// @param weights  the first two extents of the weights; `kernel` has the others
inline void finish_convolution(onnx_layer& at, model::tensor const& y, quantities weights,
                               quantities const& kernel, model::quantity const& filters)
{
    weights.insert(weights.end(), kernel.begin(), kernel.end());
    std::vector<onnx_value> operands{at.operand(1, weights)};
    if (at.has(2)) operands.push_back(at.operand(2, {filters}));
    at.set(0, at.finish(y, operands));
}

inline void read_convolution(onnx_layer& at)
{
    std::size_t const axes = axes_of_space(at);
    model::tensor const x = at.tensor(0);
    quantities const kernel = kernel_of(at, axes);
    quantities const ones(axes, model::quantity(1));
    model::convolution const o{.filters = at.replaced("filters").value_or(at.shape(1)[0]),
                               .kernel = model::per_axis(kernel),
                               .stride = model::per_axis(at.sizes("strides", axes, ones)),
                               .pad = padding_of(at, axes),
                               .dilation = model::per_axis(at.sizes("dilations", axes, ones)),
                               .groups = at.size("group", 1),
                               .bias = at.has(2)};
    model::tensor const y = axes == 1   ? model::conv1d(x, o)
                            : axes == 2 ? model::conv2d(x, o)
                                        : model::conv3d(x, o);
    finish_convolution(at, y, {o.filters, divided_by(x.extent(1), o.groups)}, kernel, o.filters);
}

inline void read_transposed_convolution(onnx_layer& at)
{
    std::size_t const axes = axes_of_space(at);
    model::tensor const x = at.tensor(0);
    quantities const kernel = kernel_of(at, axes);
    quantities const ones(axes, model::quantity(1));
    quantities const zeros(axes, model::quantity(0));
    quantities const strides = at.sizes("strides", axes, ones);
    quantities const dilations = at.sizes("dilations", axes, ones);
    quantities const more = at.sizes("output_padding", axes, zeros);
    quantities before = pads_of(at, axes, false);
    quantities behind = pads_of(at, axes, true);
    // If the file gives the extents of the output, the padding follows from them.
    bool const is_given = at.find("output_shape") != nullptr;
    quantities const given = at.sizes("output_shape", axes, zeros);
    for (std::size_t a = 0; a < axes && (is_given || has_same_extent(at)); ++a) {
        model::quantity const full =
            (x.extent(a + 2) - 1) * strides[a] + dilations[a] * (kernel[a] - 1) + more[a] + 1;
        before[a] = 0;
        behind[a] = full - (is_given ? given[a] : x.extent(a + 2) * strides[a]);
    }
    model::quantity const groups = at.size("group", 1);
    model::quantity const filters = at.replaced("filters").value_or(at.shape(1)[1] * groups);
    model::transposed_convolution const o{.filters = filters,
                                          .kernel = model::per_axis(kernel),
                                          .stride = model::per_axis(strides),
                                          .pad = model::per_axis(before),
                                          .output_padding = model::per_axis(more),
                                          .dilation = model::per_axis(dilations),
                                          .groups = groups,
                                          .bias = at.has(2),
                                          .pad_behind = model::per_axis(behind)};
    model::tensor const y = axes == 1   ? model::transposed_conv1d(x, o)
                            : axes == 2 ? model::transposed_conv2d(x, o)
                                        : model::transposed_conv3d(x, o);
    finish_convolution(at, y, {x.extent(1), divided_by(filters, groups)}, kernel, filters);
}

inline void read_pooling(onnx_layer& at)
{
    std::size_t const axes = axes_of_space(at);
    model::tensor const x = at.tensor(0);
    quantities const ones(axes, model::quantity(1));
    for (model::quantity const& dilation : at.sizes("dilations", axes, ones))
        if (dilation.constant() != 1)
            at.refuse("its windows have gaps (dilations)",
                      "read it by an operator of your own: onnx_options::operators");
    if (at.find("kernel_shape") == nullptr) at.refuse("it has no attribute kernel_shape");
    // From these operator sets on, a window that would start in the padding behind does not count.
    bool const is_largest = at.node().op == "MaxPool";
    model::pooling const o{.window = model::per_axis(at.sizes("kernel_shape", axes, ones)),
                           .stride = model::per_axis(at.sizes("strides", axes, ones)),
                           .pad = padding_of(at, axes),
                           .ceil = at.integer("ceil_mode", 0) != 0,
                           .ceil_in_padding = at.state().opset < (is_largest ? 12 : 19)};
    using pool = model::tensor (*)(model::tensor const&, model::pooling const&);
    std::array<pool, 3> const largest{model::max_pool1d, model::max_pool2d, model::max_pool3d};
    std::array<pool, 3> const mean{model::average_pool1d, model::average_pool2d,
                                   model::average_pool3d};
    model::tensor const y = (is_largest ? largest : mean)[axes - 1](x, o);
    at.set(0, y);
    if (at.wants(1)) // output 1: the places of the maxima
        at.set(1, model::apply("places", {x},
                               {.shape = y.shape(), .inputs_read = model::quantity(0)}));
}

/// Global average or maximum: one operation per element of the input.
inline void read_global_pooling(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    model::tensor const y = model::global_average_pool(x);
    quantities shape = y.shape();
    shape.resize(x.rank(), model::quantity(1));
    at.set(0, model::reshape(y, shape));
}

/// Returns true if the file stores input `i`, as it stores weights.
[[nodiscard]] inline bool is_stored(onnx_layer const& at, std::size_t i)
{
    return at.has(i) && !at.flows(i);
}

inline void read_matmul(onnx_layer& at)
{
    if (is_stored(at, 1) && at.rank(1) == 2 && at.rank(0) >= 2) {
        model::tensor const x = at.tensor(0);
        model::quantity const units = at.replaced("units").value_or(at.shape(1)[1]);
        onnx_value const weights = at.operand(1, {x.shape().back(), units});
        at.set(0, at.finish(model::dense(x, units, {.bias = false}), {weights}));
        return;
    }
    std::vector<model::tensor> const x = at.tensors();
    product_shape made = shape_of_product(x.front(), at.shape(0), at.shape(1));
    model::quantity const products = product_of(made.shape) * made.inner;
    model::tensor const y =
        x.size() == 2 && at.input_count() == 2
            ? model::matmul(x[0], x[1])
            : model::apply("matmul", x, {.shape = made.shape, .multiply_adds = products});
    at.set(0, at.finish(y, at.constants()));
}

/// Input 2 of Gemm: its extents are those of the product, or 1 where the operator repeats it.
[[nodiscard]] inline onnx_value added_operand(onnx_layer const& at, quantities const& product)
{
    quantities expected = at.shape(2);
    if (expected.size() > product.size())
        at.refuse("its input 2 has " + std::to_string(expected.size()) + " axes, not 2 at most");
    for (std::size_t i = 0; i < expected.size(); ++i) {
        model::quantity& own = expected[i];
        model::quantity const& made = product[product.size() - expected.size() + i];
        if (own.constant() == 1) continue;
        if (own.constant() || own.is_same(made))
            own = made;
        else
            at.require(own == made || own == 1, "its input 2 has the extent " + own.name() +
                                                    ", where the layer has " + made.name());
    }
    return at.operand(2, expected);
}

inline void read_gemm(onnx_layer& at)
{
    for (std::size_t i = 0; i < 2; ++i)
        if (at.rank(i) != 2)
            at.refuse("its input " + std::to_string(i) + " has " + std::to_string(at.rank(i)) +
                      " axes, not 2");
    bool const is_a_turned = at.integer("transA", 0) != 0;
    bool const is_b_turned = at.integer("transB", 0) != 0;
    model::quantity const units = at.replaced("units").value_or(at.shape(1)[is_b_turned ? 0 : 1]);
    model::quantity const rows = at.shape(0)[is_a_turned ? 1 : 0];
    model::quantity const inner = at.shape(0)[is_a_turned ? 0 : 1];
    quantities const factor = is_b_turned ? quantities{units, inner} : quantities{inner, units};
    std::vector<onnx_value> operands{at.operand(1, factor)};
    if (at.has(2)) operands.push_back(added_operand(at, {rows, units}));
    std::vector<model::tensor> const x = at.tensors();
    if (at.flows(0) && !is_a_turned && is_stored(at, 1)) {
        at.set(0, at.finish(model::dense(at.tensor(0), units, {.bias = at.has(2)}), operands));
        return;
    }
    if (is_stored(at, 0)) operands.push_back(at.input(0));
    at.set(0,
           at.finish(model::apply("gemm", x,
                                  {.shape = {rows, units}, .multiply_adds = rows * inner * units}),
                     operands));
}

inline void read_batch_norm(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    model::tensor const y = model::batch_norm(x);
    std::vector<onnx_value> operands;
    for (std::size_t i = 1; i < 5; ++i)
        operands.push_back(at.operand(i, {x.extent(1)}));
    at.set(0, at.finish(y, operands, 2));
}

inline void read_instance_norm(onnx_layer& at)
{
    if (at.rank(0) < 3)
        at.refuse("its input has " + std::to_string(at.rank(0)) + " axes, not 3 or more");
    model::tensor const x = at.tensor(0);
    model::tensor const y = model::layer_norm(x);
    at.set(0, at.finish(y, {at.operand(1, {x.extent(1)}), at.operand(2, {x.extent(1)})}));
}

inline void read_layer_norm(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    std::size_t const axis = at.axis(at.integer("axis", -1), x.rank());
    model::tensor const y = model::layer_norm(x);
    quantities const of(x.shape().begin() + static_cast<std::ptrdiff_t>(axis), x.shape().end());
    std::vector<onnx_value> operands{at.operand(1, of)};
    if (at.has(2)) operands.push_back(at.operand(2, of));
    at.set(0, at.finish(y, operands));
    for (std::size_t i = 1; i < 3; ++i) { // mean and deviation
        if (!at.wants(i)) continue;
        quantities shape = x.shape();
        for (std::size_t a = axis; a < shape.size(); ++a)
            shape[a] = 1;
        at.set(i,
               model::apply("moments", {y}, {.shape = shape, .inputs_read = model::quantity(0)}));
    }
}

/// LSTM and GRU: X is T x N x F, or N x T x F where layout is 1. Y is T x D x N x units.
inline void read_recurrent(onnx_layer& at)
{
    bool const is_lstm = at.node().op == "LSTM";
    std::int64_t const gates = is_lstm ? 4 : 3;
    for (std::size_t i = 0; i < 3; ++i)
        if (at.rank(i) != 3)
            at.refuse("its input " + std::to_string(i) + " has " + std::to_string(at.rank(i)) +
                      " axes, not 3");
    bool const is_by_sample = at.integer("layout", 0) != 0;
    model::tensor const given = at.tensor(0);
    model::quantity const steps = given.extent(is_by_sample ? 1 : 0);
    model::quantity const samples = given.extent(is_by_sample ? 0 : 1);
    model::quantity const features = given.extent(2);
    model::quantity const units =
        at.replaced("hidden_size")
            .value_or(at.find("hidden_size") != nullptr ? at.integer("hidden_size", 0)
                                                        : at.shape(2).back());
    bool const is_both = at.text("direction", "forward") == "bidirectional";
    std::int64_t const directions = is_both ? 2 : 1;
    std::vector<onnx_value> operands{at.operand(1, {directions, gates * units, features}),
                                     at.operand(2, {directions, gates * units, units})};
    if (at.has(3)) operands.push_back(at.operand(3, {directions, 2 * gates * units}));
    quantities const state = is_by_sample ? quantities{samples, directions, units}
                                          : quantities{directions, samples, units};
    for (std::size_t i = 5; i < (is_lstm ? 7U : 6U); ++i)
        if (at.has(i)) operands.push_back(at.operand(i, state));
    bool const has_peepholes = is_lstm && at.has(7);
    if (has_peepholes) operands.push_back(at.operand(7, {directions, 3 * units}));

    model::recurrent const o{.units = units,
                             .bidirectional = is_both,
                             .biases = at.has(3) ? 2 : 0,
                             .returns_sequence = at.wants(0)};
    model::tensor const x =
        is_by_sample ? given : model::reshape(given, {samples, steps, features});
    model::tensor const made = is_lstm ? model::lstm(x, o) : model::gru(x, o);
    at.finish(made, operands);
    if (has_peepholes)
        made.graph().steps.back().cost.multiply_adds += 3 * samples * steps * directions * units;
    quantities sequence{steps, directions, samples, units};
    if (is_by_sample) sequence = {samples, steps, directions, units};
    model::tensor const y = model::reshape(made, o.returns_sequence ? sequence : state);
    if (o.returns_sequence) at.set(0, y);
    for (std::size_t i = 1; i < (is_lstm ? 3U : 2U); ++i) {
        if (!at.wants(i)) continue;
        at.set(i, i == 1 && !o.returns_sequence ? y : model::slice(y, state));
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
