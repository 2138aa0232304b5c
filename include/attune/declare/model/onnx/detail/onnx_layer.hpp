// attune/declare/model/onnx/detail/onnx_layer.hpp - one node of a graph while its layers are made.
// SPDX-License-Identifier: MIT
// tested by declare/model/onnx/read_onnx.cpp
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/model/layers.hpp>
#include <attune/declare/model/network.hpp>
#include <attune/declare/model/onnx/detail/onnx_file.hpp>
#include <attune/declare/model/onnx/read_onnx.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

using quantities = std::vector<model::quantity>;

/// An array of the graph.
struct onnx_value {
    std::optional<model::tensor> flows = {}; ///< set if the array depends on the network's inputs
    quantities shape = {};
    std::optional<quantities> contents = {}; ///< whole numbers of a short array that does not flow
    std::vector<std::uint32_t> stored = {};  ///< indices of the stored arrays in it
    bool is_floating = false;
    bool is_remade = false; ///< its shape is that of its layer, not that in the file
};

/// A stored array. The first layer that reads it counts it.
struct onnx_stored {
    model::quantity elements = 0;
    bool is_weight = true; ///< else a statistic
    bool is_counted = false;
};

/// State that the nodes of one graph share.
struct onnx_state {
    onnx_options const& options;
    std::int64_t opset = 1;
    std::vector<onnx_stored> stored = {};
    std::set<std::string> used = {}; ///< names of options.attributes that a node used
};

/// `list`, with the whole numbers as quantities.
[[nodiscard]] inline quantities quantities_of(std::vector<std::int64_t> const& list)
{
    return {list.begin(), list.end()};
}

/// Sets the memory of a tensor whose elements have fewer bytes than the numbers of its network,
/// rounded down.
inline void hold_bytes(model::tensor const& x, std::int64_t each)
{
    model::quantity const& all = x.graph().element_bytes;
    if (all.constant() && *all.constant() <= each) return;
    model::quantity const bytes = each * x.elements();
    x.graph().tensors[x.number()].held = exact_quotient(bytes, all).value_or(bytes / all);
}

/// The inputs, attributes and outputs of a node, and what its stored inputs cost.
class onnx_layer {
public:
    /// @param inputs    null where the node leaves one out
    /// @param is_shape  no input depends on the network's inputs, so `net` is a temporary network
    ///                  that only gives a shape
    onnx_layer(onnx_node const& node, std::vector<onnx_value const*> inputs, model::network& net,
               onnx_state& state, bool is_shape)
        : node_(node)
        , inputs_(std::move(inputs))
        , net_(net)
        , state_(state)
        , is_shape_(is_shape)
        , outputs_(node.outputs.size())
    {
    }

    [[nodiscard]] onnx_node const& node() const noexcept { return node_; }
    [[nodiscard]] onnx_state const& state() const noexcept { return state_; }
    /// The operator as a kind of layer: "conv".
    [[nodiscard]] std::string kind() const { return in_small_letters(node_.op); }
    [[noreturn]] void refuse(std::string const& what,
                             std::string const& next = "export the model again") const
    {
        throw error(what, "", next);
    }

    [[nodiscard]] std::size_t input_count() const noexcept { return inputs_.size(); }
    [[nodiscard]] bool has(std::size_t i) const noexcept
    {
        return i < inputs_.size() && inputs_[i] != nullptr;
    }
    [[nodiscard]] onnx_value const& input(std::size_t i) const
    {
        if (!has(i)) refuse("its input " + std::to_string(i) + " is missing");
        return *inputs_[i];
    }
    [[nodiscard]] quantities const& shape(std::size_t i) const { return input(i).shape; }
    [[nodiscard]] std::size_t rank(std::size_t i) const { return shape(i).size(); }
    [[nodiscard]] bool flows(std::size_t i) const
    {
        return has(i) && (is_shape_ || inputs_[i]->flows.has_value());
    }
    [[nodiscard]] model::tensor tensor(std::size_t i) const
    {
        onnx_value const& value = input(i);
        if (value.flows) return *value.flows;
        if (!is_shape_)
            refuse("its input " + std::to_string(i) + " depends on no input of the network",
                   "read it by an operator of your own: onnx_options::operators");
        return net_.input(value.shape);
    }
    /// The inputs that flow, in order.
    [[nodiscard]] std::vector<model::tensor> tensors() const
    {
        std::vector<model::tensor> out;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            if (flows(i)) out.push_back(tensor(i));
        if (out.empty()) refuse("it has no inputs");
        return out;
    }
    /// The elements of an input that holds a shape, an axis or a size.
    [[nodiscard]] quantities const& contents(std::size_t i) const
    {
        onnx_value const& value = input(i);
        if (!value.contents)
            refuse("its input " + std::to_string(i) + " is known when it runs, not before",
                   "export the model with this shape as a constant, or read it by an operator of "
                   "your own: onnx_options::operators");
        return *value.contents;
    }
    /// The elements of such an input as numbers.
    [[nodiscard]] std::vector<std::int64_t> numbers(std::size_t i) const
    {
        std::vector<std::int64_t> out;
        for (model::quantity const& q : contents(i)) {
            if (!q.constant())
                refuse("its input " + std::to_string(i) + " has the element " + q.name() +
                           ", which parameters decide",
                       "give the sizes in it as numbers: onnx_options::sizes");
            out.push_back(*q.constant());
        }
        return out;
    }

