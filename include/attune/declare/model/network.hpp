// attune/declare/model/network.hpp - a graph of layers whose shapes and costs depend on parameters.
// SPDX-License-Identifier: MIT
// Source   Gao et al., "Resource-Guided Configuration Space Reduction for Deep Learning Models",
//          ICSE 2021, Sec. III-IV (DnnSAT): operators in the order of execution, one cost each
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/lower.hpp>
#include <attune/declare/model/quantity.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

struct network_graph;

} // namespace detail

namespace model {

/// Shape and costs of one layer; a layer of your own needs nothing else. Counts, not bytes.
struct layer_cost {
    std::vector<quantity> shape = {}; ///< of the output
    quantity weights = 0;             ///< trained numbers, biases included
    quantity statistics = 0;          ///< numbers stored with the weights but not trained
    quantity multiply_adds = 0;       ///< 2 floating-point operations each
    quantity operations = 0;          ///< other floating-point operations
    quantity scratch = 0;             ///< numbers that the layer holds before the output exists
    std::optional<quantity> weights_read = {}; ///< stored numbers that the layer reads, if not all
    std::optional<quantity> inputs_read = {};  ///< elements of inputs that it reads, if not all
    bool may_overwrite = false;                ///< the output may take the place of an input
    bool is_view = false; ///< the output is the first input's memory: no bytes move
};

/// An array between layers; a handle to its network. Images are N x C x H x W, sequences N x T x F.
class tensor {
public:
    [[nodiscard]] std::vector<quantity> const& shape() const;
    [[nodiscard]] std::size_t rank() const { return shape().size(); }
    [[nodiscard]] quantity const& extent(std::size_t axis) const { return shape().at(axis); }
    /// The product of the extents.
    [[nodiscard]] quantity const& elements() const;

    tensor(std::shared_ptr<detail::network_graph> graph, std::uint32_t number) noexcept
        : graph_(std::move(graph))
        , number_(number)
    {
    }
    [[nodiscard]] detail::network_graph& graph() const noexcept { return *graph_; }
    [[nodiscard]] std::shared_ptr<detail::network_graph> const& shared() const noexcept
    {
        return graph_;
    }
    [[nodiscard]] std::uint32_t number() const noexcept { return number_; }

private:
    std::shared_ptr<detail::network_graph> graph_;
    std::uint32_t number_ = 0;
};

/// Appends a layer; each layer of this folder, or of your own, is one call of apply(). A tensor
/// that nothing reads is an output of the network, unless network::output() names outputs.
/// @param kind    names the layer, with its place among all: "conv2d 3"
/// @param inputs  tensors of one network, at least one
/// Errors   attune::error: no inputs, those of two networks, or an extent that is 0 or less
/// Example  auto y = apply("swish", {x}, {.shape = x.shape(), .operations = 4 * x.elements()});
tensor apply(std::string const& kind, std::vector<tensor> const& inputs, layer_cost cost);

/// Requires that `holds` is true in all valid configurations: equal extents, for example. Throws at
/// once if a constant breaks it.
/// @param at      a tensor that the layer reads
/// @param kind    the layer: "conv2d"
/// @param reason  what is wrong where `holds` is false: "4 groups do not divide 6 channels"
/// Errors   attune::error with that reason, and the layer
void require(tensor const& at, std::string const& kind, quantity const& holds, std::string reason);

/// A network's layers in the order of execution, which is the order of their calls. A copy is the
/// same network. Costs of layers that a choice left out are 0.
///
/// All costs are those of inference, a forward pass. One multiply-add is 2 operations (FLOPs).
class network {
public:
    /// @param name           for texts: "vgg16"
    /// @param element_bytes  bytes of a number, of weights and of tensors; may be a parameter
    explicit network(std::string name, quantity element_bytes = 4);

    /// An input of the network, which holds it from the start to its last use.
    [[nodiscard]] tensor input(std::vector<quantity> shape);
    /// Names an output. The network holds its outputs to the end. Once an output has a name, the
    /// network holds an unread tensor without a name only while its layer runs.
    /// Errors   attune::error: a tensor of another network
    void output(tensor const& x);

