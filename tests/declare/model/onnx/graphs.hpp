// tests/declare/model/onnx/graphs.hpp - networks as exporters of ONNX write them.
// SPDX-License-Identifier: MIT
// Source   VGG: Simonyan and Zisserman 2015, table 1, column D; ResNet-50: He et al. 2016, table 1, as
//          torchvision has it (stride in the 3x3); MobileNetV2: Sandler et al. 2018, table 2;
//          BERT-base: Devlin et al. 2019; GPT-2: Radford et al. 2019; U-Net: Ronneberger et al.
//          2015
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph_writer.hpp"

namespace onnx_tests {

struct convolution_form {
    std::int64_t kernel = 3;
    std::int64_t stride = 1;
    std::int64_t groups = 1;
    bool bias = true;
};

inline std::string convolve(graph_writer& g, std::string const& x, std::int64_t channels,
                            std::int64_t filters, convolution_form const& f)
{
    std::vector<std::string> in{x, g.weight({filters, channels / f.groups, f.kernel, f.kernel})};
    if (f.bias) in.push_back(g.weight({filters}));
    std::int64_t const pad = f.kernel / 2;
    return g.add("Conv", in,
                 {{"kernel_shape", extents{f.kernel, f.kernel}},
                  {"strides", extents{f.stride, f.stride}},
                  {"pads", extents{pad, pad, pad, pad}},
                  {"group", f.groups}});
}

inline std::string batch_norm(graph_writer& g, std::string const& x, std::int64_t channels)
{
    return g.add("BatchNormalization", {x, g.weight({channels}), g.weight({channels}),
                                        g.weight({channels}), g.weight({channels})});
}

inline std::string linear(graph_writer& g, std::string const& x, std::int64_t in, std::int64_t out)
{
    return g.add("Gemm", {x, g.weight({out, in}), g.weight({out})}, {{"transB", std::int64_t(1)}});
}

inline graph_writer vgg16()
{
    graph_writer g("vgg16");
    std::string x = g.input("image", {"batch"_d, 3_d, 224_d, 224_d});
    std::int64_t channels = 3;
    for (auto const& [filters, count] : std::vector<std::pair<std::int64_t, int>>{
             {64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}) {
        for (int i = 0; i < count; ++i) {
            x = g.add("Relu", {convolve(g, x, channels, filters, {})});
            channels = filters;
        }
        x = g.add("MaxPool", {x}, {{"kernel_shape", extents{2, 2}}, {"strides", extents{2, 2}}});
    }
    x = g.add("Flatten", {x});
    x = g.add("Relu", {linear(g, x, 512 * 7 * 7, 4096)});
    x = g.add("Dropout", {x});
    x = g.add("Relu", {linear(g, x, 4096, 4096)});
    g.output(g.add("Softmax", {linear(g, x, 4096, 1000)}));
    return g;
}

inline graph_writer resnet50()
{
    graph_writer g("resnet50");
    std::string x = g.input("image", {"batch"_d, 3_d, "height"_d, "width"_d});
    auto const block = [&](std::string const& in, std::int64_t c, std::int64_t f,
                           convolution_form o) {
        o.bias = false;
        return batch_norm(g, convolve(g, in, c, f, o), f);
    };
    x = g.add("Relu", {block(x, 3, 64, {.kernel = 7, .stride = 2})});
    x = g.add("MaxPool", {x},
              {{"kernel_shape", extents{3, 3}},
               {"strides", extents{2, 2}},
               {"pads", extents{1, 1, 1, 1}}});
    std::int64_t channels = 64;
    std::int64_t inner = 64;
    for (int const count : {3, 4, 6, 3}) {
        for (int i = 0; i < count; ++i) {
            std::int64_t const stride = i == 0 && inner != 64 ? 2 : 1;
            std::string y = g.add("Relu", {block(x, channels, inner, {.kernel = 1})});
            y = g.add("Relu", {block(y, inner, inner, {.stride = stride})});
            y = block(y, inner, 4 * inner, {.kernel = 1});
            std::string const same =
                i == 0 ? block(x, channels, 4 * inner, {.kernel = 1, .stride = stride}) : x;
            x = g.add("Relu", {g.add("Add", {y, same})});
            channels = 4 * inner;
        }
        inner *= 2;
    }
    x = g.add("Flatten", {g.add("GlobalAveragePool", {x})});
    g.output(linear(g, x, 2048, 1000));
    return g;
}

inline graph_writer mobilenet_v2()
{
    graph_writer g("mobilenet_v2");
    std::string x = g.input("image", {"batch"_d, 3_d, 224_d, 224_d});
    std::string const low = g.scalar(0);
    std::string const high = g.scalar(6);
    auto const block = [&](std::string const& in, std::int64_t c, std::int64_t f,
                           convolution_form o) {
        o.bias = false;
        return batch_norm(g, convolve(g, in, c, f, o), f);
    };
    auto const clip = [&](std::string const& in) { return g.add("Clip", {in, low, high}); };
    x = clip(block(x, 3, 32, {.stride = 2}));
    std::int64_t channels = 32;
    struct row {
        std::int64_t expansion, filters;
        int count;
        std::int64_t stride;
    };
    for (row const& r : {row{1, 16, 1, 1}, row{6, 24, 2, 2}, row{6, 32, 3, 2}, row{6, 64, 4, 2},
                         row{6, 96, 3, 1}, row{6, 160, 3, 2}, row{6, 320, 1, 1}})
        for (int i = 0; i < r.count; ++i) {
            std::int64_t const wide = channels * r.expansion;
            std::int64_t const stride = i == 0 ? r.stride : 1;
            std::string y = r.expansion == 1 ? x : clip(block(x, channels, wide, {.kernel = 1}));
            y = clip(block(y, wide, wide, {.stride = stride, .groups = wide}));
            y = block(y, wide, r.filters, {.kernel = 1});
            x = stride == 1 && channels == r.filters ? g.add("Add", {x, y}) : y;
            channels = r.filters;
        }
    x = clip(block(x, channels, 1280, {.kernel = 1}));
    x = g.add("ReduceMean", {x}, {{"axes", extents{2, 3}}, {"keepdims", std::int64_t(0)}});
    g.output(linear(g, x, 1280, 1000));
    return g;
}

/// y * w + b over the last axis, as exporters before operator set 17 write a norm.
inline std::string plain_norm(graph_writer& g, std::string const& x, std::int64_t features)
{
    std::vector<attribute> const last{{"axes", extents{-1}}};
    std::string const mean = g.add("ReduceMean", {x}, last);
    std::string const centred = g.add("Sub", {x, mean});
    std::string const square = g.add("Pow", {centred, g.scalar(2)});
    std::string const variance = g.add("ReduceMean", {square}, last);
    std::string const deviation = g.add("Sqrt", {g.add("Add", {variance, g.scalar(1e-5F)})});
    std::string const y = g.add("Div", {centred, deviation});
    return g.add("Add", {g.add("Mul", {y, g.weight({features})}), g.weight({features})});
}

inline std::string norm(graph_writer& g, std::string const& x, std::int64_t features, bool is_plain)
{
    if (is_plain) return plain_norm(g, x, features);
    return g.add("LayerNormalization", {x, g.weight({features}), g.weight({features})});
}

inline std::string project(graph_writer& g, std::string const& x, std::int64_t in, std::int64_t out)
{
    return g.add("Add", {g.weight({out}), g.add("MatMul", {x, g.weight({in, out})})});
}

/// The extent of an axis, of no axis itself.
inline std::string extent_of(graph_writer& g, std::string const& x, std::int64_t axis)
{
    return g.add("Gather", {g.add("Shape", {x}), g.integer(axis)}, {{"axis", std::int64_t(0)}});
}

inline std::string as_list(graph_writer& g, std::string const& scalar)
{
    return g.add("Unsqueeze", {scalar, g.integers({0})});
}

/// x of B x T x F as B x heads x T x F / heads, or with the last two turned.
inline std::string split_heads(graph_writer& g, std::string const& x, std::int64_t heads,
                               std::int64_t size, bool is_turned)
{
    std::string const shape = g.add("Concat",
                                    {as_list(g, extent_of(g, x, 0)), as_list(g, extent_of(g, x, 1)),
                                     g.integers({heads}), g.integers({size})},
                                    {{"axis", std::int64_t(0)}});
    return g.add("Transpose", {g.add("Reshape", {x, shape})},
                 {{"perm", is_turned ? extents{0, 2, 3, 1} : extents{0, 2, 1, 3}}});
}

inline std::string join_heads(graph_writer& g, std::string const& x, std::int64_t features)
{
    std::string const y = g.add("Transpose", {x}, {{"perm", extents{0, 2, 1, 3}}});
    std::string const shape =
        g.add("Concat", {as_list(g, extent_of(g, y, 0)), g.integers({-1}), g.integers({features})},
              {{"axis", std::int64_t(0)}});
    return g.add("Reshape", {y, shape});
}

/// With its pooler, as the library transformers counts it.
inline graph_writer bert(std::int64_t layers, bool is_plain)
{
    graph_writer g("bert", is_plain ? 13 : 17);
    std::int64_t const features = 768;
    std::string const ids = g.input("ids", {"batch"_d, "sequence"_d}, onnx::TensorProto::INT64);
    std::string const types = g.input("types", {"batch"_d, "sequence"_d}, onnx::TensorProto::INT64);
    std::string const mask = g.input("mask", {"batch"_d, "sequence"_d}, onnx::TensorProto::FLOAT);
    std::string const places =
        g.add("Slice", {g.weight({1, 512}, onnx::TensorProto::INT64), g.integers({0}),
                        as_list(g, extent_of(g, ids, 1)), g.integers({1})});
    std::string x = g.add("Add", {g.add("Gather", {g.weight({30522, features}), ids}),
                                  g.add("Gather", {g.weight({2, features}), types})});
    x = g.add("Add", {x, g.add("Gather", {g.weight({512, features}), places})});
    x = norm(g, x, features, is_plain);
    std::string const wide = g.add("Unsqueeze", {mask, g.integers({1, 2})});
    std::string const hidden = g.add("Mul", {g.add("Sub", {g.scalar(1), wide}), g.scalar(-10000)});
    for (std::int64_t i = 0; i < layers; ++i) {
        std::string const q = split_heads(g, project(g, x, features, features), 12, 64, false);
        std::string const k = split_heads(g, project(g, x, features, features), 12, 64, true);
        std::string const v = split_heads(g, project(g, x, features, features), 12, 64, false);
        std::string scores = g.add("Div", {g.add("MatMul", {q, k}), g.scalar(8)});
        scores = g.add("Softmax", {g.add("Add", {scores, hidden})}, {{"axis", std::int64_t(3)}});
        std::string y = join_heads(g, g.add("MatMul", {scores, v}), features);
        x = norm(g, g.add("Add", {project(g, y, features, features), x}), features, is_plain);
        y = project(g, x, features, 3072);
        std::string const half = g.add("Erf", {g.add("Div", {y, g.scalar(1.4142135F)})});
        y = g.add("Mul", {g.add("Mul", {y, g.add("Add", {half, g.scalar(1)})}), g.scalar(0.5F)});
        x = norm(g, g.add("Add", {project(g, y, 3072, features), x}), features, is_plain);
    }
    g.output(x);
    std::string const first =
        g.add("Gather", {x, g.integer(0)}, {{"axis", std::int64_t(1)}}); // [CLS]
    g.output(g.add("Tanh", {linear(g, first, features, features)}));
    return g;
}

/// Its output layer is the table of its words, turned.
inline graph_writer gpt2(std::int64_t layers)
{
    graph_writer g("gpt2");
    std::int64_t const features = 768;
    std::string const ids = g.input("ids", {"batch"_d, "sequence"_d}, onnx::TensorProto::INT64);
    std::string const words = g.weight({50257, features});
    std::string const length = extent_of(g, ids, 1);
    std::string const places =
        g.add("Unsqueeze", {g.add("Range", {g.integer(0), length, g.integer(1)}), g.integers({0})});
    std::string x = g.add("Add", {g.add("Gather", {words, ids}),
                                  g.add("Gather", {g.weight({1024, features}), places})});
    std::string const causal = g.weight({1, 1, 1024, 1024}, onnx::TensorProto::BOOL);
    for (std::int64_t i = 0; i < layers; ++i) {
        std::string y = project(g, norm(g, x, features, true), features, 3 * features);
        std::vector<std::string> part;
        for (char const* const name : {"q", "k", "v"})
            part.push_back(name + std::to_string(i));
        g.node("Split", {y, g.integers({features, features, features})}, part,
               {{"axis", std::int64_t(2)}});
        std::string const q = split_heads(g, part[0], 12, 64, false);
        std::string const k = split_heads(g, part[1], 12, 64, true);
        std::string const v = split_heads(g, part[2], 12, 64, false);
        std::string const scores = g.add("Div", {g.add("MatMul", {q, k}), g.scalar(8)});
        // The last rows of as many columns as there are keys.
        std::string const rows = extent_of(g, scores, 2);
        std::string const columns = extent_of(g, scores, 3);
        std::string mask = g.add("Slice", {causal, as_list(g, g.add("Sub", {columns, rows})),
                                           as_list(g, columns), g.integers({2})});
        mask = g.add("Slice", {mask, g.integers({0}), as_list(g, columns), g.integers({3})});
        y = g.add("Where", {mask, scores, g.scalar(-10000)});
        y = g.add("MatMul", {g.add("Softmax", {y}, {{"axis", std::int64_t(-1)}}), v});
        x = g.add("Add", {x, project(g, join_heads(g, y, features), features, features)});
        y = project(g, norm(g, x, features, true), features, 3072);
        std::string const cube =
            g.add("Mul", {g.add("Pow", {y, g.scalar(3)}), g.scalar(0.044715F)});
        std::string const inner =
            g.add("Tanh", {g.add("Mul", {g.add("Add", {y, cube}), g.scalar(0.7978845F)})});
        y = g.add("Mul", {g.add("Mul", {y, g.scalar(0.5F)}), g.add("Add", {inner, g.scalar(1)})});
        x = g.add("Add", {x, project(g, y, 3072, features)});
    }
    x = norm(g, x, features, true);
    g.output(g.add("MatMul", {x, g.add("Transpose", {words}, {{"perm", extents{1, 0}}})}));
    return g;
}

/// An encoder in both directions, a decoder that starts where it ended, a GRU behind.
inline graph_writer seq2seq()
{
    graph_writer g("seq2seq");
    std::int64_t const units = 256;
    auto const recurrent = [&](std::int64_t directions, std::int64_t gates, std::int64_t features) {
        return std::vector<std::string>{g.weight({directions, gates * units, features}),
                                        g.weight({directions, gates * units, units}),
                                        g.weight({directions, 2 * gates * units})};
    };
    std::string const source = g.input("source", {"steps"_d, "batch"_d}, onnx::TensorProto::INT64);
    std::string const target = g.input("target", {9_d, "batch"_d}, onnx::TensorProto::INT64);
    std::string const x = g.add("Gather", {g.weight({5000, 128}), source});
    auto const encoder = recurrent(2, 4, 128);
    g.node("LSTM", {x, encoder[0], encoder[1], encoder[2]}, {"memory", "last", "cells"},
           {{"hidden_size", units}, {"direction", std::string("bidirectional")}});
    auto const start = [&](std::string const& of) {
        return g.add("Slice", {of, g.integers({0}), g.integers({1}), g.integers({0})});
    };
    std::string const y = g.add("Gather", {g.weight({4000, 64}), target});
    auto const decoder = recurrent(1, 4, 64);
    std::string const last = start("last");
    std::string const cells = start("cells");
    g.node("LSTM", {y, decoder[0], decoder[1], decoder[2], "", last, cells}, {"decoded"},
           {{"hidden_size", units}});
    std::string const steps = g.add("Squeeze", {"decoded", g.integers({1})});
    auto const further = recurrent(1, 3, units);
    g.node("GRU", {steps, further[0], further[1], further[2]}, {"", "summary"},
           {{"hidden_size", units}, {"linear_before_reset", std::int64_t(1)}});
    g.output(project(g, steps, units, 4000));
    g.output("memory");
    g.output("summary");
    return g;
}

inline graph_writer unet()
{
    graph_writer g("unet");
    std::string x = g.input("image", {"batch"_d, 1_d, "size"_d, "size"_d});
    std::vector<std::pair<std::string, std::int64_t>> left;
    std::int64_t channels = 1;
    auto const two = [&](std::string in, std::int64_t filters) {
        for (int i = 0; i < 2; ++i) {
            in = g.add("Relu", {convolve(g, in, channels, filters, {})});
            channels = filters;
        }
        return in;
    };
    for (std::int64_t const filters : {16, 32, 64}) {
        x = two(x, filters);
        left.emplace_back(x, filters);
        x = g.add("MaxPool", {x}, {{"kernel_shape", extents{2, 2}}, {"strides", extents{2, 2}}});
    }
    x = two(x, 128);
    for (std::size_t i = left.size(); i-- > 0;) {
        auto const& [same, filters] = left[i];
        if (i == 0) { // the last one by repetition and a 1x1 convolution
            x = g.add("Resize", {x, "", g.scales({1, 1, 2, 2})},
                      {{"mode", std::string("nearest")}});
            x = convolve(g, x, channels, filters, {.kernel = 1});
        } else {
            x = g.add("ConvTranspose",
                      {x, g.weight({channels, filters, 2, 2}), g.weight({filters})},
                      {{"kernel_shape", extents{2, 2}}, {"strides", extents{2, 2}}});
        }
        x = g.add("Concat", {same, x}, {{"axis", std::int64_t(1)}});
        channels = 2 * filters;
        x = two(x, filters);
    }
    g.output(g.add("Sigmoid", {convolve(g, x, channels, 1, {.kernel = 1})}));
    return g;
}

} // namespace onnx_tests