    /// The entry of options.attributes for an attribute of this node.
    [[nodiscard]] std::optional<model::quantity> replaced(std::string const& attribute) const
    {
        auto const found = state_.options.attributes.find(node_.name + '.' + attribute);
        if (found == state_.options.attributes.end()) return {};
        state_.used.insert(found->first);
        return found->second;
    }
    [[nodiscard]] onnx_attribute const* find(std::string const& attribute) const
    {
        auto const found = node_.attributes.find(attribute);
        return found == node_.attributes.end() ? nullptr : &found->second;
    }
    [[nodiscard]] std::int64_t integer(std::string const& attribute, std::int64_t otherwise) const
    {
        onnx_attribute const* const a = find(attribute);
        return a != nullptr && a->integer ? *a->integer : otherwise;
    }
    [[nodiscard]] model::quantity size(std::string const& attribute, std::int64_t otherwise) const
    {
        auto const other = replaced(attribute);
        return other ? *other : model::quantity(integer(attribute, otherwise));
    }
    [[nodiscard]] std::string text(std::string const& attribute, std::string const& otherwise) const
    {
        onnx_attribute const* const a = find(attribute);
        return a != nullptr && !a->text.empty() ? a->text : otherwise;
    }
    /// A list of `count` numbers.
    /// @param otherwise  the result if the attribute is missing
    [[nodiscard]] quantities sizes(std::string const& attribute, std::size_t count,
                                   quantities const& otherwise) const
    {
        if (auto const other = replaced(attribute)) return quantities(count, *other);
        onnx_attribute const* const a = find(attribute);
        if (a == nullptr) return otherwise;
        if (a->integers.size() != count)
            refuse("its attribute " + attribute + " has " + std::to_string(a->integers.size()) +
                   " numbers, not " + std::to_string(count));
        return quantities_of(a->integers);
    }
    /// Axes, or another list of numbers: an attribute in old operator sets, an input in new ones.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> list(std::string const& attribute,
                                                                std::size_t i) const
    {
        if (has(i)) return numbers(i);
        onnx_attribute const* const a = find(attribute);
        if (a == nullptr) return {};
        return a->integers;
    }
    /// An axis; a negative one counts from the end.
    [[nodiscard]] std::size_t axis(std::int64_t at, std::size_t rank) const
    {
        auto const count = static_cast<std::int64_t>(rank);
        if (at < -count || at >= count)
            refuse("it reads the axis " + std::to_string(at) + " of an array with " +
                   std::to_string(rank) + " axes");
        return static_cast<std::size_t>(at < 0 ? at + count : at);
    }

    void require(model::quantity const& holds, std::string const& reason) const
    {
        model::require(any_tensor(), kind(), holds, reason);
    }

    /// Input `i`, in the shape `expected` that the layer needs. Requires that the file has this
    /// shape, unless weights follow their layers.
    [[nodiscard]] onnx_value operand(std::size_t i, quantities const& expected) const
    {
        onnx_value out = input(i);
        if (out.shape.size() != expected.size())
            refuse("its input " + std::to_string(i) + " has " + std::to_string(out.shape.size()) +
                   " axes, not " + std::to_string(expected.size()));
        for (std::size_t a = 0; a < expected.size(); ++a) {
            if (expected[a].is_same(out.shape[a])) continue;
            if (out.flows || state_.options.attributes.empty())
                require(expected[a] == out.shape[a],
                        "its input " + std::to_string(i) + " has the extent " +
                            out.shape[a].name() + " on axis " + std::to_string(a) +
                            ", where the layer has " + expected[a].name());
            else
                out.is_remade = true;
        }
        if (out.is_remade) out.shape = expected;
        return out;
    }

    /// A stored input of an operation element by element. If weights follow their layers, it gets
    /// the last extents of `shape`, except where one of the two is 1.
    [[nodiscard]] onnx_value following(std::size_t i, quantities const& shape) const
    {
        onnx_value out = input(i);
        if (state_.options.attributes.empty() || out.stored.empty()) return out;
        std::size_t const common = std::min(out.shape.size(), shape.size());
        for (std::size_t a = 1; a <= common; ++a) {
            model::quantity& own = out.shape[out.shape.size() - a];
            model::quantity const& other = shape[shape.size() - a];
            if (own.is_same(other) || own.constant() == 1 || other.constant() == 1) continue;
            own = other;
            out.is_remade = true;
        }
        return out;
    }

    /// Adds inputs to the last layer, `y`. Inputs that flow become inputs of `y`; the
    /// others replace the numbers that its formula stores.
    /// @param statistics  number of inputs at the end that are no weights
    model::tensor finish(model::tensor const& y, std::vector<onnx_value> const& operands,
                         std::size_t statistics = 0)
    {
        network_step& step = y.graph().steps.back();
        if (is_shape_ || step.output != y.number()) return y;
        model::quantity read = 0;
        step.cost.weights = 0;
        step.cost.statistics = 0;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            onnx_value const& value = operands[i];
            if (value.flows) {
                std::uint32_t const number = value.flows->number();
                if (std::find(step.inputs.begin(), step.inputs.end(), number) == step.inputs.end())
                    step.inputs.push_back(number);
                continue;
            }
            read += product_of(value.shape);
            for (std::uint32_t const s : value.stored)
                count(state_.stored[s], value, i + statistics >= operands.size(), step.cost);
        }
        step.cost.weights_read = read;
        return y;
    }
    /// Indices of the stored arrays in the inputs of the node.
    [[nodiscard]] std::vector<std::uint32_t> stored() const
    {
        std::vector<std::uint32_t> out;
        for (onnx_value const* const value : inputs_)
            if (value != nullptr && !value->flows)
                for (std::uint32_t const s : value->stored)
                    if (std::find(out.begin(), out.end(), s) == out.end()) out.push_back(s);
        return out;
    }
    /// All inputs that do not flow.
    [[nodiscard]] std::vector<onnx_value> constants() const
    {
        std::vector<onnx_value> out;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            if (has(i) && !flows(i)) out.push_back(input(i));
        return out;
    }

    [[nodiscard]] bool wants(std::size_t i) const
    {
        return i < node_.outputs.size() && !node_.outputs[i].empty();
    }
    void set(std::size_t i, model::tensor const& made)
    {
        if (wants(i))
            outputs_[i] = onnx_value{.flows = made, .shape = made.shape(), .is_floating = true};
    }
    void set(std::size_t i, onnx_value made)
    {
        if (wants(i)) outputs_[i] = std::move(made);
    }
    [[nodiscard]] std::vector<std::optional<onnx_value>>& outputs() noexcept { return outputs_; }

private:
    /// A tensor of the network, for requirements.
    [[nodiscard]] model::tensor any_tensor() const
    {
        for (onnx_value const* const value : inputs_)
            if (value != nullptr && value->flows) return *value->flows;
        return net_.input({1});
    }

    static void count(onnx_stored& of, onnx_value const& as, bool is_statistic, auto& cost)
    {
        if (of.is_counted) return;
        of.is_counted = true;
        model::quantity const elements =
            as.is_remade && as.stored.size() == 1 ? product_of(as.shape) : of.elements;
        (of.is_weight && !is_statistic ? cost.weights : cost.statistics) += elements;
    }

    onnx_node const& node_;
    std::vector<onnx_value const*> inputs_;
    model::network& net_;
    onnx_state& state_;
    bool is_shape_;
    std::vector<std::optional<onnx_value>> outputs_;
};

} // namespace attune::inline ATTUNE_ABI::detail
