// attune/declare/model/onnx/detail/onnx_operators.hpp - which function reads which operator.
// SPDX-License-Identifier: MIT
// tested by declare/model/onnx/read_onnx.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/onnx/detail/onnx_elements.hpp>
#include <attune/declare/model/onnx/detail/onnx_layer.hpp>
#include <attune/declare/model/onnx/detail/onnx_parts.hpp>
#include <attune/declare/model/onnx/detail/onnx_products.hpp>
#include <attune/declare/model/onnx/detail/onnx_shapes.hpp>
#include <attune/declare/model/onnx/detail/onnx_windows.hpp>

#include <map>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

using onnx_reading = void (*)(onnx_layer&);

/// Null for an operator that is not known.
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

/// Whether an operator only names the elements of input 0 in another way, so that known ones stay.
[[nodiscard]] inline bool keeps_contents(std::string_view op)
{
    return op == "Cast" || op == "Flatten" || op == "Identity" || op == "Reshape" ||
           op == "Squeeze" || op == "Unsqueeze";
}

} // namespace attune::inline ATTUNE_ABI::detail
