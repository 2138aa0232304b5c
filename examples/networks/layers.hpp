// examples/networks/layers.hpp - layers of neural networks as programs, templates of their shapes.
// SPDX-License-Identifier: MIT
//
// Single precision, one image or sequence. An image is height x width x channels; batch
// normalisation is folded into weights and bias. Arguments of a program: what the layer before has
// computed, parameters, what other layers have computed, the result.
#pragma once

#include <attune/attune.hpp>
#include <attune/tune/program/nest.hpp>

#include <concepts>
#include <cstddef>

namespace networks {

using attune::array;
using attune::axis;
using attune::padded;
using attune::sum;
using attune::temporary;

inline constexpr auto h = axis<"h">();
inline constexpr auto w = axis<"w">();
inline constexpr auto c = axis<"c">();
inline constexpr auto f = axis<"f">();
inline constexpr auto n = axis<"n">();
inline constexpr auto i = axis<"i">();
inline constexpr auto j = axis<"j">();
inline constexpr auto k = axis<"k">();

/// What follows a sum and its bias.
enum class after { nothing, relu, relu6, gelu };

template <after What>
constexpr auto followed(auto v)
{
    if constexpr (What == after::relu)
        return max(v, 0.0f);
    else if constexpr (What == after::relu6)
        return min(max(v, 0.0f), 6.0f);
    else if constexpr (What == after::gelu)
        return 0.5f * v * (1.0f + erf(v * 0.70710678f));
    else
        return v;
}

// Each layer: `program`; `parameters`, how many of its arrays; `macs`, multiplications with a
// weight, or of two arrays.

/// Size x Size taps with zeros around the image.
template <attune::fixed_string Name, int Height, int Channels, int Features, int Size, int Stride,
          after What>
struct convolution {
    static constexpr int parameters = 2;
    static constexpr int out = Height / Stride;
    static constexpr double macs = 1.0 * out * out * Features * Size * Size * Channels;
    static constexpr auto r = axis<"r", Size>();
    static constexpr auto s = axis<"s", Size>();
    static constexpr auto X = array<"X", float, Height, Height, Channels>();
    static constexpr auto W = array<"W", float, Size, Size, Channels, Features>();
    static constexpr auto b = array<"b", float, Features>();
    static constexpr auto Y = array<"Y", float, out, out, Features>();
    static constexpr auto program = attune::nest<Name>(
        Y[h][w][f] = followed<What>(
            sum(r, s, c)(padded(X)[Stride * h + r - Size / 2][Stride * w + s - Size / 2][c] *
                         W[r][s][c][f]) +
            b[f]));
};

/// 1x1 taps.
template <attune::fixed_string Name, int Height, int Channels, int Features, int Stride, after What>
struct pointwise {
    static constexpr int parameters = 2;
    static constexpr int out = Height / Stride;
    static constexpr double macs = 1.0 * out * out * Features * Channels;
    static constexpr auto X = array<"X", float, Height, Height, Channels>();
    static constexpr auto W = array<"W", float, Channels, Features>();
    static constexpr auto b = array<"b", float, Features>();
    static constexpr auto Y = array<"Y", float, out, out, Features>();
    static constexpr auto program = attune::nest<Name>(
        Y[h][w][f] = followed<What>(sum(c)(X[Stride * h][Stride * w][c] * W[c][f]) + b[f]));
};

/// 1x1 taps, then the sum with another image, then relu.
template <attune::fixed_string Name, int Height, int Channels, int Features>
struct pointwise_add {
    static constexpr int parameters = 2;
    static constexpr double macs = 1.0 * Height * Height * Features * Channels;
    static constexpr auto X = array<"X", float, Height, Height, Channels>();
    static constexpr auto W = array<"W", float, Channels, Features>();
    static constexpr auto b = array<"b", float, Features>();
    static constexpr auto Z = array<"Z", float, Height, Height, Features>();
    static constexpr auto Y = array<"Y", float, Height, Height, Features>();
    static constexpr auto program = attune::nest<Name>(
        Y[h][w][f] = max(sum(c)(X[h][w][c] * W[c][f]) + b[f] + Z[h][w][f], 0.0f));
};

/// 3x3 taps on each channel by itself, then relu6.
template <attune::fixed_string Name, int Height, int Channels, int Stride>
struct depthwise {
    static constexpr int parameters = 2;
    static constexpr int out = Height / Stride;
    static constexpr double macs = 1.0 * out * out * Channels * 9;
    static constexpr auto r = axis<"r", 3>();
    static constexpr auto s = axis<"s", 3>();
    static constexpr auto X = array<"X", float, Height, Height, Channels>();
    static constexpr auto W = array<"W", float, 3, 3, Channels>();
    static constexpr auto b = array<"b", float, Channels>();
    static constexpr auto Y = array<"Y", float, out, out, Channels>();
    static constexpr auto program = attune::nest<Name>(
        Y[h][w][c] = followed<after::relu6>(
            sum(r, s)(padded(X)[Stride * h + r - 1][Stride * w + s - 1][c] * W[r][s][c]) + b[c]));
};

/// The largest of 3x3 pixels in steps of two. Pixels are not negative: zeros lie around them.
template <attune::fixed_string Name, int Height, int Channels>
struct max_pool {
    static constexpr int parameters = 0;
    static constexpr double macs = 0;
    static constexpr auto r = axis<"r", 3>();
    static constexpr auto s = axis<"s", 3>();
    static constexpr auto X = array<"X", float, Height, Height, Channels>();
    static constexpr auto Y = array<"Y", float, Height / 2, Height / 2, Channels>();
    static constexpr auto program = attune::nest<Name>(
        Y[h][w][c] = attune::max(r, s)(padded(X)[2 * h + r - 1][2 * w + s - 1][c]));
};

/// The mean of all pixels.
template <attune::fixed_string Name, int Height, int Channels>
struct average_pool {
    static constexpr int parameters = 0;
    static constexpr double macs = 0;
    static constexpr auto X = array<"X", float, Height, Height, Channels>();
    static constexpr auto Y = array<"Y", float, Channels>();
    static constexpr auto program =
        attune::nest<Name>(Y[c] = sum(h, w)(X[h][w][c]) * (1.0f / (Height * Height)));
};

/// Rows times a matrix.
template <attune::fixed_string Name, int Rows, int Inner, int Columns, after What = after::nothing>
struct dense {
    static constexpr int parameters = 2;
    static constexpr double macs = 1.0 * Rows * Inner * Columns;
    static constexpr auto X = array<"X", float, Rows, Inner>();
    static constexpr auto W = array<"W", float, Inner, Columns>();
    static constexpr auto b = array<"b", float, Columns>();
    static constexpr auto Y = array<"Y", float, Rows, Columns>();
    static constexpr auto program =
        attune::nest<Name>(Y[i][j] = followed<What>(sum(k)(X[i][k] * W[k][j]) + b[j]));
};

/// Rows times a matrix, then the sum with other rows.
template <attune::fixed_string Name, int Rows, int Inner, int Columns>
struct dense_add {
    static constexpr int parameters = 2;
    static constexpr double macs = 1.0 * Rows * Inner * Columns;
    static constexpr auto X = array<"X", float, Rows, Inner>();
    static constexpr auto W = array<"W", float, Inner, Columns>();
    static constexpr auto b = array<"b", float, Columns>();
    static constexpr auto Z = array<"Z", float, Rows, Columns>();
    static constexpr auto Y = array<"Y", float, Rows, Columns>();
    static constexpr auto program =
        attune::nest<Name>(Y[i][j] = sum(k)(X[i][k] * W[k][j]) + b[j] + Z[i][j]);
};

/// Of an attention with heads of 64 numbers: products of queries and keys. A: queries, keys and
/// values of each token and head.
template <attune::fixed_string Name, int Tokens, int Heads>
struct scores {
    static constexpr int parameters = 0;
    static constexpr double macs = 1.0 * Heads * Tokens * Tokens * 64;
    static constexpr auto A = array<"A", float, Tokens, 3, Heads, 64>();
    static constexpr auto Y = array<"Y", float, Heads, Tokens, Tokens>();
    static constexpr auto program =
        attune::nest<Name>(Y[n][i][j] = sum(k)(A[i][0][n][k] * A[j][1][n][k]) * 0.125f);
};

/// Values in the mixture that softmax made of the scores.
template <attune::fixed_string Name, int Tokens, int Heads>
struct mixture {
    static constexpr int parameters = 0;
    static constexpr double macs = 1.0 * Heads * Tokens * Tokens * 64;
    static constexpr auto P = array<"P", float, Heads, Tokens, Tokens>();
    static constexpr auto A = array<"A", float, Tokens, 3, Heads, 64>();
    static constexpr auto Y = array<"Y", float, Tokens, Heads, 64>();
    static constexpr auto program =
        attune::nest<Name>(Y[i][n][k] = sum(j)(P[n][i][j] * A[j][2][n][k]));
};

template <attune::fixed_string Name, int Rows, int Columns>
struct softmax {
    static constexpr int parameters = 0;
    static constexpr double macs = 0;
    static constexpr auto X = array<"X", float, Rows, Columns>();
    static constexpr auto Y = array<"Y", float, Rows, Columns>();
    static constexpr auto largest = temporary<"largest", float, Rows>();
    static constexpr auto power = temporary<"power", float, Rows, Columns>();
    static constexpr auto total = temporary<"total", float, Rows>();
    static constexpr auto program = attune::nest<Name>(
        largest[i] = attune::max(j)(X[i][j]), power[i][j] = exp(X[i][j] - largest[i]),
        total[i] = sum(j)(power[i][j]), Y[i][j] = power[i][j] / total[i]);
};

template <attune::fixed_string Name, int Rows, int Columns>
struct layer_norm {
    static constexpr int parameters = 2;
    static constexpr double macs = 0;
    static constexpr auto X = array<"X", float, Rows, Columns>();
    static constexpr auto gain = array<"gain", float, Columns>();
    static constexpr auto b = array<"b", float, Columns>();
    static constexpr auto Y = array<"Y", float, Rows, Columns>();
    static constexpr auto mean = temporary<"mean", float, Rows>();
    static constexpr auto spread = temporary<"spread", float, Rows>();
    static constexpr auto program = attune::nest<Name>(
        mean[i] = sum(j)(X[i][j]) * (1.0f / Columns),
        spread[i] = sum(j)((X[i][j] - mean[i]) * (X[i][j] - mean[i])) * (1.0f / Columns),
        Y[i][j] = (X[i][j] - mean[i]) * (1.0f / sqrt(spread[i] + 1e-12f)) * gain[j] + b[j]);
};

/// A layer, and how often a network calls it.
template <class Layer, int Count = 1>
struct times {
    using layer = Layer;
    static constexpr int count = Count;
};

/// The different layers of a network.
template <class... Times>
struct table {
    static constexpr std::size_t size = sizeof...(Times);
    template <class Layer>
    static constexpr int count_of =
        ((std::same_as<Layer, typename Times::layer> ? Times::count : 0) + ... + 0);

    /// visit(Layer{}, count) for each.
    static void for_each(auto&& visit) { (visit(typename Times::layer{}, Times::count), ...); }
};

} // namespace networks
