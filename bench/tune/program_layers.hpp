// bench/tune/program_layers.hpp - layers of three neural networks, as their mathematics.
// SPDX-License-Identifier: MIT
// Source   layers of BERT with 128 tokens, ResNet-50 and MobileNet, one image
#pragma once

#include <attune/attune.hpp>
#include <attune/tune/program/nest.hpp>

#include <array>
#include <string_view>

namespace bench::layers {

using attune::array;
using attune::axis;
using attune::constant;
using attune::input;
using attune::padded;
using attune::sum;
using attune::temporary;

inline constexpr auto i = axis<"i">();
inline constexpr auto j = axis<"j">();
inline constexpr auto k = axis<"k">();
inline constexpr auto n = axis<"n">();
inline constexpr auto h = axis<"h">();
inline constexpr auto w = axis<"w">();
inline constexpr auto f = axis<"f">();
inline constexpr auto r = axis<"r">();
inline constexpr auto s = axis<"s">();
inline constexpr auto c = axis<"c">();

// Each layer: `program`; `flops` of one call; `is_dense`, whether its time is that of products;
// `inputs`, the values of the extents that a call gives.

/// C = A B, all Size x Size.
template <attune::fixed_string Name, int Size>
struct matmul {
    static constexpr std::string_view name = Name.view();
    static constexpr bool is_dense = true;
    static constexpr double flops = 2.0 * Size * Size * Size;
    static constexpr std::array<int, 0> inputs{};
    static constexpr auto A = array<"A", float, Size, Size>();
    static constexpr auto B = array<"B", float, Size, Size>();
    static constexpr auto C = array<"C", float, Size, Size>();
    static constexpr auto program = attune::nest<Name>(C[i][j] = sum(k)(A[i][k] * B[k][j]));
};
using matmul_512 = matmul<"matmul_512", 512>;
using matmul_1024 = matmul<"matmul_1024", 1024>;

/// The same with extents that a call gives.
template <attune::fixed_string Name, int Size>
struct matmul_of_inputs {
    static constexpr std::array<int, 3> inputs{Size, Size, Size};
    static constexpr auto M = input<"M", int>();
    static constexpr auto N = input<"N", int>();
    static constexpr auto K = input<"K", int>();
    static constexpr auto A = array<"A", float, M, K>();
    static constexpr auto B = array<"B", float, K, N>();
    static constexpr auto C = array<"C", float, M, N>();
    static constexpr auto program =
        attune::nest<Name>(C[i][j] = sum(k)(A[i][k] * B[k][j])).with_arguments(A, B, C, M, N, K);
};

/// Of an attention with 12 heads.
struct batched_matmul {
    static constexpr std::string_view name = "batched_matmul";
    static constexpr bool is_dense = true;
    static constexpr double flops = 2.0 * 12 * 128 * 128 * 64;
    static constexpr std::array<int, 0> inputs{};
    static constexpr auto A = array<"A", float, 12, 128, 64>();
    static constexpr auto B = array<"B", float, 12, 64, 128>();
    static constexpr auto C = array<"C", float, 12, 128, 128>();
    static constexpr auto program =
        attune::nest<"batched_matmul">(C[n][i][j] = sum(k)(A[n][i][k] * B[n][k][j]));
};

struct ffn_gelu {
    static constexpr std::string_view name = "ffn_gelu";
    static constexpr bool is_dense = false;
    static constexpr double flops = 2.0 * 128 * 3072 * 768;
    static constexpr std::array<int, 0> inputs{};
    static constexpr auto X = array<"X", float, 128, 768>();
    static constexpr auto W = array<"W", float, 768, 3072>();
    static constexpr auto b = array<"b", float, 3072>();
    static constexpr auto Y = array<"Y", float, 128, 3072>();
    static constexpr auto v = sum(k)(X[i][k] * W[k][j]) + b[j];
    static constexpr auto program = attune::nest<"ffn_gelu">(
        Y[i][j] = 0.5f * v * (1.0f + tanh(0.7978845608f * (v + 0.044715f * v * v * v))));
};

/// Size x Size taps over Channels -> Features; padded so that stride 1 keeps height and width.
template <attune::fixed_string Name, int Height, int Width, int Channels, int Features, int Size,
          int Stride = 1>
struct convolution {
    static constexpr std::string_view name = Name.view();
    static constexpr bool is_dense = true;
    static constexpr int out_height = (Height + Stride - 1) / Stride;
    static constexpr int out_width = (Width + Stride - 1) / Stride;
    static constexpr double flops =
        2.0 * out_height * out_width * Features * Channels * Size * Size;
    static constexpr std::array<int, 0> inputs{};
    static constexpr auto X = array<"X", float, Height, Width, Channels>();
    static constexpr auto W = array<"W", float, Size, Size, Channels, Features>();
    static constexpr auto Y = array<"Y", float, out_height, out_width, Features>();
    static constexpr auto program = attune::nest<Name>(
        Y[h][w][f] = sum(r, s, c)(
            padded(X)[Stride * h + r - Size / 2][Stride * w + s - Size / 2][c] * W[r][s][c][f]));
};
using conv_56 = convolution<"conv_56", 56, 56, 64, 64, 3>;
using conv_28 = convolution<"conv_28", 28, 28, 128, 128, 3>;
using conv_7x7 = convolution<"conv_7x7", 224, 224, 3, 64, 7, 2>;

/// conv_56 with extents that a call gives.
struct conv_56_of_inputs {
    static constexpr std::array<int, 4> inputs{56, 56, 64, 64};
    static constexpr auto H = input<"H", int>();
    static constexpr auto V = input<"V", int>();
    static constexpr auto C = input<"C", int>();
    static constexpr auto F = input<"F", int>();
    static constexpr auto X = array<"X", float, H, V, C>();
    static constexpr auto W = array<"W", float, 3, 3, C, F>();
    static constexpr auto Y = array<"Y", float, H, V, F>();
    static constexpr auto program =
        attune::nest<"conv_56_of_inputs">(
            Y[h][w][f] = sum(r, s, c)(padded(X)[h + r - 1][w + s - 1][c] * W[r][s][c][f]))
            .with_arguments(X, W, Y, H, V, C, F);
};

struct conv_1x1 {
    static constexpr std::string_view name = "conv_1x1";
    static constexpr bool is_dense = true;
    static constexpr double flops = 2.0 * 14 * 14 * 256 * 1024;
    static constexpr std::array<int, 0> inputs{};
    static constexpr auto X = array<"X", float, 14, 14, 256>();
    static constexpr auto W = array<"W", float, 256, 1024>();
    static constexpr auto Y = array<"Y", float, 14, 14, 1024>();
    static constexpr auto program =
        attune::nest<"conv_1x1">(Y[h][w][f] = sum(c)(X[h][w][c] * W[c][f]));
};

struct conv_bias_relu {
    static constexpr std::string_view name = "conv_bias_relu";
    static constexpr bool is_dense = true;
    static constexpr double flops = conv_56::flops;
    static constexpr std::array<int, 0> inputs{};
    static constexpr auto X = conv_56::X;
    static constexpr auto W = conv_56::W;
    static constexpr auto b = array<"b", float, 64>();
    static constexpr auto Y = conv_56::Y;
    static constexpr auto program = attune::nest<"conv_bias_relu">(
        Y[h][w][f] = attune::max(
            sum(r, s, c)(padded(X)[h + r - 1][w + s - 1][c] * W[r][s][c][f]) + b[f], 0.0f));
};

struct depthwise {
    static constexpr std::string_view name = "depthwise";
    static constexpr bool is_dense = false;
    static constexpr double flops = 2.0 * 112 * 112 * 32 * 9;
    static constexpr std::array<int, 0> inputs{};
    static constexpr auto X = array<"X", float, 112, 112, 32>();
    static constexpr auto W = array<"W", float, 3, 3, 32>();
    static constexpr auto Y = array<"Y", float, 112, 112, 32>();
    static constexpr auto program = attune::nest<"depthwise">(
        Y[h][w][c] = sum(r, s)(padded(X)[h + r - 1][w + s - 1][c] * W[r][s][c]));
};

struct softmax {
    static constexpr std::string_view name = "softmax";
    static constexpr bool is_dense = false;
    static constexpr double flops = 5.0 * 1536 * 128;
    static constexpr std::array<int, 0> inputs{};
    static constexpr auto X = array<"X", float, 1536, 128>();
    static constexpr auto Y = array<"Y", float, 1536, 128>();
    static constexpr auto largest = temporary<"largest", float, 1536>();
    static constexpr auto power = temporary<"power", float, 1536, 128>();
    static constexpr auto total = temporary<"total", float, 1536>();
    static constexpr auto program = attune::nest<"softmax">(
        largest[i] = attune::max(j)(X[i][j]), power[i][j] = exp(X[i][j] - largest[i]),
        total[i] = sum(j)(power[i][j]), Y[i][j] = power[i][j] / total[i]);
};

struct layer_norm {
    static constexpr std::string_view name = "layer_norm";
    static constexpr bool is_dense = false;
    static constexpr double flops = 8.0 * 128 * 768;
    static constexpr std::array<int, 0> inputs{};
    static constexpr auto X = array<"X", float, 128, 768>();
    static constexpr auto g = array<"g", float, 768>();
    static constexpr auto b = array<"b", float, 768>();
    static constexpr auto Y = array<"Y", float, 128, 768>();
    static constexpr auto mean = temporary<"mean", float, 128>();
    static constexpr auto spread = temporary<"spread", float, 128>();
    static constexpr auto program = attune::nest<"layer_norm">(
        mean[i] = sum(j)(X[i][j]) * (1.0f / 768),
        spread[i] = sum(j)((X[i][j] - mean[i]) * (X[i][j] - mean[i])) * (1.0f / 768),
        Y[i][j] = (X[i][j] - mean[i]) * (1.0f / sqrt(spread[i] + 1e-5f)) * g[j] + b[j]);
};

/// What a layer is once its weights are constant: `arrays` is the layer, `weights` the same with an
/// attune::constant, which may be packed once for all calls.
template <attune::fixed_string Name, int Size>
struct matmul_weights {
    using arrays = matmul<Name, Size>;
    struct weights : arrays {
        static constexpr auto B = constant<"B", float, Size, Size>();
        static constexpr auto program =
            attune::nest<Name>(arrays::C[i][j] = sum(k)(arrays::A[i][k] * B[k][j]));
    };
};
struct ffn_weights {
    using arrays = ffn_gelu;
    struct weights : arrays {
        static constexpr auto W = constant<"W", float, 768, 3072>();
        static constexpr auto v = sum(k)(X[i][k] * W[k][j]) + b[j];
        static constexpr auto program = attune::nest<"ffn_gelu">(
            Y[i][j] = 0.5f * v * (1.0f + tanh(0.7978845608f * (v + 0.044715f * v * v * v))));
    };
};
template <class Layer, int Size, int Stride, int Channels, int Features>
struct convolution_weights {
    using arrays = Layer;
    struct weights : Layer {
        static constexpr auto W = constant<"W", float, Size, Size, Channels, Features>();
        static constexpr auto program = attune::nest<"convolution">(
            Layer::Y[h][w][f] = sum(r, s, c)(
                padded(Layer::X)[Stride * h + r - Size / 2][Stride * w + s - Size / 2][c] *
                W[r][s][c][f]));
    };
};
using conv_56_weights = convolution_weights<conv_56, 3, 1, 64, 64>;
using conv_28_weights = convolution_weights<conv_28, 3, 1, 128, 128>;
using conv_7x7_weights = convolution_weights<conv_7x7, 7, 2, 3, 64>;
struct conv_1x1_weights {
    using arrays = conv_1x1;
    struct weights : arrays {
        static constexpr auto W = constant<"W", float, 256, 1024>();
        static constexpr auto program =
            attune::nest<"conv_1x1">(Y[h][w][f] = sum(c)(X[h][w][c] * W[c][f]));
    };
};
/// A linear layer as PyTorch stores it: the inputs of an output side by side.
template <attune::fixed_string Name, int Rows>
struct linear_weights {
    struct arrays {
        static constexpr std::string_view name = Name.view();
        static constexpr double flops = 2.0 * Rows * 768 * 3072;
        static constexpr std::array<int, 0> inputs{};
        static constexpr auto X = array<"X", float, Rows, 768>();
        static constexpr auto W = array<"W", float, 3072, 768>();
        static constexpr auto Y = array<"Y", float, Rows, 3072>();
        static constexpr auto program = attune::nest<Name>(Y[i][j] = sum(k)(X[i][k] * W[j][k]));
    };
    struct weights : arrays {
        static constexpr auto W = constant<"W", float, 3072, 768>();
        static constexpr auto program =
            attune::nest<Name>(arrays::Y[i][j] = sum(k)(arrays::X[i][k] * W[j][k]));
    };
};

/// visit.operator()<Pair>() for each pair of `arrays` and `weights`.
void for_each_weights(auto&& visit)
{
    [&]<class... Pair>() {
        (visit.template operator()<Pair>(), ...);
    }.template operator()<matmul_weights<"matmul_512", 512>, matmul_weights<"matmul_1024", 1024>,
                          ffn_weights, conv_56_weights, conv_28_weights, conv_1x1_weights,
                          conv_7x7_weights, linear_weights<"linear_4", 4>,
                          linear_weights<"linear_32", 32>, linear_weights<"linear_128", 128>>();
}

/// visit.operator()<Layer>() for each.
void for_each_layer(auto&& visit)
{
    [&]<class... Layer>() {
        (visit.template operator()<Layer>(), ...);
    }.template operator()<matmul_512, matmul_1024, batched_matmul, conv_56, conv_28, conv_bias_relu,
                          conv_1x1, conv_7x7, depthwise, ffn_gelu, softmax, layer_norm>();
}

} // namespace bench::layers
