// attune/declare/model/convolution.ipp - shapes and costs of convolutions and pooling.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/model/convolution.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Refuses a tensor with another number of axes, and options for another number of axes.
inline void require_axes(model::tensor const& x, std::string const& kind, std::size_t axes,
                         std::initializer_list<model::per_axis const*> options)
{
    if (x.rank() != axes + 2)
        throw error(
            kind + " takes " + std::to_string(axes + 2) + " axes, not " + std::to_string(x.rank()),
            layer_place(x.graph(), kind), "reshape its input to samples x channels x extents");
    for (model::per_axis const* option : options)
        if (option->count() != 1 && option->count() != axes)
            throw error(kind + " has an option of " + std::to_string(option->count()) +
                            " numbers for " + std::to_string(axes) + " axes",
                        layer_place(x.graph(), kind), "give one number, or one per axis");
}

/// Condition on the last window of an axis: it is full, starts before the padding behind, or none.
enum class last_window : std::uint8_t { full, starts_inside, any };

/// Number of windows of `kernel` on an axis of space.
[[nodiscard]] inline model::quantity windows(model::tensor const& x, std::string const& kind,
                                             std::size_t axis, model::quantity const& kernel,
                                             model::quantity const& stride,
                                             model::padding const& zeros,
                                             last_window last = last_window::full)
{
    model::quantity const& extent = x.extent(axis + 2);
    if (zeros.same) return ceil_div(extent, stride);
    model::quantity const& pad = zeros.each_side.at(axis);
    model::quantity const behind = zeros.behind ? zeros.behind->at(axis) : pad;
    model::quantity const room = extent + pad + behind - kernel;
    model::require(x, kind, room >= 0,
                   "a window of " + kernel.name() + " does not fit an extent of " + extent.name() +
                       " padded by " + pad.name());
    // If kernel and padding keep an extent, its formula stays the same.
    if (stride.constant() == 1 && (room + 1).is_natural()) return room + 1;
    model::quantity const at_least = room.as_extent(); // not negative where the layer is valid
    if (last == last_window::full) return at_least / stride + 1;
    model::quantity const count = ceil_div(at_least, stride) + 1;
    if (last == last_window::any) return count;
    // The last window starts before `room + stride`, which may lie in the padding behind.
    if ((kernel - behind - stride).is_natural()) return count;
    return count - ((count - 1) * stride >= extent + pad);
}

/// Requires that each number of an option is `least` or more.
inline void require_least(model::tensor const& x, std::string const& kind, std::string const& what,
                          model::per_axis const& of, std::int64_t least)
{
    for (std::size_t i = 0; i < of.count(); ++i)
        if (!(least == 0 ? of.at(i).is_natural() : of.at(i).is_positive()))
            model::require(x, kind, of.at(i) >= least,
                           "its " + what + " is " + of.at(i).name() + ", and less than " +
                               std::to_string(least));
}

[[nodiscard]] inline model::quantity window_size(model::per_axis const& of, std::size_t axes)
{
    model::quantity out = 1;
    for (std::size_t i = 0; i < axes; ++i)
        out = out * of.at(i);
    return out;
}

inline void require_groups(model::tensor const& x, std::string const& kind,
                           model::quantity const& groups, model::quantity const& filters)
{
    require_least(x, kind, "number of groups", groups, 1);
    for (model::quantity const& channels : {x.extent(1), filters})
        model::require(x, kind, channels % groups == 0,
                       groups.name() + " groups do not divide " + channels.name() + " channels");
}

/// @param channels  of the input that each output reads
[[nodiscard]] inline model::tensor convolve(std::string const& kind, model::tensor const& x,
                                            model::convolution const& o,
                                            model::quantity const& channels, std::size_t axes)
{
    require_least(x, kind, "kernel", o.kernel, 1);
    require_least(x, kind, "stride", o.stride, 1);
    require_least(x, kind, "dilation", o.dilation, 1);
    require_least(x, kind, "padding", o.pad.each_side, 0);
    if (o.pad.behind) require_least(x, kind, "padding", *o.pad.behind, 0);
    std::vector<model::quantity> shape{x.extent(0), o.filters};
    model::quantity positions = x.extent(0);
    for (std::size_t i = 0; i < axes; ++i) {
        model::quantity const reach = o.dilation.at(i) * (o.kernel.at(i) - 1) + 1;
        shape.push_back(windows(x, kind, i, reach, o.stride.at(i), o.pad).as_extent());
        positions = positions * shape.back();
    }
    model::quantity const kernels = channels * window_size(o.kernel, axes) * o.filters;
    return model::apply(kind, {x},
                        {.shape = std::move(shape),
                         .weights = o.bias ? kernels + o.filters : kernels,
                         .multiply_adds = kernels * positions});
}

[[nodiscard]] inline model::tensor convolve_groups(std::string const& kind, model::tensor const& x,
                                                   model::convolution const& o, std::size_t axes)
{
    require_axes(x, kind, axes, {&o.kernel, &o.stride, &o.dilation, &o.pad.each_side});
    if (o.pad.behind) require_axes(x, kind, axes, {&*o.pad.behind});
    require_groups(x, kind, o.groups, o.filters);
    return convolve(kind, x, o, x.extent(1) / o.groups, axes);
}

