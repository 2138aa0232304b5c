// attune/declare/model/tasks/tasks_of.hpp - the tasks of an ONNX graph: fused operators as formulas, with counts.
// SPDX-License-Identifier: MIT
//
// The target attune::tasks, where libonnx is. Nothing else includes this header; it includes
// nothing of ONNX.
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Numbers of a constant array, which several calls may share.
using model_numbers = std::shared_ptr<std::vector<float> const>;

/// One place in a graph where a task runs.
struct task_call {
    std::vector<std::string> nodes; ///< ONNX nodes that the call computes, in the order of the file
    std::vector<std::string> inputs; ///< arrays that the graph computes, in the order of the nest
    std::vector<model_numbers> constants; ///< constant arrays, in the order of the nest
    std::string output;                   ///< the array that the call writes
    std::size_t place = 0;                ///< calls in the order of places compute the graph
};

/// A program that a graph runs once or several times, with other arrays.
struct model_task {
    std::string name;      ///< a C++ identifier: "conv_80x80x48_over_3x3"
    std::string operators; ///< operators of ONNX that it computes: "Conv Add Clip Mul Div"
    /// Arrays are those of `inputs`, then constants, then the result, then temporaries. The nest
    /// has no axes of extent 1. Axes that are neighbours in all arrays are one axis.
    nest_description nest;
    std::size_t input_count = 0;    ///< of the nest's arrays, the first
    std::size_t constant_count = 0; ///< the arrays behind them
    std::vector<task_call> calls;
    double operations = 0; ///< of one call; a multiply-add counts as two
};

/// An operator that is no task.
struct outside_operator {
    std::string op;
    std::vector<std::string> nodes;
    double operations = 0; ///< of all nodes; a multiply-add counts as two
    std::string reason;    ///< "the operator LSTM has no formula here"
};

/// An array of a graph as calls hold it in memory.
struct model_array {
    std::string name;                  ///< in the file
    std::string array;                 ///< name among task_call::inputs and outputs
    std::vector<std::int64_t> extents; ///< in the file; the memory has this order
};

struct model_tasks {
    std::string name;              ///< of the graph
    std::vector<model_task> tasks; ///< those with the most operations first
    std::vector<outside_operator> outside;
    std::vector<model_array> inputs;
    std::vector<model_array> outputs;

    /// Operations of all calls, and of the operators outside.
    [[nodiscard]] double operations() const;
    /// Part of the operations that are tasks, from 0 to 1.
    [[nodiscard]] double covered() const;
};

struct tasks_options {
    /// Extents of inputs, by name: {{"x", {1, 3, 48, 320}}}. An input whose extents are numbers in
    /// the file needs none.
    std::map<std::string, std::vector<std::int64_t>> shapes = {};
};

/// Finds the distinct tasks of an ONNX graph, fused as an inference engine fuses them.
///
/// A product, convolution, pooling, reduction, norm or softmax takes the operators behind it that
/// work element by element: bias, activation, residual sum. Factors and terms of constants that
/// follow a product or convolution, and its BatchNormalization, become part of the stored weights.
/// Operators that work element by element alone, and that follow each other, are one task.
/// Reshape, Transpose, Slice and similar operators are other indices into the same memory; a task
/// copies where no index can. Nodes that depend on no input, or on shapes alone, are no task.
///
/// Arrays that convolutions and poolings write have the channels last in memory. Inputs and outputs
/// of the graph have the order of the file. Weights are in the order that the nest reads: R x S x
/// C x F. Numbers that differ between calls of one task are constant arrays of one element; others
/// are literals.
///
/// All numbers are float. Nodes with other numbers, and operators without a formula, are outside.
///
/// @param bytes   content of the file
/// @param source  name of the file, for errors
/// Errors   attune::error: errors of read_onnx(); an input has no shape, or options name another one
[[nodiscard]] model_tasks tasks_of_bytes(std::string_view bytes, tasks_options const& options = {},
                                         std::string const& source = "");

/// Reads the file at `path`, as tasks_of_bytes(). Does not open separate files of weights.
/// Example  for (attune::model_task const& t : attune::tasks_of("model.onnx").tasks)
///              std::printf("%zu x %s\n", t.calls.size(), t.name.c_str());
/// Errors   attune::error: the file cannot be read or has 2 GiB or more; those of tasks_of_bytes()
[[nodiscard]] model_tasks tasks_of(std::string const& path, tasks_options const& options = {});

} // namespace attune::inline ATTUNE_ABI

#if defined(ATTUNE_HEADER_ONLY) && __has_include(<onnx/onnx_pb.h>)
#include <attune/declare/model/tasks/tasks_of.ipp>
#endif
