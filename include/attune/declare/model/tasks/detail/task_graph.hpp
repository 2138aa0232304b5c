// attune/declare/model/tasks/detail/task_graph.hpp - a graph with shapes, constants and views; nodes that one task computes.
// SPDX-License-Identifier: MIT
// tested by declare/model/tasks/tasks_of.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/onnx/detail/onnx_file.hpp>
#include <attune/declare/model/tasks/detail/task_tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A node with the shapes of its arrays.
class task_node {
public:
    task_node(onnx_node const& node, std::map<std::string, task_tensor>& tensors,
              std::int64_t opset)
        : node_(&node)
        , tensors_(&tensors)
        , opset_(opset)
    {
    }

    [[nodiscard]] std::string const& name() const { return node_->name; }
    [[nodiscard]] std::string const& op() const { return node_->op; }
    [[nodiscard]] std::int64_t opset() const { return opset_; }
    [[nodiscard]] std::size_t input_count() const { return node_->inputs.size(); }
    [[nodiscard]] std::string const& input_name(std::size_t i) const { return node_->inputs[i]; }
    [[nodiscard]] std::string const& output_name() const { return node_->outputs.front(); }
    [[nodiscard]] bool has(std::size_t i) const
    {
        return i < node_->inputs.size() && !node_->inputs[i].empty();
    }
    [[nodiscard]] task_tensor const& input(std::size_t i) const
    {
        if (!has(i)) throw no_formula{"its input " + std::to_string(i) + " is missing"};
        return tensors_->at(node_->inputs[i]);
    }
    [[nodiscard]] task_tensor& output() const { return tensors_->at(node_->outputs.front()); }
    /// Returns true if more than one output of the node has readers.
    [[nodiscard]] bool has_more_outputs() const
    {
        return std::count_if(node_->outputs.begin(), node_->outputs.end(),
                             [](std::string const& name) { return !name.empty(); }) != 1;
    }
    [[nodiscard]] std::vector<std::string> const& outputs() const { return node_->outputs; }
    [[nodiscard]] bool flows() const
    {
        for (std::size_t i = 0; i < input_count(); ++i)
            if (has(i) && input(i).flows) return true;
        return false;
    }
    /// Returns true if all arrays that the graph computes are of float.
    [[nodiscard]] bool is_float() const
    {
        bool out = output().is_float;
        for (std::size_t i = 0; i < input_count(); ++i)
            out = out && (!has(i) || !input(i).flows || input(i).is_float);
        return out;
    }

    [[nodiscard]] onnx_attribute const* find(std::string const& attribute) const
    {
        auto const found = node_->attributes.find(attribute);
        return found == node_->attributes.end() ? nullptr : &found->second;
    }
    [[nodiscard]] std::int64_t integer(std::string const& attribute, std::int64_t otherwise) const
    {
        onnx_attribute const* const a = find(attribute);
        return a != nullptr && a->integer ? *a->integer : otherwise;
    }
    [[nodiscard]] float real(std::string const& attribute, float otherwise) const
    {
        onnx_attribute const* const a = find(attribute);
        return a != nullptr && a->real ? static_cast<float>(*a->real) : otherwise;
    }
    [[nodiscard]] std::string text(std::string const& attribute, std::string const& otherwise) const
    {
        onnx_attribute const* const a = find(attribute);
        return a != nullptr && !a->text.empty() ? a->text : otherwise;
    }
    [[nodiscard]] task_extents list(std::string const& attribute, task_extents otherwise) const
    {
        onnx_attribute const* const a = find(attribute);
        return a != nullptr && !a->integers.empty() ? a->integers : otherwise;
    }
    /// A list of whole numbers: an input in new operator sets, an attribute in old ones.
    [[nodiscard]] std::optional<task_extents> list(std::string const& attribute,
                                                   std::size_t i) const
    {
        if (has(i)) return input(i).whole;
        onnx_attribute const* const a = find(attribute);
        if (a == nullptr) return {};
        return a->integers;
    }
    [[nodiscard]] static std::size_t axis_of(std::int64_t axis, std::size_t rank)
    {
        return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
    }
    /// The numbers of a stored input.
    [[nodiscard]] std::vector<float> const& numbers(std::size_t i) const
    {
        if (input(i).flows || input(i).numbers == nullptr)
            throw no_formula{"its input " + std::to_string(i) +
                             " is not stored as numbers of float"};
        return *input(i).numbers;
    }
    [[nodiscard]] bool is_stored(std::size_t i) const { return has(i) && !input(i).flows; }

private:
    onnx_node const* node_;
    std::map<std::string, task_tensor>* tensors_;
    std::int64_t opset_;
};