    /// Number of trained numbers.
    [[nodiscard]] quantity weights() const;
    /// Number of trained numbers and of the statistics stored with them.
    [[nodiscard]] quantity stored_numbers() const;
    /// Bytes of the stored numbers: the size of the weights' file.
    [[nodiscard]] quantity weight_bytes() const;
    [[nodiscard]] quantity multiply_adds() const;
    /// 2 * multiply_adds() and all other operations.
    [[nodiscard]] quantity flops() const;
    /// Bytes of inputs and weights read and outputs written; each layer counts as if it ran alone.
    [[nodiscard]] quantity bytes_moved() const;
    /// The largest sum of bytes of all tensors at one moment. A tensor takes memory from its layer
    /// to its last use, an output of the network to the end. A layer that may overwrite its input
    /// does so if no later layer uses that input. A view holds no bytes. Without workspace and
    /// fragmentation, this is a lower bound of real memory if layers run one by one in this order.
    /// Two exceptions: a kernel that joins several layers may hold less, such as a convolution that
    /// adds to its output. A layer in or behind a choice may get a new buffer, where a framework
    /// that fixes the alternative overwrites.
    [[nodiscard]] quantity activation_bytes() const;
    /// weight_bytes() + activation_bytes().
    [[nodiscard]] quantity memory_bytes() const;
    /// The memory that DnnSAT counts: weights, inputs and every output, all held to the end. Unlike
    /// DnnSAT, the function counts no views such as flatten.
    [[nodiscard]] quantity held_bytes() const;

    [[nodiscard]] std::string const& name() const noexcept;
    [[nodiscard]] detail::network_graph const& graph() const noexcept { return *graph_; }
    [[nodiscard]] detail::network_graph& graph() noexcept { return *graph_; }

    /// The valid configurations: those of `typed` where shapes fit and all limits hold.
    /// @param typed   attune::space(...), with every parameter that the network reads
    /// @param limits  truths: {net.weight_bytes() <= 8192, net.flops() >= 1000}
    /// @return  bound, for chain_of_trees and optimizers
    /// Errors   attune::error: a parameter that is not in the space or is negative; those of
    ///          bind_inputs()
    template <class Pack>
    [[nodiscard]] description space(Pack const& typed, std::vector<quantity> const& limits = {},
                                    std::vector<input_value> const& inputs = {}) const
    {
        return limited(lower(typed), limits, inputs);
    }
    /// The valid configurations of a description made at run time.
    [[nodiscard]] description limited(description parameters, std::vector<quantity> const& limits,
                                      std::vector<input_value> const& inputs = {}) const;

private:
    std::shared_ptr<detail::network_graph> graph_;
};

} // namespace model

