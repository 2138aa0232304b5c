// attune/declare/model/convolution.hpp - convolutions and pooling over one, two or three axes.
// SPDX-License-Identifier: MIT
// Source   shapes: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning" 2016,
//          relationships 1-14; costs of a convolution: Gao et al. 2021 (DnnSAT), Sec. IV-C
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/network.hpp>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::model {

/// One number per axis of space, or one number for all axes: {3}, {3, 5}, kernel.
class per_axis {
public:
    template <class T>
        requires std::convertible_to<T const&, quantity>
    per_axis(T const& all) // NOLINT: .kernel = 3
        : values_{quantity(all)}
    {
    }
    per_axis(std::initializer_list<quantity> values)
        : values_(values)
    {
    }
    explicit per_axis(std::vector<quantity> values)
        : values_(std::move(values))
    {
    }
    [[nodiscard]] std::size_t count() const noexcept { return values_.size(); }
    [[nodiscard]] quantity const& at(std::size_t axis) const
    {
        return values_.size() == 1 ? values_.front() : values_.at(axis);
    }

private:
    std::vector<quantity> values_;
};

/// Zeros on each side of an axis. With `same` the output has ceil(extent / stride) elements.
struct padding {
    per_axis each_side = 0;
    bool same = false;
    std::optional<per_axis> behind = {}; ///< of the far side, if it differs from the near side

    padding() = default;
    template <class T>
        requires std::convertible_to<T const&, per_axis>
    padding(T const& each) // NOLINT: .padding = 1
        : each_side(each)
    {
    }
    [[nodiscard]] static padding same_extent()
    {
        padding out;
        out.same = true;
        return out;
    }
};

struct convolution {
    quantity filters = 1; ///< channels of the output
    per_axis kernel = 3;
    per_axis stride = 1;
    padding pad = {};
    per_axis dilation = 1;
    quantity groups = 1; ///< divides the channels of input and output
    bool bias = true;
};

/// Convolutions over N x C x L, N x C x H x W and N x C x D x H x W.
/// extent out = (extent + 2 pad - dilation (kernel - 1) - 1) / stride + 1, or ceil(extent / stride)
/// weights = C / groups * kernel * filters + filters;  multiply-adds = output elements * kernel *
/// C / groups
/// Errors   attune::error: another rank, a kernel that does not fit, groups that do not divide, a
///          kernel, stride or dilation below 1, a negative padding
tensor conv1d(tensor const& x, convolution const& options);
tensor conv2d(tensor const& x, convolution const& options);
tensor conv3d(tensor const& x, convolution const& options);

/// Convolves each channel alone: `groups` is the number of channels, `filters` counts per channel.
/// Errors   as conv2d
tensor depthwise_conv2d(tensor const& x, convolution options);

struct transposed_convolution {
    quantity filters = 1;
    per_axis kernel = 2;
    per_axis stride = 2;
    per_axis pad = 0; ///< rows that the layer cuts from each side
    per_axis output_padding = 0;
    per_axis dilation = 1;
    quantity groups = 1;
    bool bias = true;
    std::optional<per_axis> pad_behind = {}; ///< of the far side, if it differs from the near side
};

/// extent out = (extent - 1) stride - 2 pad + dilation (kernel - 1) + output_padding + 1
/// multiply-adds = input elements * kernel * filters / groups
/// Errors   as conv2d; an output padding that reaches the stride and the dilation
tensor transposed_conv1d(tensor const& x, transposed_convolution const& options);
tensor transposed_conv2d(tensor const& x, transposed_convolution const& options);
tensor transposed_conv3d(tensor const& x, transposed_convolution const& options);

struct pooling {
    per_axis window = 2;
    per_axis stride = 2;
    padding pad = {};
    bool ceil =
        false; ///< counts a last window that is not full if it starts before the padding behind
    bool ceil_in_padding = false; ///< with `ceil`: also if it starts in that padding
};

/// Operations = output elements * window: comparisons, or additions and one division.
/// Errors   attune::error: a window that does not fit the padded input, a window or stride below 1
tensor max_pool1d(tensor const& x, pooling const& options);
tensor max_pool2d(tensor const& x, pooling const& options);
tensor max_pool3d(tensor const& x, pooling const& options);
tensor average_pool1d(tensor const& x, pooling const& options);
tensor average_pool2d(tensor const& x, pooling const& options);
tensor average_pool3d(tensor const& x, pooling const& options);
/// N x C: the mean of each channel; one operation per element of the input.
tensor global_average_pool(tensor const& x);

} // namespace attune::inline ATTUNE_ABI::model

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/model/convolution.ipp>
#endif
