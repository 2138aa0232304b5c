// tests/declare/model/onnx/count.hpp - what a graph needs, counted on numbers that libonnx inferred.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <onnx/shape_inference/implementation.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph_writer.hpp"

namespace onnx_tests {

using numbers_by_name = std::map<std::string, std::int64_t>;

/// The graph with numbers in place of symbolic dimensions.
inline onnx::ModelProto with_numbers(onnx::ModelProto model, numbers_by_name const& sizes)
{
    for (auto& in : *model.mutable_graph()->mutable_input())
        for (auto& dim : *in.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
            if (dim.has_dim_param()) dim.set_dim_value(sizes.at(dim.dim_param()));
    return model;
}

/// The shapes that libonnx finds for all arrays, where it finds all extents.
inline std::map<std::string, extents> inferred_shapes(onnx::ModelProto model)
{
    onnx::ShapeInferenceOptions const options(true, 1, true);
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), options);
    std::map<std::string, extents> out;
    auto const add = [&](onnx::ValueInfoProto const& value) {
        if (!value.type().tensor_type().has_shape()) return;
        extents shape;
        for (auto const& dim : value.type().tensor_type().shape().dim()) {
            if (!dim.has_dim_value()) return;
            shape.push_back(dim.dim_value());
        }
        out[value.name()] = shape;
    };
    for (auto const& value : model.graph().value_info())
        add(value);
    for (auto const& value : model.graph().input())
        add(value);
    for (auto const& value : model.graph().output())
        add(value);
    for (auto const& t : model.graph().initializer())
        out[t.name()] = {t.dims().begin(), t.dims().end()};
    return out;
}

inline std::int64_t product(extents const& shape)
{
    std::int64_t out = 1;
    for (std::int64_t const extent : shape)
        out *= extent;
    return out;
}

/// The graph with the results of nodes that compute shapes as stored numbers: libonnx 1.12 takes
/// the ends of Slice and Range from those alone.
inline onnx::ModelProto with_stored_shapes(onnx::ModelProto model)
{
    std::map<std::string, extents> known;
    std::set<std::string> scalars;
    for (auto const& t : model.graph().initializer()) {
        if (t.int64_data_size() == 0) continue;
        known[t.name()] = {t.int64_data().begin(), t.int64_data().end()};
        if (t.dims_size() == 0) scalars.insert(t.name());
    }
    for (bool is_changed = true; std::exchange(is_changed, false);) {
        auto const shapes = inferred_shapes(model);
        std::vector<onnx::NodeProto> others;
        for (auto const& node : model.graph().node()) {
            std::string const& op = node.op_type();
            std::vector<extents> in;
            for (auto const& name : node.input())
                if (known.contains(name)) in.push_back(known[name]);
            bool const are_known = static_cast<int>(in.size()) == node.input_size();
            extents out;
            bool is_scalar = false;
            if (op == "Shape" && shapes.contains(node.input(0))) {
                out = shapes.at(node.input(0));
            } else if (are_known && op == "Gather") {
                out = {in[0].at(static_cast<std::size_t>(in[1].at(0)))};
                is_scalar = scalars.contains(node.input(1));
            } else if (are_known && op == "Unsqueeze" && scalars.contains(node.input(0))) {
                out = in[0];
            } else if (are_known && op == "Concat") {
                for (extents const& part : in)
                    out.insert(out.end(), part.begin(), part.end());
            } else if (are_known && op == "Sub") {
                out = {in[0].at(0) - in[1].at(0)};
                is_scalar = scalars.contains(node.input(0));
            } else if (are_known && op == "Range") {
                for (std::int64_t i = in[0].at(0); i < in[1].at(0); i += in[2].at(0))
                    out.push_back(i);
            } else {
                others.push_back(node);
                continue;
            }
            is_changed = true;
            known[node.output(0)] = out;
            if (is_scalar) scalars.insert(node.output(0));
            onnx::TensorProto& t = *model.mutable_graph()->add_initializer();
            t.set_name(node.output(0));
            t.set_data_type(onnx::TensorProto::INT64);
            if (!is_scalar) t.add_dims(static_cast<std::int64_t>(out.size()));
            for (std::int64_t const i : out)
                t.add_int64_data(i);
        }
        model.mutable_graph()->clear_node();
        for (auto const& node : others)
            *model.mutable_graph()->add_node() = node;
    }
    return model;
}

