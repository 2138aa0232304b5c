"""bench/tune/network_libraries.py - torch's oneDNN kernels on the networks of bench.tune.networks, one thread.
SPDX-License-Identifier: MIT

    python3 bench/tune/environment.py libraries ENVIRONMENT
    bench.tune.networks --libraries ENVIRONMENT/bin/python

One function runs all layers of a network in their order, each on what the one before has computed. Images are channels
last; each call of a layer has weights of its own, packed beforehand; what follows a product or a convolution is fused
where oneDNN fuses it. Products of two computed arrays are MKL's, softmax, pooling and layer norm torch's own.
"""
import math
import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import torch
from torch.nn import functional

from served import serve

torch.set_num_threads(1)
torch.set_grad_enabled(False)
torch.manual_seed(1)
onednn = torch.ops.mkldnn
RELU6 = ("hardtanh", [0.0, 6.0], "")
RELU = ("relu", [], "")
GELU = ("gelu", [], "none")
NOTHING = ("none", [], "")


def weights(*shape, inner):
    """Numbers that keep those of a layer as large as they are."""
    return (torch.rand(*shape) * 2 - 1) * math.sqrt(6 / inner)


def convolution(height, inputs, outputs, size=1, stride=1, follows=RELU, groups=1, adds=False):
    """image [, other image] -> image"""
    inner = inputs // groups * size * size
    w = weights(outputs, inputs // groups, size, size, inner=inner).contiguous(memory_format=torch.channels_last)
    bias = torch.rand(outputs) * 0.1 - 0.05
    how = [size // 2, size // 2], [stride, stride], [1, 1], groups
    packed = onednn._reorder_convolution_weight(w, *how, [1, inputs, height, height])
    if adds:
        return lambda x, other: onednn._convolution_pointwise.binary(
            x, other, packed, bias, *how, "add", 1.0, follows[0], follows[1], follows[2]
        )
    return lambda x: onednn._convolution_pointwise(x, packed, bias, *how, *follows)


def dense(rows, inner, columns, follows=NOTHING, adds=False):
    """rows [, other rows] -> rows"""
    packed = onednn._reorder_linear_weight(weights(columns, inner, inner=inner), rows)
    bias = torch.rand(columns) * 0.1 - 0.05
    if adds:
        return lambda x, other: onednn._linear_pointwise.binary(x, other, packed, bias, "add")
    return lambda x: onednn._linear_pointwise(x, packed, bias, *follows)


def image(height=224):
    return torch.randn(1, 3, height, height).contiguous(memory_format=torch.channels_last)


def in_turn(first, layers):
    def run():
        x = first
        for layer in layers:
            x = layer(x)
        return x

    return run


def classes(inner):
    return [lambda x: x.mean((2, 3)), dense(1, inner, 1000), lambda x: torch.softmax(x, -1)]


def mobilenet():
    layers = [convolution(224, 3, 32, 3, 2, RELU6)]
    height = 112
    blocks = [(32, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2)]
    for inputs, outputs, stride in [*blocks, *[(512, 512, 1)] * 5, (512, 1024, 2), (1024, 1024, 1)]:
        layers.append(convolution(height, inputs, inputs, 3, stride, RELU6, groups=inputs))
        height //= stride
        layers.append(convolution(height, inputs, outputs, 1, 1, RELU6))
    return {"onednn": in_turn(image(), layers + classes(1024))}


def bottleneck(height, inputs, narrow, outputs, stride, has_shortcut):
    first = convolution(height, inputs, narrow)
    taps = convolution(height, narrow, narrow, 3, stride)
    widen = convolution(height // stride, narrow, outputs, adds=True)
    shortcut = convolution(height, inputs, outputs, 1, stride, NOTHING) if has_shortcut else lambda x: x
    return lambda x: widen(taps(first(x)), shortcut(x))


def resnet50():
    layers = [convolution(224, 3, 64, 7, 2), lambda x: functional.max_pool2d(x, 3, 2, 1)]
    height, inputs = 56, 64
    for blocks, narrow, stride in [(3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)]:
        for block in range(blocks):
            by = stride if block == 0 else 1
            layers.append(bottleneck(height, inputs, narrow, 4 * narrow, by, block == 0))
            height, inputs = height // by, 4 * narrow
    return {"onednn": in_turn(image(), layers + classes(2048))}


def norm(columns):
    gain, shift = torch.rand(columns) + 0.5, torch.rand(columns)
    return lambda x: functional.layer_norm(x, (columns,), gain, shift, 1e-12)


def encoder(tokens, attention):
    """One block of BERT. attention: (queries, keys, values), heads x tokens x 64 each -> the same"""
    qkv, output = dense(tokens, 768, 3 * 768), dense(tokens, 768, 768, adds=True)
    widen, narrow = dense(tokens, 768, 3072, GELU), dense(tokens, 3072, 768, adds=True)
    first, second = norm(768), norm(768)

    def run(x):
        heads = qkv(x).view(tokens, 3, 12, 64).permute(1, 2, 0, 3)
        mixed = attention(heads[0], heads[1], heads[2]).transpose(0, 1).reshape(tokens, 768)
        y = first(output(mixed, x))
        return second(narrow(widen(y), y))

    return run


def in_layers(queries, keys, values):
    return torch.matmul(torch.softmax(torch.matmul(queries, keys.transpose(1, 2)) * 0.125, -1), values)


def at_once(queries, keys, values):
    return functional.scaled_dot_product_attention(queries[None], keys[None], values[None])[0]


def bert(tokens=128):
    x = torch.randn(tokens, 768)
    return {
        "onednn": in_turn(x, [encoder(tokens, in_layers) for _ in range(12)]),
        "onednn_fused_attention": in_turn(x, [encoder(tokens, at_once) for _ in range(12)]),
    }


NETWORKS = {"mobilenet": mobilenet, "resnet50": resnet50, "bert": bert}

if __name__ == "__main__":
    serve(lambda network: NETWORKS[network]())
