"""bench/tune/program_libraries.py - torch's oneDNN and MKL on the layers of bench.tune.programs, one thread.
SPDX-License-Identifier: MIT

    python3 bench/tune/environment.py libraries ENVIRONMENT
    bench.tune.programs --libraries ENVIRONMENT/bin/python

Weights are packed beforehand where oneDNN packs them, and what follows a product is fused where it can be.
"""
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


def draw(*shape):
    return torch.randn(*shape) * 0.1


def products(rows, columns, inner):
    a, b, c = draw(rows, inner), draw(inner, columns), torch.empty(rows, columns)
    packed = onednn._reorder_linear_weight(draw(columns, inner), rows)
    return {
        "onednn_packed": lambda: onednn._linear_pointwise(a, packed, None, "none", [], ""),
        "mkl": lambda: torch.mm(a, b, out=c),
    }


def batched(batch, rows, columns, inner):
    a, b, c = draw(batch, rows, inner), draw(batch, inner, columns), torch.empty(batch, rows, columns)
    return {"mkl": lambda: torch.bmm(a, b, out=c)}  # torch has no batches of oneDNN's in fp32


def product_bias_gelu(rows, columns, inner):
    x, w, bias = draw(rows, inner), draw(columns, inner), draw(columns)
    packed = onednn._reorder_linear_weight(w, rows)
    return {
        "onednn_packed_fused": lambda: onednn._linear_pointwise(x, packed, bias, "gelu", [], "tanh"),
        "mkl_then_gelu": lambda: functional.gelu(functional.linear(x, w, bias), approximate="tanh"),
    }


def convolution(height, width, inputs, outputs, size, stride, padding, groups=1, fused=False):
    last = torch.channels_last
    x = draw(1, inputs, height, width).contiguous(memory_format=last)
    w = draw(outputs, inputs // groups, size, size).contiguous(memory_format=last)
    bias = draw(outputs) if fused else None
    how = [padding, padding], [stride, stride], [1, 1], groups
    packed = onednn._reorder_convolution_weight(w, *how, list(x.shape))
    attribute = "relu" if fused else "none"
    label = "onednn_packed_fused" if fused else "onednn_packed"
    return {label: lambda: onednn._convolution_pointwise(x, packed, bias, *how, attribute, [], "")}


def softmax(rows, columns):
    x = draw(rows, columns)
    as_onednn = x.to_mkldnn()
    return {"torch": lambda: torch.softmax(x, -1), "onednn": lambda: torch.softmax(as_onednn, -1)}


def layer_norm(rows, columns):
    x, scale, shift = draw(rows, columns), draw(columns), draw(columns)
    return {"torch": lambda: functional.layer_norm(x, (columns,), scale, shift)}


LAYERS = {
    "matmul_512": lambda: products(512, 512, 512),
    "matmul_1024": lambda: products(1024, 1024, 1024),
    "batched_matmul": lambda: batched(12, 128, 128, 64),
    "ffn_gelu": lambda: product_bias_gelu(128, 3072, 768),
    "conv_56": lambda: convolution(56, 56, 64, 64, 3, 1, 1),
    "conv_28": lambda: convolution(28, 28, 128, 128, 3, 1, 1),
    "conv_bias_relu": lambda: convolution(56, 56, 64, 64, 3, 1, 1, fused=True),
    "conv_1x1": lambda: convolution(14, 14, 256, 1024, 1, 1, 0),
    "conv_7x7": lambda: convolution(224, 224, 3, 64, 7, 2, 3),
    "depthwise": lambda: convolution(112, 112, 32, 32, 3, 1, 1, groups=32),
    "softmax": lambda: softmax(1536, 128),
    "layer_norm": lambda: layer_norm(128, 768),
}

if __name__ == "__main__":
    serve(lambda layer: LAYERS[layer]())
