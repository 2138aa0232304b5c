// tests/support/networks.hpp - published networks, with the numbers that their papers fix as parameters.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/model/convolution.hpp>
#include <attune/declare/model/layers.hpp>
#include <attune/declare/model/network.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace attune_tests {

namespace model = attune::model;
using model::quantity;
using model::tensor;

/// Configuration D of Simonyan and Zisserman 2015.
struct vgg16_sizes {
    quantity batch = 1;
    std::vector<quantity> kernels = std::vector<quantity>(13, 3);
    quantity first_units = 4096;
    quantity second_units = 4096;
};
inline model::network vgg16(vgg16_sizes const& sizes)
{
    model::network net("vgg16");
    tensor x = net.input({sizes.batch, 3, 224, 224});
    std::size_t conv = 0;
    for (std::vector<int> const& stage : std::vector<std::vector<int>>{
             {64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}}) {
        for (int const filters : stage)
            x = model::relu(model::conv2d(x, {.filters = filters,
                                              .kernel = sizes.kernels[conv++],
                                              .pad = model::padding::same_extent()}));
        x = model::max_pool2d(x, {});
    }
    x = model::relu(model::dense(model::flatten(x), sizes.first_units));
    x = model::relu(model::dense(x, sizes.second_units));
    model::dense(x, 1000);
    return net;
}

/// He et al. 2016, with the stride in the 3x3 convolution as in torchvision.
inline model::network resnet50(quantity const& batch)
{
    model::network net("resnet50");
    auto const conv = [](tensor const& x, quantity filters, int kernel, int stride) {
        return model::batch_norm(model::conv2d(x, {.filters = filters,
                                                   .kernel = kernel,
                                                   .stride = stride,
                                                   .pad = kernel / 2,
                                                   .bias = false}));
    };
    tensor x = model::relu(conv(net.input({batch, 3, 224, 224}), 64, 7, 2));
    x = model::max_pool2d(x, {.window = 3, .stride = 2, .pad = 1});
    constexpr std::array<int, 4> blocks{3, 4, 6, 3};
    for (std::size_t stage = 0; stage < blocks.size(); ++stage)
        for (int block = 0; block < blocks[stage]; ++block) {
            int const width = 64 << stage;
            int const stride = stage > 0 && block == 0 ? 2 : 1;
            tensor y = model::relu(conv(x, width, 1, 1));
            y = conv(model::relu(conv(y, width, 3, stride)), 4 * width, 1, 1);
            x = model::relu(model::add(y, block == 0 ? conv(x, 4 * width, 1, stride) : x));
        }
    model::dense(model::global_average_pool(x), 1000);
    return net;
}

/// Howard et al. 2017: width 1, 224 x 224.
inline model::network mobilenet(quantity const& batch)
{
    model::network net("mobilenet");
    tensor x = net.input({batch, 3, 224, 224});
    auto const norm = [](tensor const& t) { return model::relu(model::batch_norm(t)); };
    x = norm(model::conv2d(x, {.filters = 32, .kernel = 3, .stride = 2, .pad = 1, .bias = false}));
    struct block {
        int filters;
        int stride;
    };
    constexpr std::array<block, 13> blocks{{{64, 1},
                                            {128, 2},
                                            {128, 1},
                                            {256, 2},
                                            {256, 1},
                                            {512, 2},
                                            {512, 1},
                                            {512, 1},
                                            {512, 1},
                                            {512, 1},
                                            {512, 1},
                                            {1024, 2},
                                            {1024, 1}}};
    for (block const& b : blocks) {
        x = norm(
            model::depthwise_conv2d(x, {.kernel = 3, .stride = b.stride, .pad = 1, .bias = false}));
        x = norm(model::conv2d(x, {.filters = b.filters, .kernel = 1, .bias = false}));
    }
    model::dense(model::global_average_pool(x), 1000);
    return net;
}

/// A layer of Vaswani et al. 2017 without mask; `first` normalises before each part as GPT-2 does.
inline tensor transformer_block(tensor x, bool first)
{
    quantity const width = x.extent(2);
    auto const attend = [](tensor const& t) { return model::attention(t, {.heads = 12}); };
    auto const feed = [&](tensor const& t) {
        return model::dense(model::gelu(model::dense(t, 4 * width)), width);
    };
    if (first) {
        x = model::add(x, attend(model::layer_norm(x)));
        return model::add(x, feed(model::layer_norm(x)));
    }
    x = model::layer_norm(model::add(attend(x), x));
    return model::layer_norm(model::add(feed(x), x));
}

