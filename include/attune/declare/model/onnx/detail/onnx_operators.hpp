// attune/declare/model/onnx/detail/onnx_operators.hpp - the function that reads each operator; operators that act element by element.
// SPDX-License-Identifier: MIT
// tested by declare/model/onnx/read_onnx.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/layers.hpp>
#include <attune/declare/model/onnx/detail/onnx_layer.hpp>
#include <attune/declare/model/onnx/detail/onnx_parts.hpp>
#include <attune/declare/model/onnx/detail/onnx_products.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Operations per element; nothing if the table does not list `op`.
inline std::optional<std::int64_t> operations_of(std::string_view op)
{
    static std::map<std::int64_t, std::set<std::string_view>> const table = {
        {0, {"Cast", "Trilu"}},
        {1, {"Abs",        "Add",   "And",         "Ceil",  "Cos",     "CumSum",
             "Div",        "Equal", "Exp",         "Floor", "Greater", "GreaterOrEqual",
             "IsNaN",      "Less",  "LessOrEqual", "Log",   "Max",     "Min",
             "Mod",        "Mul",   "Neg",         "Not",   "Or",      "Pow",
             "Reciprocal", "Relu",  "Round",       "Sign",  "Sin",     "Sqrt",
             "Sub",        "Sum",   "Where",       "Xor"}},
        {2, {"Clip", "LeakyRelu", "PRelu"}},
        {4,
         {"Elu", "Erf", "HardSigmoid", "LogSoftmax", "Selu", "Sigmoid", "Softmax", "Softplus",
          "Tanh"}},
        {5, {"HardSwish"}},
        {8, {"Gelu"}},
    };
    for (auto const& [each, names] : table)
        if (names.contains(op)) return each;
    return {};
}

/// Returns true if only input 0 gives the shape; the others are an axis or a number.
[[nodiscard]] inline bool has_one_array(std::string_view op)
{
    return op == "CumSum" || op == "Trilu" || op == "Clip";
}

[[nodiscard]] inline model::tensor elements_layer(onnx_layer& at)
{
    std::string const& op = at.node().op;
    std::int64_t const each = *operations_of(op);
    std::vector<model::tensor> const x = at.tensors();
    std::vector<quantities> shapes;
    std::vector<onnx_value> constants;
    for (std::size_t i = 0; i < at.input_count(); ++i) {
        if (i > 0 && !at.has(i)) continue;
        bool const gives_shape = i == 0 || !has_one_array(op);
        if (!at.flows(i))
            constants.push_back(gives_shape ? at.following(i, x.front().shape()) : at.input(i));
        if (gives_shape) shapes.push_back(at.flows(i) ? at.shape(i) : constants.back().shape);
    }
    if (shapes.size() == 1 && x.size() == 1)
        return at.finish(model::activation(x[0], at.kind(), each), constants);
    quantities const shape = model::broadcast_shape(x.front(), at.kind(), shapes);
    std::int64_t const joins = op == "Max" || op == "Min" || op == "Sum"
                                   ? static_cast<std::int64_t>(shapes.size()) - 1
                                   : 1; // with several inputs
    return at.finish(model::apply(at.kind(), x,
                                  {.shape = shape,
                                   .operations = each * joins * product_of(shape),
                                   .may_overwrite = true}),
                     constants);
}

/// Bytes of an element of the output, if the operator fixes its type.
[[nodiscard]] inline std::optional<std::int64_t> bytes_of_output(onnx_layer const& at)
{
    static std::set<std::string_view> const truths = {
        "And", "Equal", "Greater", "GreaterOrEqual", "IsNaN", "Less", "LessOrEqual",
        "Not", "Or",    "Xor"};
    std::string const& op = at.node().op;
    if (truths.contains(op)) return 1;
    if (op == "Cast") return onnx_parser::bytes_of(static_cast<std::int32_t>(at.integer("to", 1)));
    return {};
}

inline void read_elements(onnx_layer& at)
{
    model::tensor const y = elements_layer(at);
    if (auto const bytes = bytes_of_output(at)) hold_bytes(y, *bytes);
    at.set(0, y);
}

/// Passes its input through, as inference does: Identity, Dropout.
inline void read_same(onnx_layer& at)
{
    at.set(0, at.input(0));
    if (at.wants(1)) at.set(1, onnx_value{.shape = at.shape(0)}); // a mask of truths
}

using onnx_reading = void (*)(onnx_layer&);

/// The function that reads an operator; null if the table does not list the operator.
[[nodiscard]] inline onnx_reading reading_of(std::string_view op)
{
    static std::map<std::string_view, onnx_reading> const table = {
        {"ArgMax", read_reduction},
        {"ArgMin", read_reduction},
        {"AveragePool", read_pooling},
        {"BatchNormalization", read_batch_norm},
        {"Concat", read_concat},
        {"Conv", read_convolution},
        {"ConvTranspose", read_transposed_convolution},
        {"DepthToSpace", read_blocks},
        {"Dropout", read_same},
        {"Expand", read_expand},
        {"Flatten", read_flatten},
        {"GRU", read_recurrent},
        {"Gather", read_gather},
        {"Gemm", read_gemm},
        {"GlobalAveragePool", read_global_pooling},
        {"GlobalMaxPool", read_global_pooling},
        {"Identity", read_same},
        {"InstanceNormalization", read_instance_norm},
        {"LSTM", read_recurrent},
        {"LayerNormalization", read_layer_norm},
        {"MatMul", read_matmul},
        {"MaxPool", read_pooling},
        {"Pad", read_pad},
        {"ReduceL2", read_reduction},
        {"ReduceMax", read_reduction},
        {"ReduceMean", read_reduction},
        {"ReduceMin", read_reduction},
        {"ReduceProd", read_reduction},
        {"ReduceSum", read_reduction},
        {"Reshape", read_reshape},
        {"Resize", read_resize},
        {"Slice", read_slice},
        {"SpaceToDepth", read_blocks},
        {"Split", read_split},
        {"Squeeze", read_squeeze},
        {"Tile", read_tile},
        {"Transpose", read_transpose},
        {"Unsqueeze", read_unsqueeze},
        {"Upsample", read_resize},
    };
    if (operations_of(op)) return read_elements;
    auto const found = table.find(op);
    return found == table.end() ? nullptr : found->second;
}

/// Returns true if an operator only renames the elements of input 0, so known contents stay.
[[nodiscard]] inline bool keeps_contents(std::string_view op)
{
    return op == "Cast" || op == "Flatten" || op == "Identity" || op == "Reshape" ||
           op == "Squeeze" || op == "Unsqueeze";
}

} // namespace attune::inline ATTUNE_ABI::detail