struct graph_count {
    std::int64_t weights = 0;
    std::int64_t multiply_adds = 0;
    std::int64_t operations = 0;
};

/// What depends on no input of the graph costs nothing.
inline std::set<std::string> flowing_names(onnx::GraphProto const& graph)
{
    std::set<std::string> out;
    for (auto const& in : graph.input())
        out.insert(in.name());
    for (auto const& node : graph.node()) {
        if (node.op_type() == "Shape") continue;
        for (auto const& in : node.input())
            if (out.contains(in)) {
                out.insert(node.output().begin(), node.output().end());
                break;
            }
    }
    return out;
}

inline graph_count counted(onnx::ModelProto const& model)
{
    graph_count out;
    onnx::GraphProto const& graph = model.graph();
    auto const shapes = inferred_shapes(model);
    auto const flows = flowing_names(graph);
    std::set<std::string> statistics;
    for (auto const& node : graph.node())
        if (node.op_type() == "BatchNormalization")
            statistics.insert({node.input(3), node.input(4)});
    for (auto const& t : graph.initializer())
        if (t.data_type() == onnx::TensorProto::FLOAT && t.dims_size() > 0 &&
            t.float_data_size() == 0 && !statistics.contains(t.name()))
            out.weights += product(shapes.at(t.name()));

    std::map<std::string, std::int64_t> const each = {{"Add", 1},
                                                      {"Clip", 2},
                                                      {"Div", 1},
                                                      {"Erf", 4},
                                                      {"Mul", 1},
                                                      {"Pow", 1},
                                                      {"Relu", 1},
                                                      {"Sqrt", 1},
                                                      {"Sub", 1},
                                                      {"Sigmoid", 4},
                                                      {"Softmax", 4},
                                                      {"Tanh", 4},
                                                      {"Where", 1},
                                                      {"BatchNormalization", 2},
                                                      {"LayerNormalization", 8}};
    for (auto const& node : graph.node()) {
        std::string const& op = node.op_type();
        bool does_flow = false;
        for (auto const& in : node.input())
            does_flow = does_flow || flows.contains(in);
        if (op == "Shape" || !does_flow) continue;
        auto const shape = [&](int i) { return shapes.at(node.input(i)); };
        auto const made = [&] { return product(shapes.at(node.output(0))); };
        if (auto const found = each.find(op); found != each.end()) {
            out.operations += found->second * made();
        } else if (op == "Conv") {
            extents const w = shape(1); // filters x channels of a group x kernel
            out.multiply_adds += made() * product(w) / w[0];
        } else if (op == "ConvTranspose") {
            extents const w = shape(1); // channels x filters of a group x kernel
            out.multiply_adds += product(shape(0)) * product(w) / w[0];
        } else if (op == "MatMul") {
            out.multiply_adds += made() * shape(0).back();
        } else if (op == "Gemm") {
            out.multiply_adds += made() * shape(0)[1]; // none is transposed on the left
        } else if (op == "MaxPool" || op == "AveragePool") {
            std::int64_t window = 1;
            for (auto const& a : node.attribute())
                if (a.name() == "kernel_shape")
                    for (std::int64_t const extent : a.ints())
                        window *= extent;
            out.operations += made() * window;
        } else if (op == "GlobalAveragePool" || op == "ReduceMean") {
            out.operations += product(shape(0));
        } else if (op == "LSTM" || op == "GRU") {
            std::int64_t const gates = op == "LSTM" ? 4 : 3;
            extents const x = shape(0); // steps x samples x features
            extents const r = shape(2); // directions x gates * units x units
            std::int64_t const rows = x[0] * x[1] * r[0];
            out.multiply_adds += rows * gates * r[2] * (x[2] + r[2]);
            out.operations += rows * r[2] * (gates + 5);
        }
    }
    return out;
}

} // namespace onnx_tests