/// Devlin et al. 2019, with the pooler as in BertModel of Hugging Face.
inline model::network bert_base(quantity const& batch, quantity const& tokens)
{
    model::network net("bert_base");
    tensor x = model::embedding(net.input({batch, tokens}), 30522, 768);
    x = model::add(x, model::embedding(net.input({1, tokens}), 512, 768));
    x = model::add(x, model::embedding(net.input({batch, tokens}), 2, 768));
    x = model::layer_norm(x);
    for (int layer = 0; layer < 12; ++layer)
        x = transformer_block(x, false);
    // The pooler reads the first token of each sample: a layer of our own.
    tensor const token = model::apply("first token", {x}, {.shape = {batch, 768}});
    model::activation(model::dense(token, 768), "tanh");
    return net;
}

/// Radford et al. 2019; the output shares the kernel of the embedding.
inline model::network gpt2_small(quantity const& batch, quantity const& tokens)
{
    model::network net("gpt2_small");
    tensor x = model::embedding(net.input({batch, tokens}), 50257, 768);
    x = model::add(x, model::embedding(net.input({1, tokens}), 1024, 768));
    for (int layer = 0; layer < 12; ++layer)
        x = transformer_block(x, true);
    static_cast<void>(model::dense(model::layer_norm(x), 50257, {.bias = false, .is_tied = true}));
    return net;
}

/// An encoder and a decoder of one LSTM each over embedded words, and a dense layer over the
/// vocabulary: Sutskever et al. 2014.
struct seq2seq_sizes {
    quantity batch = 1;
    quantity hidden = 256;
    quantity steps = 20;
    quantity features = 256;
    quantity vocabulary = 10000;
    quantity layers = 1;
};
inline model::network seq2seq(seq2seq_sizes const& s)
{
    model::network net("seq2seq");
    model::recurrent const cells{.units = s.hidden, .layers = s.layers};
    tensor const from = model::embedding(net.input({s.batch, s.steps}), s.vocabulary, s.features);
    model::lstm(from, cells); // its state is held for the decoder
    tensor const to = model::embedding(net.input({s.batch, s.steps}), s.vocabulary, s.features);
    model::softmax(model::dense(model::lstm(to, cells), s.vocabulary));
    return net;
}

/// Ronneberger et al. 2015: 572 x 572 in, 388 x 388 out, skips cropped.
inline model::network unet(quantity const& batch, quantity const& first_filters,
                           quantity const& classes)
{
    model::network net("unet");
    auto const twice = [](tensor x, quantity const& filters) {
        for (int i = 0; i < 2; ++i)
            x = model::relu(model::conv2d(x, {.filters = filters, .kernel = 3}));
        return x;
    };
    tensor x = net.input({batch, 1, 572, 572});
    std::vector<tensor> skips;
    quantity filters = first_filters;
    for (int level = 0; level < 4; ++level) {
        skips.push_back(twice(x, filters));
        x = model::max_pool2d(skips.back(), {});
        filters = 2 * filters;
    }
    x = twice(x, filters);
    for (; !skips.empty(); skips.pop_back()) {
        filters = filters / 2;
        x = model::transposed_conv2d(x, {.filters = filters});
        std::vector<quantity> shape = x.shape();
        shape[1] = skips.back().extent(1);
        tensor const cropped = model::apply("crop", {skips.back()}, {.shape = shape});
        x = twice(model::concat({cropped, x}), filters);
    }
    model::conv2d(x, {.filters = classes, .kernel = 1});
    return net;
}

/// The two hidden layers of the tabular benchmark of Klein and Hutter 2019: 9 inputs (Protein).
inline model::network hpobench(quantity const& batch, quantity const& first, quantity const& second)
{
    model::network net("hpobench");
    tensor x = net.input({batch, 9});
    for (quantity const& units : {first, second})
        x = model::relu(model::dense(x, units));
    model::dense(x, 1);
    return net;
}

} // namespace attune_tests
