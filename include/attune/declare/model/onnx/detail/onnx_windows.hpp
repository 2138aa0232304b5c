// attune/declare/model/onnx/detail/onnx_windows.hpp - convolutions and pooling of ONNX as layers.
// SPDX-License-Identifier: MIT
// tested by declare/model/onnx/read_onnx.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/convolution.hpp>
#include <attune/declare/model/onnx/detail/onnx_layer.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The axes of space of input 0.
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

/// Extents of the windows: an attribute, or what the weights' shape says.
[[nodiscard]] inline quantities kernel_of(onnx_layer const& at, std::size_t axes)
{
    if (at.rank(1) != axes + 2)
        at.refuse("its weights have " + std::to_string(at.rank(1)) + " axes, not " +
                      std::to_string(axes + 2),
                  "export the model again");
    quantities const stored(at.shape(1).begin() + 2, at.shape(1).end());
    return at.sizes("kernel_shape", axes, stored);
}

[[nodiscard]] inline model::quantity divided_by(model::quantity const& a, model::quantity const& b)
{
    auto const exact = exact_quotient(a, b);
    return exact ? *exact : a / b;
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
    quantities weights{o.filters, divided_by(x.extent(1), o.groups)};
    weights.insert(weights.end(), kernel.begin(), kernel.end());
    std::vector<onnx_value> operands{at.operand(1, weights)};
    if (at.has(2)) operands.push_back(at.operand(2, {o.filters}));
    at.set(0, at.finish(y, operands));
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
    // Where the extents of the output are given, the padding follows from them.
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
    quantities weights{x.extent(1), divided_by(filters, groups)};
    weights.insert(weights.end(), kernel.begin(), kernel.end());
    std::vector<onnx_value> operands{at.operand(1, weights)};
    if (at.has(2)) operands.push_back(at.operand(2, {o.filters}));
    at.set(0, at.finish(y, operands));
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
    if (at.find("kernel_shape") == nullptr)
        at.refuse("it has no attribute kernel_shape", "export the model again");
    // From these operator sets on, a window that would start in the padding behind is left out.
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
    if (at.wants(1)) // the places of the largest
        at.set(1, model::apply("places", {x},
                               {.shape = y.shape(), .inputs_read = model::quantity(0)}));
}

/// Of the maximum, too: one operation per element of the input.
inline void read_global_pooling(onnx_layer& at)
{
    model::tensor const x = at.tensor(0);
    model::tensor const y = model::global_average_pool(x);
    quantities shape = y.shape();
    shape.resize(x.rank(), model::quantity(1));
    at.set(0, model::reshape(y, shape));
}

} // namespace attune::inline ATTUNE_ABI::detail
