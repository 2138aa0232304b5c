"""bench/declare/onnx_networks.py - twenty published networks as ONNX graphs, at the sizes of their papers.
SPDX-License-Identifier: MIT

NETWORKS has a function per network, which appends it to a Writer. With these batches seven hold more than 64 MiB.
"""
from onnx_writer import (Writer, attend, attention, batch_norm, classify, conv, conv_norm, extent, as_list, gelu,
                         gelu_tanh, heads_of, hide, linear, max_pool, norm, project, recurrent, rows_of, swish)


def vgg16(g, batch=3):
    """Simonyan and Zisserman 2015"""
    x, channels = g.input("image", batch, 3, 224, 224), 3
    for filters, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(count):
            x, channels = g("Relu", conv(g, x, channels, filters)), filters
        x = max_pool(g, x, 2, 2)
    x = g("Flatten", x)
    for features in (512 * 49, 4096):
        x = g("Dropout", g("Relu", linear(g, x, features, 4096)))
    g.output(g("Softmax", linear(g, x, 4096, 1000)))


def residual(g, batch, groups, width):
    """He et al. 2016; with groups Xie et al. 2017"""
    x = conv_norm(g, g.input("image", batch, 3, 224, 224), 3, 64, 7, stride=2)
    x, channels, inner = max_pool(g, x, 3, 2, pad=1), 64, width
    for stage, count in enumerate((3, 4, 6, 3)):
        filters = 256 << stage
        for i in range(count):
            stride = 2 if i == 0 and stage > 0 else 1
            y = conv_norm(g, x, channels, inner, 1)
            y = conv_norm(g, y, inner, inner, 3, stride=stride, group=groups)
            y = conv_norm(g, y, inner, filters, 1, act=None)
            same = x if i > 0 else conv_norm(g, x, channels, filters, 1, act=None, stride=stride)
            x, channels = g("Relu", g("Add", y, same)), filters
        inner *= 2
    classify(g, x, channels)


def resnet50(g):
    residual(g, 4, 1, 64)


def resnext50(g):
    residual(g, 2, 32, 128)


def mobilenet(g, batch=16):
    """Howard et al. 2017"""
    x, channels = conv_norm(g, g.input("image", batch, 3, 224, 224), 3, 32, stride=2), 32
    for filters, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2),
                            (1024, 1)):
        x = conv_norm(g, x, channels, channels, stride=stride, group=channels)
        x, channels = conv_norm(g, x, channels, filters, 1), filters
    classify(g, x, channels)


def bert_base(g, batch=2, steps=128):
    """Devlin et al. 2019, with its pooler"""
    features = 768
    ids = g.input("ids", batch, steps, integer=True)
    kinds = g.input("kinds", batch, steps, integer=True)
    hidden = hide(g, g.input("mask", batch, steps))
    places = g("Slice", g.wholes(*range(512)), g.wholes(0), g.wholes(steps), g.wholes(0))
    x = g("Add", g("Gather", g.weight(30522, features), ids), g("Gather", g.weight(2, features), kinds))
    x = norm(g, g("Add", x, g("Gather", g.weight(512, features), places)), features)
    for _ in range(12):
        x = norm(g, g("Add", attention(g, x, x, features, 12, hidden), x), features)
        y = project(g, gelu(g, project(g, x, features, 3072)), 3072, features)
        x = norm(g, g("Add", y, x), features)
    first = g("Gather", x, g.whole(0), axis=1)
    g.output(x, g("Tanh", linear(g, first, features, features)))


