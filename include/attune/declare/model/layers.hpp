// attune/declare/model/layers.hpp - layers without a window: dense, norms, element-wise, shapes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/network.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::model {

struct dense_options {
    bool bias = true;
    bool is_tied =
        false; ///< its kernel is another layer's, as that of an embedding: read, not stored
};

/// `units` numbers of the last axis; every other axis stays.
/// weights = inputs * units + units;  multiply-adds = output elements * inputs
tensor dense(tensor const& x, quantity const& units, dense_options options = {});

/// A vector of `features` for each element of `x`, which holds indices.
/// weights = vocabulary * features, of which it reads one row per element
tensor embedding(tensor const& x, quantity const& vocabulary, quantity const& features);

/// The product of the last two axes: ... x T x F by ... x F x S gives ... x T x S. Other axes are
/// repeated as in broadcast_shape(); an input with one axis is a row, or a column of `b`.
/// Errors   attune::error: other axes do not fit, or the inner extents differ
tensor matmul(tensor const& a, tensor const& b);

/// Of the channels, axis 1. Weights 2 per channel, statistics 2 per channel (moving mean and
/// variance); 2 operations per element, because inference scales and shifts. `scales` false: no
/// scale, 1 weight per channel.
tensor batch_norm(tensor const& x, bool scales = true);
/// Of the last axis: 2 weights per feature; 8 operations per element.
tensor layer_norm(tensor const& x);

/// An activation function by name, `operations` per element; it may overwrite its input.
tensor activation(tensor const& x, std::string const& function, std::int64_t operations = 1);
tensor relu(tensor const& x);
tensor sigmoid(tensor const& x);
tensor gelu(tensor const& x);
/// Over the last axis: 4 operations per element (maximum, difference with exponential, sum, ratio).
tensor softmax(tensor const& x);

/// Element by element; extents of 1 in `b` are repeated. The sum may overwrite the first input.
/// Errors   attune::error: ranks or extents differ
tensor add(tensor const& a, tensor const& b);
tensor multiply(tensor const& a, tensor const& b);

/// The shape of an operation element by element, as NumPy has it: shapes meet at their last axes,
/// and an extent of 1 is repeated. Of two extents that parameters decide, a configuration is valid
/// where they are equal or one is 1.
/// @param at  a tensor of the network
/// Errors   attune::error: extents differ, and none is 1
[[nodiscard]] std::vector<quantity>
broadcast_shape(tensor const& at, std::string const& kind,
                std::vector<std::vector<quantity>> const& shapes);

/// Joined along `axis`; all other extents are equal.
/// Errors   attune::error: another rank or extent, an axis that is not there
tensor concat(std::vector<tensor> const& parts, std::size_t axis = 1);
/// N x (all others).
tensor flatten(tensor const& x);
/// The same elements in another shape.
/// Errors   attune::error: not the same number of elements
tensor reshape(tensor const& x, std::vector<quantity> shape);
/// Axis i of the output is axis `axes[i]` of `x`.
/// Errors   attune::error: no order of the axes
tensor transpose(tensor const& x, std::vector<std::size_t> const& axes);
/// A part of `x`, copied: it reads as many elements as it writes.
tensor slice(tensor const& x, std::vector<quantity> shape);
/// Each extent from axis 2 on times `factor`, by repetition.
tensor upsample(tensor const& x, quantity const& factor);

} // namespace attune::inline ATTUNE_ABI::model

namespace attune::inline ATTUNE_ABI::detail {

/// The shape of a matrix product, and the extent that it sums over, which is required to be equal.
struct product_shape {
    std::vector<model::quantity> shape;
    model::quantity inner;
};
[[nodiscard]] product_shape shape_of_product(model::tensor const& at,
                                             std::vector<model::quantity> a,
                                             std::vector<model::quantity> b);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/model/layers.ipp>
#endif
