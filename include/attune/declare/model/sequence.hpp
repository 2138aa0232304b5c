// attune/declare/model/sequence.hpp - layers over N x T x F: recurrent layers and attention.
// SPDX-License-Identifier: MIT
// Source   LSTM: Hochreiter and Schmidhuber 1997 with the forget gate of Gers et al. 2000; GRU: Cho
//          et al. 2014; attention: Vaswani et al. 2017, eq. (1) and Sec. 3.2.2
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/network.hpp>

#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI::model {

struct recurrent {
    quantity units = 1;
    quantity layers = 1; ///< stacked; at least 1
    bool bidirectional = false;
    /// Vectors per gate: 1 as published, in LSTM of Keras and its GRU with reset_after=False; 2 in
    /// PyTorch, in cuDNN and in GRU of Keras by default (reset_after=True).
    std::int64_t biases = 1;
    bool returns_sequence = true; ///< N x T x units; else the last step, N x units
};

/// With G gates, F features, U units, D directions, of the first layer; further ones have D * U
/// features.
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
    std::optional<quantity> head_size = {}; ///< features / heads if not given
    bool bias = true;
    bool keeps_scores = true; ///< N * heads * T * S numbers are held, as without a fused kernel
};

/// Multi-head attention with its four projections, over `x` itself or over `memory`.
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

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/model/sequence.ipp>
#endif