def lstm_seq2seq(g, batch=36, steps=60, units=512, words=8000):
    """Sutskever et al. 2014, the encoder in both directions"""
    source = g.input("source", steps, batch, integer=True)
    target = g.input("target", steps, batch, integer=True)
    x = g("Gather", g.weight(words, 256), source)
    last, cells = recurrent(g, "LSTM", x, 256, units, 2, outputs=("Y_h", "Y_c"))
    start = [g("Slice", s, g.wholes(0), g.wholes(1), g.wholes(0)) for s in (last, cells)]
    y, = recurrent(g, "LSTM", g("Gather", g.weight(words, 256), target), 256, units, state=start)
    y, = recurrent(g, "LSTM", g("Squeeze", y, g.wholes(1)), units, units)
    g.output(linear(g, g("Reshape", y, g.wholes(-1, units)), units, words))


def unet(g, batch=1, size=256):
    """Ronneberger et al. 2015, with padding"""

    def twice(x, channels, filters):
        for _ in range(2):
            x, channels = g("Relu", conv(g, x, channels, filters)), filters
        return x

    x, channels, left = g.input("image", batch, 1, size, size), 1, []
    for filters in (64, 128, 256, 512):
        x = twice(x, channels, filters)
        left.append(x)
        x, channels = max_pool(g, x, 2, 2), filters
    x = twice(x, 512, 1024)
    for same, filters in zip(reversed(left), (512, 256, 128, 64)):
        x = g("ConvTranspose", x, g.weight(2 * filters, filters, 2, 2), g.weight(filters), kernel_shape=[2, 2],
              strides=[2, 2])
        x = twice(g("Concat", same, x, axis=1), 2 * filters, filters)
    g.output(conv(g, x, 64, 2, 1))


def gpt2_small(g, batch=1, steps=384):
    """Radford et al. 2019; its output layer is the table of its words, turned"""
    features = 768
    ids = g.input("ids", batch, steps, integer=True)
    hidden = g.input("mask", 1, 1, steps, steps)
    words = g.weight(50257, features)
    places = g("Unsqueeze", g("Range", g.whole(0), g.whole(steps), g.whole(1)), g.wholes(0))
    x = g("Add", g("Gather", words, ids), g("Gather", g.weight(1024, features), places))
    for _ in range(12):
        y = project(g, norm(g, x, features, plain=True), features, 3 * features)
        q, k, v = g("Split", y, g.wholes(features, features, features), axis=2, outputs=3)
        y = attend(g, heads_of(g, q, 12, 64), heads_of(g, k, 12, 64, turned=True), heads_of(g, v, 12, 64), 64, hidden)
        x = g("Add", project(g, rows_of(g, y, features), features, features), x)
        y = gelu_tanh(g, project(g, norm(g, x, features, plain=True), features, 3072))
        x = g("Add", project(g, y, 3072, features), x)
    g.output(g("MatMul", norm(g, x, features, plain=True), g("Transpose", words, perm=[1, 0])))