[[nodiscard]] inline model::tensor transpose_convolve(std::string const& kind,
                                                      model::tensor const& x,
                                                      model::transposed_convolution const& o,
                                                      std::size_t axes)
{
    require_axes(x, kind, axes, {&o.kernel, &o.stride, &o.dilation, &o.pad, &o.output_padding});
    if (o.pad_behind) require_axes(x, kind, axes, {&*o.pad_behind});
    require_groups(x, kind, o.groups, o.filters);
    require_least(x, kind, "kernel", o.kernel, 1);
    require_least(x, kind, "stride", o.stride, 1);
    require_least(x, kind, "dilation", o.dilation, 1);
    require_least(x, kind, "padding", o.pad, 0);
    model::per_axis const behind = o.pad_behind.value_or(o.pad);
    require_least(x, kind, "padding", behind, 0);
    require_least(x, kind, "output padding", o.output_padding, 0);
    std::vector<model::quantity> shape{x.extent(0), o.filters};
    for (std::size_t i = 0; i < axes; ++i) {
        model::quantity const& more = o.output_padding.at(i);
        if (more.constant() != 0)
            model::require(x, kind, more < max(o.stride.at(i), o.dilation.at(i)),
                           "an output padding of " + more.name() +
                               " is not below its stride or dilation");
        model::quantity const full = (x.extent(i + 2) - 1) * o.stride.at(i) +
                                     o.dilation.at(i) * (o.kernel.at(i) - 1) +
                                     o.output_padding.at(i) + 1;
        model::quantity const cut = o.pad.at(i) + behind.at(i);
        model::require(x, kind, full > cut,
                       "a padding of " + o.pad.at(i).name() + " cuts all " + full.name() +
                           " rows of the output");
        shape.push_back(full - cut);
    }
    model::quantity const per_input = o.filters / o.groups * window_size(o.kernel, axes);
    model::quantity const kernels = per_input * x.extent(1);
    return model::apply(kind, {x},
                        {.shape = std::move(shape),
                         .weights = o.bias ? kernels + o.filters : kernels,
                         .multiply_adds = per_input * x.elements()});
}

[[nodiscard]] inline model::tensor pool(std::string const& kind, model::tensor const& x,
                                        model::pooling const& o, std::size_t axes)
{
    require_axes(x, kind, axes, {&o.window, &o.stride, &o.pad.each_side});
    if (o.pad.behind) require_axes(x, kind, axes, {&*o.pad.behind});
    require_least(x, kind, "window", o.window, 1);
    require_least(x, kind, "stride", o.stride, 1);
    require_least(x, kind, "padding", o.pad.each_side, 0);
    if (o.pad.behind) require_least(x, kind, "padding", *o.pad.behind, 0);
    std::vector<model::quantity> shape{x.extent(0), x.extent(1)};
    model::quantity made = x.extent(0) * x.extent(1);
    last_window const last = !o.ceil             ? last_window::full
                             : o.ceil_in_padding ? last_window::any
                                                 : last_window::starts_inside;
    for (std::size_t i = 0; i < axes; ++i) {
        shape.push_back(
            windows(x, kind, i, o.window.at(i), o.stride.at(i), o.pad, last).as_extent());
        made = made * shape.back();
    }
    return model::apply(
        kind, {x}, {.shape = std::move(shape), .operations = made * window_size(o.window, axes)});
}

} // namespace detail

namespace model {

ATTUNE_INLINE tensor conv1d(tensor const& x, convolution const& options)
{
    return detail::convolve_groups("conv1d", x, options, 1);
}
ATTUNE_INLINE tensor conv2d(tensor const& x, convolution const& options)
{
    return detail::convolve_groups("conv2d", x, options, 2);
}
ATTUNE_INLINE tensor conv3d(tensor const& x, convolution const& options)
{
    return detail::convolve_groups("conv3d", x, options, 3);
}

ATTUNE_INLINE tensor depthwise_conv2d(tensor const& x, convolution options)
{
    std::string const kind = "depthwise_conv2d";
    detail::require_axes(
        x, kind, 2, {&options.kernel, &options.stride, &options.dilation, &options.pad.each_side});
    if (options.pad.behind) detail::require_axes(x, kind, 2, {&*options.pad.behind});
    options.filters = options.filters * x.extent(1);
    return detail::convolve(kind, x, options, 1, 2);
}

ATTUNE_INLINE tensor transposed_conv1d(tensor const& x, transposed_convolution const& options)
{
    return detail::transpose_convolve("transposed_conv1d", x, options, 1);
}
ATTUNE_INLINE tensor transposed_conv2d(tensor const& x, transposed_convolution const& options)
{
    return detail::transpose_convolve("transposed_conv2d", x, options, 2);
}
ATTUNE_INLINE tensor transposed_conv3d(tensor const& x, transposed_convolution const& options)
{
    return detail::transpose_convolve("transposed_conv3d", x, options, 3);
}

ATTUNE_INLINE tensor max_pool1d(tensor const& x, pooling const& options)
{
    return detail::pool("max_pool1d", x, options, 1);
}
ATTUNE_INLINE tensor max_pool2d(tensor const& x, pooling const& options)
{
    return detail::pool("max_pool2d", x, options, 2);
}
ATTUNE_INLINE tensor max_pool3d(tensor const& x, pooling const& options)
{
    return detail::pool("max_pool3d", x, options, 3);
}
ATTUNE_INLINE tensor average_pool1d(tensor const& x, pooling const& options)
{
    return detail::pool("average_pool1d", x, options, 1);
}
ATTUNE_INLINE tensor average_pool2d(tensor const& x, pooling const& options)
{
    return detail::pool("average_pool2d", x, options, 2);
}
ATTUNE_INLINE tensor average_pool3d(tensor const& x, pooling const& options)
{
    return detail::pool("average_pool3d", x, options, 3);
}

ATTUNE_INLINE tensor global_average_pool(tensor const& x)
{
    detail::require_form(x.graph(), "global_average_pool", x.rank() >= 3,
                         "it takes 3 axes or more");
    return apply("global_average_pool", {x},
                 {.shape = {x.extent(0), x.extent(1)}, .operations = x.elements()});
}

} // namespace model

} // namespace attune::inline ATTUNE_ABI
