"""bench/declare/onnx_writer.py - writes ONNX graphs node by node, and the blocks that networks share.
SPDX-License-Identifier: MIT
"""
import numpy
from onnx import TensorProto, helper

OPSET = 17


class Writer:
    """A graph of fixed sizes. A call appends a node and gives the name of its output, or a list of several."""

    def __init__(self, name):
        self.name = name
        self.nodes = []
        self.inputs = []
        self.stored = {}  # name -> data type, shape, the numbers of a short array
        self.outputs = []

    def input(self, name, *shape, integer=False):
        kind = TensorProto.INT64 if integer else TensorProto.FLOAT
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def weight(self, *shape):
        return self._store("w", TensorProto.FLOAT, shape)

    def number(self, value):
        return self._store("c", TensorProto.FLOAT, (), [float(value)])

    def whole(self, value):
        return self._store("i", TensorProto.INT64, (), [value])

    def wholes(self, *values):
        return self._store("s", TensorProto.INT64, (len(values),), list(values))

    def _store(self, letter, kind, shape, values=None):
        name = f"{letter}{len(self.stored)}"
        self.stored[name] = (kind, tuple(shape), values)
        return name

    def __call__(self, op, *inputs, outputs=1, **attributes):
        place = len(self.nodes)
        made = [f"t{place}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), made, name=f"{op}_{place}", **attributes))
        return made[0] if outputs == 1 else made

    def output(self, *names):
        self.outputs += names

    def model(self, with_weights=True):
        """@param with_weights  False: inputs stand for the weights, so that only shapes are there"""
        numbers = numpy.random.default_rng(0)
        inputs, arrays = list(self.inputs), []
        for name, (kind, shape, values) in self.stored.items():
            if values is not None:
                arrays.append(helper.make_tensor(name, kind, shape, values))
            elif with_weights:
                drawn = numbers.standard_normal(shape, dtype=numpy.float32) * numpy.float32(0.02)
                arrays.append(helper.make_tensor(name, kind, shape, drawn.tobytes(), raw=True))
            else:
                inputs.append(helper.make_tensor_value_info(name, kind, shape))
        outputs = [helper.make_empty_tensor_value_info(name) for name in self.outputs]
        graph = helper.make_graph(self.nodes, self.name, inputs, outputs, arrays)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


def conv(g, x, channels, filters, kernel=3, stride=1, group=1, pad=None, dilation=1, bias=True, axes=2):
    """A convolution over `axes` axes; without `pad` its output has ceil(extent / stride)."""
    if pad is None:
        pad = dilation * (kernel - 1) // 2
    parts = [x, g.weight(filters, channels // group, *[kernel] * axes)] + ([g.weight(filters)] if bias else [])
    return g("Conv", *parts, kernel_shape=[kernel] * axes, strides=[stride] * axes, pads=[pad] * 2 * axes,
             dilations=[dilation] * axes, group=group)


def batch_norm(g, x, channels):
    return g("BatchNormalization", x, *[g.weight(channels) for _ in range(4)])


def conv_norm(g, x, channels, filters, kernel=3, act="Relu", **options):
    """Convolution, norm over the batch and an activation, of which `None` has none."""
    y = batch_norm(g, conv(g, x, channels, filters, kernel, bias=False, **options), filters)
    return y if act is None else swish(g, y) if act == "swish" else g(act, y)


def swish(g, x):
    return g("Mul", x, g("Sigmoid", x))


def max_pool(g, x, kernel, stride, pad=0, ceil=0, axes=2):
    return g("MaxPool", x, kernel_shape=[kernel] * axes, strides=[stride] * axes, pads=[pad] * 2 * axes,
             ceil_mode=ceil)


def linear(g, x, features, units):
    """Of rows."""
    return g("Gemm", x, g.weight(units, features), g.weight(units), transB=1)


def classify(g, x, channels, classes=1000):
    g.output(linear(g, g("Flatten", g("GlobalAveragePool", x)), channels, classes))


def project(g, x, features, units):
    """Of the last axis of a sequence."""
    return g("Add", g("MatMul", x, g.weight(features, units)), g.weight(units))


def norm(g, x, features, plain=False):
    """A norm of the last axis, as one operator or as the small ones that exporters before set 17 write."""
    if not plain:
        return g("LayerNormalization", x, g.weight(features), g.weight(features))
    centred = g("Sub", x, g("ReduceMean", x, axes=[-1]))
    variance = g("ReduceMean", g("Pow", centred, g.number(2)), axes=[-1])
    y = g("Div", centred, g("Sqrt", g("Add", variance, g.number(1e-5))))
    return g("Add", g("Mul", y, g.weight(features)), g.weight(features))


def gelu(g, x):
    """x / 2 * (1 + erf(x / sqrt 2))"""
    half = g("Add", g("Erf", g("Div", x, g.number(2**0.5))), g.number(1))
    return g("Mul", g("Mul", x, half), g.number(0.5))


def gelu_tanh(g, x):
    cube = g("Mul", g("Pow", x, g.number(3)), g.number(0.044715))
    inner = g("Tanh", g("Mul", g("Add", x, cube), g.number((2 / numpy.pi) ** 0.5)))
    return g("Mul", g("Mul", x, g.number(0.5)), g("Add", inner, g.number(1)))


def extent(g, x, axis):
    return g("Gather", g("Shape", x), g.whole(axis), axis=0)


def as_list(g, scalar):
    return g("Unsqueeze", scalar, g.wholes(0))


def heads_of(g, x, heads, size, turned=False):
    """B x T x heads * size as B x heads x T x size; turned: B x heads x size x T."""
    shape = g("Concat", as_list(g, extent(g, x, 0)), as_list(g, extent(g, x, 1)), g.wholes(heads), g.wholes(size),
              axis=0)
    return g("Transpose", g("Reshape", x, shape), perm=[0, 2, 3, 1] if turned else [0, 2, 1, 3])


def rows_of(g, x, features):
    """B x heads x T x size as B x T x features."""
    return g("Reshape", g("Transpose", x, perm=[0, 2, 1, 3]), g.wholes(0, -1, features))


def attend(g, q, k, v, size, mask=None):
    """@param k  turned"""
    scores = g("Div", g("MatMul", q, k), g.number(size**0.5))
    if mask is not None:
        scores = g("Add", scores, mask)
    return g("MatMul", g("Softmax", scores, axis=-1), v)


def attention(g, x, memory, features, heads, mask=None):
    size = features // heads
    q = heads_of(g, project(g, x, features, features), heads, size)
    k = heads_of(g, project(g, memory, features, features), heads, size, turned=True)
    v = heads_of(g, project(g, memory, features, features), heads, size)
    return project(g, rows_of(g, attend(g, q, k, v, size, mask), features), features, features)


def hide(g, mask):
    """B x T of 1 and 0 as B x 1 x 1 x T of 0 and -10000."""
    return g("Mul", g("Sub", g.number(1), g("Unsqueeze", mask, g.wholes(1, 2))), g.number(-10000))


def recurrent(g, op, x, features, units, directions=1, state=(), outputs=("Y",), **attributes):
    """LSTM or GRU over T x B x features. @param outputs  of Y, Y_h and Y_c those that are wanted"""
    gates = 4 if op == "LSTM" else 3
    weights = [g.weight(directions, gates * units, features), g.weight(directions, gates * units, units),
               g.weight(directions, 2 * gates * units)]
    made = g(op, x, *weights, *(("", *state) if state else ()), outputs=3 if op == "LSTM" else 2, hidden_size=units,
             direction="bidirectional" if directions == 2 else "forward", **attributes)
    for i, name in enumerate(("Y", "Y_h", "Y_c")[:len(made)]):
        if name not in outputs:
            g.nodes[-1].output[i] = ""
    return [name for name in g.nodes[-1].output if name]