def densenet121(g, batch=4):
    """Huang et al. 2017"""
    x, channels = conv_norm(g, g.input("image", batch, 3, 224, 224), 3, 64, 7, stride=2), 64
    x = max_pool(g, x, 3, 2, pad=1)
    for stage, count in enumerate((6, 12, 24, 16)):
        for _ in range(count):
            y = conv(g, g("Relu", batch_norm(g, x, channels)), channels, 128, 1, bias=False)
            y = conv(g, g("Relu", batch_norm(g, y, 128)), 128, 32, 3, bias=False)
            x, channels = g("Concat", x, y, axis=1), channels + 32
        if stage < 3:
            x = conv(g, g("Relu", batch_norm(g, x, channels)), channels, channels // 2, 1, bias=False)
            x, channels = g("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2]), channels // 2
    classify(g, g("Relu", batch_norm(g, x, channels)), channels)


def googlenet(g, batch=4):
    """Szegedy et al. 2015, without the two classifiers of its training"""

    def block(x, channels, one, three, five, pooled):
        def act(y, *rest):
            return g("Relu", conv(g, y, *rest))

        parts = (act(x, channels, one, 1), act(act(x, channels, three[0], 1), *three),
                 act(act(x, channels, five[0], 1), *five, 5), act(max_pool(g, x, 3, 1, pad=1), channels, pooled, 1))
        return g("Concat", *parts, axis=1), one + three[1] + five[1] + pooled

    x = g("Relu", conv(g, g.input("image", batch, 3, 224, 224), 3, 64, 7, stride=2))
    x = max_pool(g, x, 3, 2, ceil=1)
    x = g("Relu", conv(g, g("Relu", conv(g, x, 64, 64, 1)), 64, 192))
    x, channels = max_pool(g, x, 3, 2, ceil=1), 192
    for sizes in ((64, (96, 128), (16, 32), 32), (128, (128, 192), (32, 96), 64), None,
                  (192, (96, 208), (16, 48), 64), (160, (112, 224), (24, 64), 64), (128, (128, 256), (24, 64), 64),
                  (112, (144, 288), (32, 64), 64), (256, (160, 320), (32, 128), 128), None,
                  (256, (160, 320), (32, 128), 128), (384, (192, 384), (48, 128), 128)):
        if sizes is None:
            x = max_pool(g, x, 3, 2, ceil=1)
        else:
            x, channels = block(x, channels, *sizes)
    classify(g, x, channels)


def shufflenet(g, batch=16, groups=3):
    """Zhang et al. 2018, 3 groups: channels are mixed by a Transpose"""

    def shuffle(x, channels, size):
        x = g("Reshape", x, g.wholes(0, groups, channels // groups, size, size))
        return g("Reshape", g("Transpose", x, perm=[0, 2, 1, 3, 4]), g.wholes(0, channels, size, size))

    x = conv_norm(g, g.input("image", batch, 3, 224, 224), 3, 24, stride=2)
    x, channels, size = max_pool(g, x, 3, 2, pad=1), 24, 56
    for filters, count in ((240, 4), (480, 8), (960, 4)):
        for i in range(count):
            stride = 2 if i == 0 else 1
            made = filters - channels if i == 0 else filters
            y = conv_norm(g, x, channels, filters // 4, 1, group=1 if channels == 24 else groups)
            y = conv_norm(g, shuffle(y, filters // 4, size), filters // 4, filters // 4, act=None, stride=stride,
                          group=filters // 4)
            y = conv_norm(g, y, filters // 4, made, 1, act=None, group=groups)
            if i == 0:
                same = g("AveragePool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
                x, size = g("Relu", g("Concat", same, y, axis=1)), size // 2
            else:
                x = g("Relu", g("Add", x, y))
            channels = filters
    classify(g, x, channels)


def efficientnet_b0(g, batch=4):
    """Tan and Le 2019: squeeze and excite, swish"""
    x, channels = conv_norm(g, g.input("image", batch, 3, 224, 224), 3, 32, stride=2, act="swish"), 32
    for expand, filters, count, stride, kernel in ((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5),
                                                   (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5),
                                                   (6, 320, 1, 1, 3)):
        for i in range(count):
            wide = channels * expand
            y = x if expand == 1 else conv_norm(g, x, channels, wide, 1, act="swish")
            y = conv_norm(g, y, wide, wide, kernel, act="swish", stride=stride if i == 0 else 1, group=wide)
            s = g("ReduceMean", y, axes=[2, 3], keepdims=1)
            s = conv(g, swish(g, conv(g, s, wide, channels // 4, 1)), channels // 4, wide, 1)
            y = conv_norm(g, g("Mul", y, g("Sigmoid", s)), wide, filters, 1, act=None)
            x, channels = g("Add", y, x) if i > 0 else y, filters
    classify(g, conv_norm(g, x, channels, 1280, 1, act="swish"), 1280)


def transformer_decoder(g, batch=2, steps=256, source=192, words=8000):
    """Vaswani et al. 2017: six layers that read a memory"""
    features = 512
    ids = g.input("ids", batch, steps, integer=True)
    memory = g.input("memory", batch, source, features)
    # Hidden are later words and padding, which has the number 0.
    later = g.input("later", steps, steps)
    padding = g("Cast", g("Equal", ids, g.whole(0)), to=1)
    mask = g("Add", later, g("Mul", g("Unsqueeze", padding, g.wholes(1, 2)), g.number(-10000)))
    x = g("Mul", g("Gather", g.weight(words, features), ids), g.number(features**0.5))
    x = g("Add", x, g.weight(steps, features))
    for _ in range(6):
        x = norm(g, g("Add", attention(g, x, x, features, 8, mask), x), features)
        x = norm(g, g("Add", attention(g, x, memory, features, 8), x), features)
        y = project(g, g("Relu", project(g, x, features, 2048)), 2048, features)
        x = norm(g, g("Add", y, x), features)
    g.output(g("LogSoftmax", project(g, x, features, words), axis=-1))


def vit_b16(g, batch=1):
    """Dosovitskiy et al. 2021"""
    features = 768
    x = conv(g, g.input("image", batch, 3, 224, 224), 3, features, 16, stride=16, pad=0)
    x = g("Transpose", g("Reshape", x, g.wholes(0, features, -1)), perm=[0, 2, 1])
    row = g("Expand", g.weight(1, 1, features), g("Concat", as_list(g, extent(g, x, 0)), g.wholes(1, 1), axis=0))
    x = g("Add", g("Concat", row, x, axis=1), g.weight(1, 197, features))
    for _ in range(12):
        y = norm(g, x, features)
        x = g("Add", attention(g, y, y, features, 12), x)
        x = g("Add", project(g, gelu(g, project(g, norm(g, x, features), features, 3072)), 3072, features), x)
    first = g("Squeeze", g("Slice", norm(g, x, features), g.wholes(0), g.wholes(1), g.wholes(1)), g.wholes(1))
    g.output(linear(g, first, features, 1000))


def wavenet(g, batch=4, steps=16000, channels=64):
    """van den Oord et al. 2016: dilated causal convolutions along time, gates, sums of what all layers skip"""
    x, sums = conv(g, g.input("sound", batch, 1, steps), 1, channels, 1, axes=1), None
    for i in range(10):
        padded = g("Pad", x, g.wholes(0, 0, 1 << i, 0, 0, 0))
        y = conv(g, padded, channels, 2 * channels, 2, pad=0, dilation=1 << i, axes=1)
        wave, gate = g("Split", y, g.wholes(channels, channels), axis=1, outputs=2)
        y = g("Mul", g("Tanh", wave), g("Sigmoid", gate))
        skipped = conv(g, y, channels, channels, 1, axes=1)
        sums = skipped if sums is None else g("Add", sums, skipped)
        if i < 9:  # nothing reads the last one
            x = g("Add", conv(g, y, channels, channels, 1, axes=1), x)
    y = g("Relu", conv(g, g("Relu", sums), channels, channels, 1, axes=1))
    y = g("Transpose", conv(g, y, channels, 256, 1, axes=1), perm=[0, 2, 1])
    g.output(g("Softmax", y, axis=-1))


def c3d(g, batch=1):
    """Tran et al. 2015: convolutions over time, height and width"""
    x, channels = g.input("video", batch, 3, 16, 112, 112), 3
    for place, (filters, count) in enumerate(((64, 1), (128, 1), (256, 2), (512, 2), (512, 2))):
        for _ in range(count):
            x, channels = g("Relu", conv(g, x, channels, filters, axes=3)), filters
        first = [1 if place == 0 else 2, 2, 2]
        x = g("MaxPool", x, kernel_shape=first, strides=first, pads=[0, 0, 0, 0, 1, 1] if place == 4 else [0] * 6)
    x = g("Flatten", x)
    for features in (8192, 4096):
        x = g("Relu", linear(g, x, features, 4096))
    g.output(linear(g, x, 4096, 487))


def dcgan_generator(g, batch=32):
    """Radford et al. 2016: transposed convolutions from 100 numbers to a picture"""
    x = g("Reshape", linear(g, g.input("noise", batch, 100), 100, 1024 * 16), g.wholes(0, 1024, 4, 4))
    x, channels = g("Relu", batch_norm(g, x, 1024)), 1024
    for filters in (512, 256, 128, 3):
        x = g("ConvTranspose", x, g.weight(channels, filters, 4, 4), kernel_shape=[4, 4], strides=[2, 2],
              pads=[1, 1, 1, 1])
        x = g("Tanh", x) if filters == 3 else g("Relu", batch_norm(g, x, filters))
        channels = filters
    g.output(x)


def mlp_mixer(g, batch=4):
    """Tolstikhin et al. 2021, S/16"""
    features, places = 512, 196
    x = conv(g, g.input("image", batch, 3, 224, 224), 3, features, 16, stride=16, pad=0)
    x = g("Transpose", g("Reshape", x, g.wholes(0, features, -1)), perm=[0, 2, 1])
    for _ in range(8):
        y = g("Transpose", norm(g, x, features), perm=[0, 2, 1])
        y = project(g, gelu(g, project(g, y, places, 256)), 256, places)
        x = g("Add", x, g("Transpose", y, perm=[0, 2, 1]))
        x = g("Add", x, project(g, gelu(g, project(g, norm(g, x, features), features, 2048)), 2048, features))
    g.output(linear(g, g("ReduceMean", norm(g, x, features), axes=[1], keepdims=0), features, 1000))


def gru_speech(g, batch=4, steps=400):
    """Amodei et al. 2016: a spectrogram through two convolutions and three recurrent layers in both directions"""
    x = g.input("spectrogram", batch, 1, 161, steps)
    for kernel, strides, channels in (([41, 11], [2, 2], 1), ([21, 11], [2, 1], 32)):
        y = g("Conv", x, g.weight(32, channels, *kernel), kernel_shape=kernel, strides=strides, auto_pad="SAME_UPPER")
        x = g("Clip", batch_norm(g, y, 32), g.number(0), g.number(20))
    x = g("Transpose", x, perm=[3, 0, 1, 2])
    x, features = g("Reshape", x, g.wholes(0, 0, -1)), 32 * 41
    for _ in range(3):
        y, = recurrent(g, "GRU", x, features, 256, 2, linear_before_reset=1)
        x, features = g("ReduceSum", y, g.wholes(1), keepdims=0), 256
    g.output(g("LogSoftmax", project(g, x, 256, 29), axis=-1))


def squeezenet(g, batch=16):
    """Iandola et al. 2016, version 1.0"""

    def fire(x, channels, squeezed, made):
        x = g("Relu", conv(g, x, channels, squeezed, 1))
        return g("Concat", g("Relu", conv(g, x, squeezed, made, 1)), g("Relu", conv(g, x, squeezed, made)), axis=1)

    x, channels = g("Relu", conv(g, g.input("image", batch, 3, 224, 224), 3, 96, 7, stride=2, pad=0)), 96
    for sizes in (None, (16, 64), (16, 64), (32, 128), None, (32, 128), (48, 192), (48, 192), (64, 256), None,
                  (64, 256)):
        if sizes is None:
            x = max_pool(g, x, 3, 2, ceil=1)
        else:
            x, channels = fire(x, channels, *sizes), 2 * sizes[1]
    x = g("Relu", conv(g, x, channels, 1000, 1))
    g.output(g("Softmax", g("Flatten", g("GlobalAveragePool", x))))


NETWORKS = (vgg16, resnet50, mobilenet, bert_base, lstm_seq2seq, unet, gpt2_small, densenet121, googlenet, shufflenet,
            efficientnet_b0, resnext50, transformer_decoder, vit_b16, wavenet, c3d, dcgan_generator, mlp_mixer,
            gru_speech, squeezenet)


def written(network):
    out = Writer(network.__name__)
    network(out)
    return out
