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

/// What one layer makes and takes: all that a layer of your own needs. Counts, not bytes.
struct layer_cost {
    std::vector<quantity> shape = {}; ///< of its output
    quantity weights = 0;             ///< trained numbers, biases included
    quantity statistics = 0;          ///< numbers that are stored with the weights but not trained
    quantity multiply_adds = 0;       ///< 2 floating-point operations each
    quantity operations = 0;          ///< other floating-point operations
    quantity scratch = 0; ///< numbers that it holds beside its inputs before its output exists
    std::optional<quantity> weights_read = {}; ///< stored numbers that it reads, if not all
    std::optional<quantity> inputs_read = {};  ///< elements of its inputs that it reads, if not all
    bool may_overwrite = false;                ///< the output may take the place of an input
    bool is_view = false; ///< the output is the first input's memory: no bytes move
};

/// An array that flows between layers; a handle to its network. Images are N x C x H x W, sequences
/// N x T x F.
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

/// Appends a layer: every layer of this folder is one call of it, and so is one of your own. A
/// tensor that nothing reads is an output of the network, unless network::output() names outputs.
/// @param kind    names the layer, with its place among all: "conv2d 3"
/// @param inputs  tensors of one network, at least one
/// Errors   attune::error: no inputs, those of two networks, or an extent that is 0 or less
/// Example  auto y = apply("swish", {x}, {.shape = x.shape(), .operations = 4 * x.elements()});
tensor apply(std::string const& kind, std::vector<tensor> const& inputs, layer_cost cost);

/// A truth that valid configurations of the network have, such as equal extents; where a constant
/// breaks it, the error at once.
/// @param at      a tensor that the layer reads
/// @param kind    the layer: "conv2d"
/// @param reason  what is wrong where `holds` does not: "4 groups do not divide 6 channels"
/// Errors   attune::error with that reason, and the layer
void require(tensor const& at, std::string const& kind, quantity const& holds, std::string reason);

/// A network's layers in the order of execution, which is the order of their calls. A copy is the
/// same network. Costs of layers that a choice left out are 0.
///
/// Conventions: one multiply-add is 2 operations (FLOPs); a forward pass, as inference has it.
class network {
public:
    /// @param name           for texts: "vgg16"
    /// @param element_bytes  bytes of a number, of weights and of tensors; may be a parameter
    explicit network(std::string name, quantity element_bytes = 4);

    /// What is given to the network; held from the start to its last use.
    [[nodiscard]] tensor input(std::vector<quantity> shape);
    /// Names an output, held to the end. From the first one on, a tensor that nothing reads and
    /// that is not named is held no longer than its layer runs.
    /// Errors   attune::error: a tensor of another network
    void output(tensor const& x);

    /// Trained numbers.
    [[nodiscard]] quantity weights() const;
    /// Trained numbers, and the statistics that are stored with them.
    [[nodiscard]] quantity stored_numbers() const;
    /// Bytes of the stored numbers: the size of the weights' file.
    [[nodiscard]] quantity weight_bytes() const;
    [[nodiscard]] quantity multiply_adds() const;
    /// 2 * multiply_adds() and all other operations.
    [[nodiscard]] quantity flops() const;
    /// Bytes that layers read (inputs, weights) and write (outputs), each as if alone.
    [[nodiscard]] quantity bytes_moved() const;
    /// Bytes of all tensors at the moment when they are most. A tensor lives from its layer to its
    /// last use, an output of the network to the end; a layer that may overwrites its input where
    /// that is not used later; a view holds nothing. No workspace and no fragmentation: a lower
    /// bound of real memory, where layers run one by one in this order (a kernel that joins several
    /// may hold less, as a convolution does that adds to its output), except that a layer in or
    /// behind a choice may get a buffer of its own where a framework that knows which alternative
    /// it runs overwrites: there it may be more.
    [[nodiscard]] quantity activation_bytes() const;
    /// weight_bytes() + activation_bytes().
    [[nodiscard]] quantity memory_bytes() const;
    /// The memory of DnnSAT: weights, inputs and every output, none of them freed; but for views,
    /// such as flatten, which DnnSAT counts.
    [[nodiscard]] quantity held_bytes() const;

    [[nodiscard]] std::string const& name() const noexcept;
    [[nodiscard]] detail::network_graph const& graph() const noexcept { return *graph_; }
    [[nodiscard]] detail::network_graph& graph() noexcept { return *graph_; }

    /// The valid configurations: those of `typed` where shapes fit and all limits hold.
    /// @param typed   attune::space(...), with every parameter that the network reads
    /// @param limits  truths: {net.weight_bytes() <= 8192, net.flops() >= 1000}
    /// @return  bound, for chain_of_trees and optimizers
    /// Errors   attune::error: a parameter that is not in the space or negative; those of
    ///          bind_inputs()
    template <class Pack>
    [[nodiscard]] description space(Pack const& typed, std::vector<quantity> const& limits = {},
                                    std::vector<input_value> const& inputs = {}) const
    {
        return limited(lower(typed), limits, inputs);
    }
    /// The same for a description made at run time.
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
    std::uint32_t maker = no_index; ///< its step; no_index for an input and for a choice
    /// Of a choice: which tensor it is, and where.
    std::vector<std::pair<model::quantity, std::uint32_t>> choices;
    /// How many of the network's numbers take as much memory, if not its elements: truths of a byte
    /// each are fewer.
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
    std::vector<std::uint32_t> outputs; ///< tensors; none: those that nothing reads
    model::quantity gate = 1;           ///< of the layers that are added now
};

/// Refuses a fault of ranks or axes at once, also under a choice: no shape follows from it.
/// Errors   attune::error with that reason, and the layer
void require_form(network_graph const& graph, std::string const& kind, bool holds,
                  std::string const& reason);
/// `cost` where `gate` is 1, else 0, also where `cost` has no value.
[[nodiscard]] model::quantity gated(model::quantity const& gate, model::quantity const& cost);
/// The product of extents; 1 of none.
[[nodiscard]] model::quantity product_of(std::vector<model::quantity> const& extents);
/// Names a layer that is about to be added: "layer conv2d 3 of vgg16".
[[nodiscard]] std::string layer_place(network_graph const& graph, std::string const& kind);
/// Floating-point operations of a layer where it is in the network.
[[nodiscard]] model::quantity flops_of(network_step const& step);
/// Bytes that it reads and writes there.
[[nodiscard]] model::quantity bytes_of(network_graph const& graph, network_step const& step);

/// Layers added while it lives are in the network only where `condition` holds.
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
/// The tensor with the number `count` of `after`, which is not empty; the last one beyond.
[[nodiscard]] model::tensor one_of(model::quantity const& count,
                                   std::vector<model::tensor> const& after);

} // namespace detail

namespace model {

/// One of two branches: an operator as a parameter. Extents may differ between them.
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

/// Layers that a boolean or conditional parameter leaves out; `x` itself without them.
template <class Layers>
tensor only_if(tensor const& x, quantity const& condition, Layers const& layers)
{
    return choose(x, condition, layers, [](tensor const& same) { return same; });
}

/// `count` times the same layers: a number of layers as a parameter. Configurations with a count
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