namespace detail {

/// One layer, in the order of execution.
struct network_step {
    std::string name{};
    std::vector<std::uint32_t> inputs{};
    std::uint32_t output = 0;
    model::layer_cost cost{};
    model::quantity gate = 1; ///< 1 where the layer is in the network, else 0
};

struct network_tensor {
    std::vector<model::quantity> shape;
    model::quantity elements = 1;
    std::uint32_t maker = no_index; ///< step that makes it; no_index for an input and for a choice
    /// Alternatives of a choice: condition and tensor.
    std::vector<std::pair<model::quantity, std::uint32_t>> choices;
    /// Number of the network's numbers that take as much memory, if it is not the number of
    /// elements: truths of one byte each take less.
    std::optional<model::quantity> held = {};
};

[[nodiscard]] inline model::quantity const& held_elements(network_tensor const& x)
{
    return x.held ? *x.held : x.elements;
}

struct network_requirement {
    model::quantity holds;
    std::string advice;
};

struct network_graph {
    std::string name;
    model::quantity element_bytes = 4;
    std::vector<network_step> steps;
    std::vector<network_tensor> tensors;
    std::vector<network_requirement> requirements;
    std::vector<std::uint32_t> outputs; ///< named tensors; if empty: the tensors that nothing reads
    model::quantity gate = 1;           ///< condition of the next layers
};

/// Refuses a fault of ranks or axes at once, also under a choice, because the layer has no shape.
/// Errors   attune::error with that reason, and the layer
void require_form(network_graph const& graph, std::string const& kind, bool holds,
                  std::string const& reason);
/// `cost` where `gate` is 1, else 0, also where `cost` has no value.
[[nodiscard]] model::quantity gated(model::quantity const& gate, model::quantity const& cost);
/// The product of extents; 1 if there are none.
[[nodiscard]] model::quantity product_of(std::vector<model::quantity> const& extents);
/// The name of the next layer: "layer conv2d 3 of vgg16".
[[nodiscard]] std::string layer_place(network_graph const& graph, std::string const& kind);
/// Floating-point operations of a layer if it is in the network.
[[nodiscard]] model::quantity flops_of(network_step const& step);
/// Bytes that a layer reads and writes if it is in the network.
[[nodiscard]] model::quantity bytes_of(network_graph const& graph, network_step const& step);

/// While an object of this class exists, new layers have this condition.
class layers_only_if {
public:
    layers_only_if(network_graph& graph, model::quantity const& condition)
        : graph_(graph)
        , before_(graph.gate)
    {
        graph.gate = graph.gate * condition;
    }
    ~layers_only_if() { graph_.gate = before_; }
    layers_only_if(layers_only_if const&) = delete;
    layers_only_if& operator=(layers_only_if const&) = delete;

private:
    network_graph& graph_;
    model::quantity before_;
};

/// The tensor that is `yes` where `condition` holds, else `no`.
[[nodiscard]] model::tensor either(model::quantity const& condition, model::tensor const& yes,
                                   model::tensor const& no);
/// Tensor number `count` of `after`, which is not empty; the last one if `count` is too large.
[[nodiscard]] model::tensor one_of(model::quantity const& count,
                                   std::vector<model::tensor> const& after);

} // namespace detail

namespace model {

/// Chooses one of two branches: an operator as a parameter. Extents may differ between them.
/// @param then, otherwise  functions of a tensor that give a tensor
/// Example  choose(x, pooling == "max", [](tensor t) { return max_pool2d(t, {2}); }, ...)
template <class Then, class Otherwise>
tensor choose(tensor const& x, quantity const& condition, Then const& then,
              Otherwise const& otherwise)
{
    quantity const truth = condition.as_truth();
    tensor const yes = [&] {
        detail::layers_only_if const in(x.graph(), truth);
        return then(x);
    }();
    tensor const no = [&] {
        detail::layers_only_if const in(x.graph(), !truth);
        return otherwise(x);
    }();
    return detail::either(truth, yes, no);
}

/// Layers that a boolean or conditional parameter leaves out; without them `x` itself.
template <class Layers>
tensor only_if(tensor const& x, quantity const& condition, Layers const& layers)
{
    return choose(x, condition, layers, [](tensor const& same) { return same; });
}

/// The same layers `count` times: the number of layers as a parameter. Configurations with a count
/// above `most` are not valid.
/// @param layers  a function of a tensor, or of a tensor and the number of the repetition from 0
template <class Layers>
tensor repeat(tensor x, quantity const& count, std::int64_t most, Layers const& layers)
{
    require(x, "repeat", count <= most,
            "it has more than " + std::to_string(most) + " repetitions");
    std::vector<tensor> after{x}; // after 0, 1, ... repetitions
    for (std::int64_t i = 0; i < most; ++i) {
        detail::layers_only_if const in(x.graph(), count > i);
        if constexpr (std::invocable<Layers const&, tensor const&, std::int64_t>)
            after.push_back(layers(after.back(), i));
        else
            after.push_back(layers(after.back()));
    }
    return detail::one_of(count, after);
}

} // namespace model

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/declare/model/network.ipp>
#endif
