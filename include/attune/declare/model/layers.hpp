// attune/declare/model/layers.hpp - layers without a window: dense, norms, element-wise, shapes, recurrent layers and attention.
// SPDX-License-Identifier: MIT
// Source   LSTM: Hochreiter and Schmidhuber 1997 with the forget gate of Gers et al. 2000; GRU: Cho
//          et al. 2014; attention: Vaswani et al. 2017, eq. (1) and Sec. 3.2.2
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/network.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::model {

struct dense_options {
    bool bias = true;
    bool is_tied = false; ///< another layer, such as an embedding, stores the kernel
};

/// Replaces the last axis by `units` numbers. Every other axis stays.
/// weights = inputs * units + units;  multiply-adds = output elements * inputs
tensor dense(tensor const& x, quantity const& units, dense_options options = {});

/// A vector of `features` for each element of `x`, which holds indices.
/// weights = vocabulary * features. The layer reads one row of them per element.
tensor embedding(tensor const& x, quantity const& vocabulary, quantity const& features);

/// The product of the last two axes: ... x T x F by ... x F x S gives ... x T x S. The layer
/// repeats other axes, see broadcast_shape(). An `a` with one axis is a row, such a `b` a column.
/// Errors   attune::error: other axes do not fit, or the inner extents differ
tensor matmul(tensor const& a, tensor const& b);

/// Normalises the channels, axis 1. Weights 2 per channel, statistics 2 per channel (moving mean
/// and variance); 2 operations per element, because inference scales and shifts. Without `scales`
/// a channel has 1 weight.
tensor batch_norm(tensor const& x, bool scales = true);
/// Normalises the last axis: 2 weights per feature; 8 operations per element.
tensor layer_norm(tensor const& x);

/// An activation function by name, `operations` per element; it may overwrite its input.
tensor activation(tensor const& x, std::string const& function, std::int64_t operations = 1);
tensor relu(tensor const& x);
tensor sigmoid(tensor const& x);
tensor gelu(tensor const& x);
/// Over the last axis: 4 operations per element (maximum, difference with exponential, sum, ratio).
tensor softmax(tensor const& x);

/// The sum, element by element. The layer repeats extents of 1 in `b`, and may overwrite `a`.
/// Errors   attune::error: ranks or extents differ
tensor add(tensor const& a, tensor const& b);
tensor multiply(tensor const& a, tensor const& b);

/// The shape of an operation element by element, as in NumPy: the function aligns shapes at
/// their last axes, and repeats an extent of 1. If parameters decide two extents, a configuration
/// is valid where they are equal or one is 1.
/// @param at  a tensor of the network
/// Errors   attune::error: extents differ, and none is 1
[[nodiscard]] std::vector<quantity>
broadcast_shape(tensor const& at, std::string const& kind,
                std::vector<std::vector<quantity>> const& shapes);

/// Tensors joined along `axis`; all other extents are equal.
/// Errors   attune::error: another rank or extent, an axis that does not exist
tensor concat(std::vector<tensor> const& parts, std::size_t axis = 1);
/// N x (all others).
tensor flatten(tensor const& x);
/// The same elements in another shape.
/// Errors   attune::error: not the same number of elements
tensor reshape(tensor const& x, std::vector<quantity> shape);
/// Axis i of the output is axis `axes[i]` of `x`.
/// Errors   attune::error: `axes` is no order of the axes
tensor transpose(tensor const& x, std::vector<std::size_t> const& axes);
/// A copied part of `x`: the layer reads as many elements as it writes.
tensor slice(tensor const& x, std::vector<quantity> shape);
/// Multiplies each extent from axis 2 on by `factor`, by repetition.
tensor upsample(tensor const& x, quantity const& factor);

struct recurrent {
    quantity units = 1;
    quantity layers = 1; ///< stacked; at least 1
    bool bidirectional = false;
    /// Bias vectors per gate: 1 as published, in LSTM of Keras and its GRU with reset_after=False;
    /// 2 in PyTorch, in cuDNN and in GRU of Keras by default (reset_after=True).
    std::int64_t biases = 1;
    bool returns_sequence = true; ///< N x T x units; else the last step, N x units
};

/// Costs of the first layer with G gates, F features, U units, D directions; further layers have D
/// * U features.
///
/// weights       D * G * (U * (F + U) + biases * U)
/// multiply-adds N * T * D * G * U * (F + U)
/// operations    N * T * D * U * (G + 5)
///
/// @param x  N x T x F
/// Errors   attune::error: another rank, no layer, units that are 0
tensor lstm(tensor const& x, recurrent const& options); ///< G = 4
tensor gru(tensor const& x, recurrent const& options);  ///< G = 3

struct attention_options {
    quantity heads = 1;
    std::optional<quantity> head_size = {}; ///< default: features / heads
    bool bias = true;
    bool keeps_scores = true; ///< holds N * heads * T * S numbers; a fused kernel does not
};

/// Multi-head attention with its four projections, over `x` or over `memory`.
///
/// weights       H (F + M + M) + H F + biases 3 H + F, where H = heads * head_size
/// multiply-adds N (T F H + 2 S M H + 2 T S H + T H F)
/// operations    5 N heads T S (scale, softmax)
///
/// @param x       N x T x F
/// @param memory  N x S x M
/// Errors   attune::error: another rank, other samples, heads that do not divide F
tensor attention(tensor const& x, attention_options const& options);
tensor attention(tensor const& x, tensor const& memory, attention_options const& options);

} // namespace attune::inline ATTUNE_ABI::model

namespace attune::inline ATTUNE_ABI::detail {

/// The shape of a matrix product, and the extent of its sum, which must be equal in both operands.
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
