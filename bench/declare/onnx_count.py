"""bench/declare/onnx_count.py - weights and operations of an ONNX graph, from the shapes that onnx infers.
SPDX-License-Identifier: MIT

Written from the definitions of ONNX's operators alone, with the prices that read_onnx.hpp documents: a multiply-add
is 2 operations; per element of the output 1 of +, comparison, root and the like, 2 of Clip and norms over the batch,
4 of Sigmoid, Tanh, Erf and Softmax, 8 of norms; a window of a pool its elements, a reduction those of its input; of a
recurrent layer (gates + 5) per unit and step. Copies cost nothing, nor does what depends on no input.
"""
from math import prod

from onnx import TensorProto, shape_inference

EACH = {"Add": 1, "Clip": 2, "Div": 1, "Equal": 1, "Erf": 4, "LogSoftmax": 4, "Mul": 1, "Pow": 1, "Relu": 1,
        "Sigmoid": 4, "Softmax": 4, "Sqrt": 1, "Sub": 1, "Tanh": 4, "BatchNormalization": 2, "LayerNormalization": 8}
COPIES = {"Cast", "Concat", "Dropout", "Expand", "Flatten", "Gather", "Pad", "Reshape", "Slice", "Split", "Squeeze",
          "Transpose", "Unsqueeze"}


def inferred_shapes(writer):
    """Of all arrays, by name.

    @raise ValueError  an array whose shape onnx does not find
    """
    graph = shape_inference.infer_shapes(writer.model(False), check_type=True, strict_mode=True, data_prop=True).graph
    shapes = {name: shape for name, (_, shape, _) in writer.stored.items()}
    for value in (*graph.input, *graph.value_info, *graph.output):
        dims = value.type.tensor_type.shape.dim
        if value.type.tensor_type.HasField("shape") and all(d.HasField("dim_value") for d in dims):
            shapes[value.name] = tuple(d.dim_value for d in dims)
    for node in graph.node:
        for name in node.output:
            if name and name not in shapes:
                raise ValueError(f"{writer.name}: onnx infers no shape of {name}, made by {node.name}")
    return shapes


def operations(node, shape):
    """@param shape  gives the shape of an array by its name"""
    op = node.op_type
    given, made = shape(node.input[0]), prod(shape(next(name for name in node.output if name)))
    attributes = {a.name: a for a in node.attribute}
    if op in COPIES:
        return 0
    if op in EACH:
        return EACH[op] * made
    if op == "Conv":  # weights: filters x channels of a group x kernel
        return 2 * made * prod(shape(node.input[1])[1:])
    if op == "ConvTranspose":  # weights: channels x filters of a group x kernel
        return 2 * prod(given) * prod(shape(node.input[1])[1:])
    if op == "MatMul":
        return 2 * made * given[-1]
    if op == "Gemm":  # none is transposed on the left here
        return 2 * made * given[1]
    if op in ("MaxPool", "AveragePool"):
        return made * prod(attributes["kernel_shape"].ints)
    if op in ("GlobalAveragePool", "ReduceMean", "ReduceSum"):
        return prod(given)
    if op in ("LSTM", "GRU"):
        gates = 4 if op == "LSTM" else 3
        steps, samples, features = given
        directions, _, units = shape(node.input[2])
        each = 2 * gates * units * (features + units) + units * (gates + 5)
        return steps * samples * directions * each
    raise ValueError(f"{node.name}: there is no count of {op}")


def count(writer):
    """@return  weights, operations"""
    shapes = inferred_shapes(writer)
    statistics = {name for node in writer.nodes if node.op_type == "BatchNormalization" for name in node.input[3:5]}
    weights = sum(prod(shape) for name, (kind, shape, _) in writer.stored.items()
                  if kind == TensorProto.FLOAT and shape and name not in statistics)
    flowing, total = {value.name for value in writer.inputs}, 0
    for node in writer.nodes:
        if node.op_type != "Shape" and flowing.intersection(node.input):
            flowing.update(name for name in node.output if name)
            total += operations(node, shapes.__getitem__)
    return weights, total
