// tests/declare/model/onnx/graph_writer.hpp - writes ONNX graphs in memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <onnx/onnx_pb.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace onnx_tests {

using extents = std::vector<std::int64_t>;
/// A number, or the name of a symbolic dimension.
using dimension = std::variant<std::int64_t, std::string>;

inline dimension operator""_d(unsigned long long n) { return static_cast<std::int64_t>(n); }
inline dimension operator""_d(char const* name, std::size_t n) { return std::string(name, n); }

struct attribute {
    std::string name;
    std::variant<std::int64_t, extents, std::string, float> value;
};

/// Nodes and arrays get names of their own: "conv_3", "weight_7".
class graph_writer {
public:
    explicit graph_writer(std::string const& name, std::int64_t opset = 13)
    {
        model_.set_ir_version(7);
        model_.add_opset_import()->set_version(opset);
        model_.mutable_graph()->set_name(name);
    }

    std::string input(std::string const& name, std::vector<dimension> const& shape,
                      onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT)
    {
        onnx::ValueInfoProto* const in = model_.mutable_graph()->add_input();
        in->set_name(name);
        onnx::TypeProto_Tensor* const of = in->mutable_type()->mutable_tensor_type();
        of->set_elem_type(type);
        of->mutable_shape();
        for (dimension const& d : shape)
            if (auto const* const number = std::get_if<std::int64_t>(&d))
                of->mutable_shape()->add_dim()->set_dim_value(*number);
            else
                of->mutable_shape()->add_dim()->set_dim_param(std::get<std::string>(d));
        return name;
    }
    /// A stored array without its numbers, which no shape depends on.
    std::string weight(extents const& shape,
                       onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT)
    {
        onnx::TensorProto* const t = model_.mutable_graph()->add_initializer();
        t->set_name("weight_" + std::to_string(count_++));
        t->set_data_type(type);
        for (std::int64_t const extent : shape)
            t->add_dims(extent);
        return t->name();
    }
    std::string integers(extents const& list)
    {
        onnx::TensorProto* const t = model_.mutable_graph()->add_initializer();
        t->set_name("list_" + std::to_string(count_++));
        t->set_data_type(onnx::TensorProto::INT64);
        t->add_dims(static_cast<std::int64_t>(list.size()));
        for (std::int64_t const i : list)
            t->add_int64_data(i);
        return t->name();
    }
    /// Of no axis.
    std::string integer(std::int64_t value)
    {
        std::string const name = integers({value});
        auto& all = *model_.mutable_graph()->mutable_initializer();
        all.Mutable(all.size() - 1)->clear_dims();
        return name;
    }
    std::string scalar(float value, extents const& shape = {})
    {
        std::string const name = weight(shape);
        auto& all = *model_.mutable_graph()->mutable_initializer();
        all.Mutable(all.size() - 1)->add_float_data(value);
        return name;
    }

    /// Floating-point numbers of one axis.
    std::string scales(std::vector<float> const& list)
    {
        return numbers({static_cast<std::int64_t>(list.size())}, list);
    }
    std::string numbers(extents const& shape, std::vector<float> const& list)
    {
        std::string const name = weight(shape);
        auto& all = *model_.mutable_graph()->mutable_initializer();
        for (float const value : list)
            all.Mutable(all.size() - 1)->add_float_data(value);
        return name;
    }

    onnx::NodeProto& node(std::string const& op, std::vector<std::string> const& inputs,
                          std::vector<std::string> const& outputs,
                          std::vector<attribute> const& attributes = {})
    {
        onnx::NodeProto& n = *model_.mutable_graph()->add_node();
        n.set_op_type(op);
        n.set_name(op + '_' + std::to_string(count_++));
        for (std::string const& i : inputs)
            n.add_input(i);
        for (std::string const& o : outputs)
            n.add_output(o);
        for (attribute const& a : attributes) {
            onnx::AttributeProto& made = *n.add_attribute();
            made.set_name(a.name);
            if (auto const* const i = std::get_if<std::int64_t>(&a.value)) {
                made.set_type(onnx::AttributeProto::INT);
                made.set_i(*i);
            } else if (auto const* const list = std::get_if<extents>(&a.value)) {
                made.set_type(onnx::AttributeProto::INTS);
                for (std::int64_t const each : *list)
                    made.add_ints(each);
            } else if (auto const* const real = std::get_if<float>(&a.value)) {
                made.set_type(onnx::AttributeProto::FLOAT);
                made.set_f(*real);
            } else {
                made.set_type(onnx::AttributeProto::STRING);
                made.set_s(std::get<std::string>(a.value));
            }
        }
        return n;
    }
    /// A node with one output.
    std::string add(std::string const& op, std::vector<std::string> const& inputs,
                    std::vector<attribute> const& attributes = {})
    {
        std::string const out = op + "_out_" + std::to_string(count_++);
        node(op, inputs, {out}, attributes);
        return out;
    }
    void output(std::string const& name, bool is_integer = false)
    {
        onnx::ValueInfoProto* const out = model_.mutable_graph()->add_output();
        out->set_name(name);
        out->mutable_type()->mutable_tensor_type()->set_elem_type(
            is_integer ? onnx::TensorProto::INT64 : onnx::TensorProto::FLOAT);
    }

    [[nodiscard]] onnx::ModelProto& model() { return model_; }
    [[nodiscard]] onnx::ModelProto const& model() const { return model_; }
    [[nodiscard]] std::string bytes() const { return model_.SerializeAsString(); }

private:
    onnx::ModelProto model_;
    int count_ = 0;
};

} // namespace onnx_tests