/// Operators that are another index into the same memory, or a copy.
[[nodiscard]] inline bool is_memory_view(std::string_view op)
{
    static std::set<std::string_view> const all = {"Reshape",  "Flatten", "Squeeze",   "Unsqueeze",
                                                   "Identity", "Dropout", "Transpose", "Slice",
                                                   "Expand",   "Split"};
    return all.contains(op);
}

/// Operators that compute each element of the result from the elements at its place.
[[nodiscard]] inline bool is_elementwise(std::string_view op)
{
    static std::set<std::string_view> const all = {
        "Add",  "Sub",  "Mul",     "Div",         "Max",  "Min",       "Pow",
        "Relu", "Clip", "Sigmoid", "HardSigmoid", "Tanh", "HardSwish", "LeakyRelu",
        "Exp",  "Log",  "Sqrt",    "Abs",         "Neg",  "Erf",       "Reciprocal",
        "Elu",  "Sum",  "Mean",    "PRelu",       "Cast", "Softplus",  "BatchNormalization"};
    return all.contains(op);
}

/// Nodes that one task computes: a root, and operators element by element behind it.
struct task_group {
    std::vector<std::size_t> nodes; ///< in the order of the file; the root first
};

/// Joins nodes to groups. Each node is in one group at most. Only the last node of a group has
/// readers outside of the group.
class task_fusion {
public:
    /// @param is_root  by node: it may begin a group  @param outputs  arrays that the graph returns
    task_fusion(std::vector<task_node> const& nodes, std::vector<bool> is_root,
                std::set<std::string> outputs)
        : nodes_(nodes)
        , is_root_(std::move(is_root))
        , outputs_(std::move(outputs))
        , is_taken_(nodes.size(), false)
    {
        for (std::size_t n = 0; n < nodes.size(); ++n)
            for (std::size_t i = 0; i < nodes[n].input_count(); ++i)
                if (nodes[n].has(i)) readers_[nodes[n].input_name(i)].insert(n);
    }

    /// Groups in the order in which they can run: that of their last nodes.
    [[nodiscard]] std::vector<task_group> groups()
    {
        std::vector<task_group> out;
        for (std::size_t n = 0; n < nodes_.size(); ++n) {
            if (!is_root_[n] || is_taken_[n]) continue;
            task_group group{{n}};
            is_taken_[n] = true;
            for (std::size_t last = n;;) {
                std::vector<std::size_t> const more = behind(last);
                if (more.empty()) break;
                for (std::size_t const m : more)
                    is_taken_[m] = true;
                group.nodes.insert(group.nodes.end(), more.begin(), more.end());
                last = more.back();
            }
            out.push_back(std::move(group));
        }
        std::sort(out.begin(), out.end(), [](task_group const& a, task_group const& b) {
            return a.nodes.back() < b.nodes.back();
        });
        return out;
    }
    [[nodiscard]] std::set<std::size_t> const& readers(std::string const& name)
    {
        return readers_[name];
    }

private:
    /// The next operators that read the result of a node, directly or through each other, and have
    /// one result together; empty if there are none.
    [[nodiscard]] std::vector<std::size_t> behind(std::size_t node)
    {
        constexpr std::size_t most = 24;
        std::string const& result = nodes_[node].output_name();
        task_extents const& shape = nodes_[node].output().shape;
        std::vector<std::size_t> out;
        std::set<std::string> own{result};
        for (std::size_t n = node + 1; n < nodes_.size() && out.size() < most; ++n) {
            bool reads = false;
            for (std::size_t i = 0; i < nodes_[n].input_count(); ++i)
                reads = reads || own.contains(nodes_[n].input_name(i));
            if (!reads) continue;
            if (is_taken_[n] || !is_root_[n] || !is_elementwise(nodes_[n].op()) ||
                nodes_[n].output().shape != shape)
                return {};
            out.push_back(n);
            bool is_closed = true;
            for (std::string const& name : own) {
                is_closed = is_closed && !outputs_.contains(name);
                for (std::size_t const reader : readers_[name])
                    is_closed = is_closed && std::find(out.begin(), out.end(), reader) != out.end();
            }
            if (is_closed) return out;
            own.insert(nodes_[n].output_name());
        }
        return {};
    }

    std::vector<task_node> const& nodes_;
    std::vector<bool> is_root_;
    std::set<std::string> outputs_;
    std::vector<bool> is_taken_;
    std::map<std::string, std::set<std::size_t>> readers_;
};

} // namespace attune::inline ATTUNE_ABI::detail
