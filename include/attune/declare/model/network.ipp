// attune/declare/model/network.ipp - layers, choices and their requirements.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/model/detail/lifetimes.hpp>
#include <attune/declare/model/lower_quantity.hpp>
#include <attune/declare/model/network.hpp>

#include <algorithm>

namespace attune::inline ATTUNE_ABI {

namespace detail {

ATTUNE_INLINE model::quantity product_of(std::vector<model::quantity> const& extents)
{
    model::quantity out = 1;
    for (model::quantity const& e : extents)
        out = out * e;
    return out;
}

ATTUNE_INLINE std::string layer_place(network_graph const& graph, std::string const& kind)
{
    return "layer " + kind + ' ' + std::to_string(graph.steps.size()) + " of " + graph.name;
}

ATTUNE_INLINE void require_form(network_graph const& graph, std::string const& kind, bool holds,
                                std::string const& reason)
{
    if (!holds)
        throw error(reason, layer_place(graph, kind),
                    "change the shape or the options of the layer");
}

ATTUNE_INLINE model::quantity gated(model::quantity const& gate, model::quantity const& cost)
{
    if (cost.is_total() || gate.constant()) return gate * cost; // merges with like terms
    return select(gate.as_truth(), cost, 0);
}

/// Refuses tensors of two networks.
inline void require_one_network(network_graph const& graph, std::string const& kind,
                                model::tensor const& x)
{
    if (&x.graph() != &graph)
        throw error("the inputs of a layer belong to two networks",
                    layer_place(graph, kind) + " and " + x.graph().name,
                    "build it of tensors of one network");
}

/// Requires a truth where the present layers are in the network.
inline void add_requirement(network_graph& graph, std::string const& kind,
                            model::quantity const& holds, std::string const& reason)
{
    std::string const where = layer_place(graph, kind);
    if (auto const known = holds.constant(); known && *known == 0 && graph.gate.constant() == 1)
        throw error(reason, where, "change the shape or the options of the layer");
    model::quantity const needed = graph.gate.constant() == 1 ? holds : (graph.gate == 0) || holds;
    if (needed.constant() && *needed.constant() != 0) return;
    bool const is_known = std::any_of(graph.requirements.begin(), graph.requirements.end(),
                                      [&](auto const& r) { return r.holds.is_same(needed); });
    if (!is_known) graph.requirements.push_back({needed, where + ": " + reason});
}

/// Extents that are at least 1, each as one factor.
[[nodiscard]] inline std::vector<model::quantity>
checked_extents(network_graph& graph, std::string const& kind, std::vector<model::quantity> shape)
{
    for (model::quantity& extent : shape) {
        extent = extent.called("");
        if (!extent.is_positive())
            add_requirement(graph, kind, extent >= 1, "an extent of its output is 0 or less");
        extent = extent.as_extent();
    }
    return shape;
}

[[nodiscard]] inline std::uint32_t
add_tensor(network_graph& graph, std::vector<model::quantity> shape, std::uint32_t maker)
{
    model::quantity const elements = product_of(shape);
    graph.tensors.push_back({std::move(shape), elements, maker, {}, {}});
    return static_cast<std::uint32_t>(graph.tensors.size() - 1);
}

/// The sum of a cost over all layers, each where it is in the network.
template <class Cost>
[[nodiscard]] model::quantity sum_over_layers(network_graph const& graph, Cost const& cost)
{
    model::quantity out = 0;
    for (network_step const& step : graph.steps)
        out += gated(step.gate, cost(step));
    return out;
}

ATTUNE_INLINE model::quantity flops_of(network_step const& step)
{
    return 2 * step.cost.multiply_adds + step.cost.operations;
}

ATTUNE_INLINE model::quantity bytes_of(network_graph const& graph, network_step const& step)
{
    if (step.cost.is_view) return 0;
    model::quantity const all = step.cost.weights + step.cost.statistics;
    model::quantity moved = step.cost.weights_read.value_or(all);
    if (step.cost.inputs_read)
        moved += *step.cost.inputs_read;
    else
        for (std::uint32_t const t : step.inputs)
            moved += graph.tensors[t].elements;
    return graph.element_bytes * (moved + graph.tensors[step.output].elements);
}

ATTUNE_INLINE model::tensor either(model::quantity const& condition, model::tensor const& yes,
                                   model::tensor const& no)
{
    network_graph& graph = yes.graph();
    require_one_network(graph, "choice", no);
    if (yes.number() == no.number()) return yes;
    require_form(graph, "choice", yes.rank() == no.rank(),
                 "its branches have " + std::to_string(yes.rank()) + " and " +
                     std::to_string(no.rank()) + " axes");
    std::vector<model::quantity> shape;
    for (std::size_t i = 0; i < yes.rank(); ++i)
        shape.push_back(select(condition, yes.extent(i), no.extent(i)).as_extent());
    std::uint32_t const made = add_tensor(graph, std::move(shape), no_index);
    graph.tensors[made].choices = {{condition, yes.number()}, {!condition, no.number()}};
    return {yes.shared(), made};
}

ATTUNE_INLINE model::tensor one_of(model::quantity const& count,
                                   std::vector<model::tensor> const& after)
{
    if (after.size() == 1) return after.front();
    network_graph& graph = after.front().graph();
    std::vector<model::quantity> shape = after.front().shape();
    std::vector<std::pair<model::quantity, std::uint32_t>> choices;
    for (std::size_t i = 0; i < after.size(); ++i) {
        auto const n = static_cast<std::int64_t>(i);
        bool const is_same_rank = after[i].rank() == shape.size();
        add_requirement(graph, "repeat", model::quantity(is_same_rank ? 1 : 0) == 1,
                        "its repetitions differ in their number of axes");
        for (std::size_t axis = 0; i > 0 && is_same_rank && axis < shape.size(); ++axis)
            shape[axis] = select(count >= n, after[i].extent(axis), shape[axis]).as_extent();
        // Alternatives exclude each other, so each has a single factor.
        bool const is_last = i + 1 == after.size();
        choices.emplace_back(i == 0 ? count <= 0 : (is_last ? count >= n : count == n),
                             after[i].number());
    }
    std::uint32_t const made = add_tensor(graph, std::move(shape), no_index);
    graph.tensors[made].choices = std::move(choices);
    return {after.front().shared(), made};
}

} // namespace detail

namespace model {

ATTUNE_INLINE std::vector<quantity> const& tensor::shape() const
{
    return graph_->tensors[number_].shape;
}

ATTUNE_INLINE quantity const& tensor::elements() const { return graph_->tensors[number_].elements; }

ATTUNE_INLINE void require(tensor const& at, std::string const& kind, quantity const& holds,
                           std::string reason)
{
    detail::add_requirement(at.graph(), kind, holds, reason);
}

ATTUNE_INLINE tensor apply(std::string const& kind, std::vector<tensor> const& inputs,
                           layer_cost cost)
{
    if (inputs.empty())
        throw error("a layer needs an input", kind, "pass the tensors that it reads");
    detail::network_graph& graph = inputs.front().graph();
    detail::network_step step{.name = kind + ' ' + std::to_string(graph.steps.size()),
                              .gate = graph.gate};
    for (tensor const& x : inputs) {
        detail::require_one_network(graph, kind, x);
        step.inputs.push_back(x.number());
    }
    cost.shape = detail::checked_extents(graph, kind, std::move(cost.shape));
    step.cost = std::move(cost);
    step.output =
        detail::add_tensor(graph, step.cost.shape, static_cast<std::uint32_t>(graph.steps.size()));
    graph.steps.push_back(std::move(step));
    return {inputs.front().shared(), graph.steps.back().output};
}

ATTUNE_INLINE network::network(std::string name, quantity element_bytes)
    : graph_(std::make_shared<detail::network_graph>())
{
    graph_->name = std::move(name);
    graph_->element_bytes = std::move(element_bytes);
}

ATTUNE_INLINE tensor network::input(std::vector<quantity> shape)
{
    shape = detail::checked_extents(*graph_, "input", std::move(shape));
    return {graph_, detail::add_tensor(*graph_, std::move(shape), no_index)};
}

ATTUNE_INLINE void network::output(tensor const& x)
{
    detail::require_one_network(*graph_, "output", x);
    graph_->outputs.push_back(x.number());
}

ATTUNE_INLINE std::string const& network::name() const noexcept { return graph_->name; }

ATTUNE_INLINE quantity network::weights() const
{
    return detail::sum_over_layers(*graph_, [](auto const& s) { return s.cost.weights; })
        .called("weights of " + name());
}

ATTUNE_INLINE quantity network::stored_numbers() const
{
    return detail::sum_over_layers(*graph_,
                                   [](auto const& s) { return s.cost.weights + s.cost.statistics; })
        .called("stored numbers of " + name());
}

ATTUNE_INLINE quantity network::weight_bytes() const
{
    return (graph_->element_bytes * stored_numbers()).called("weight bytes of " + name());
}

ATTUNE_INLINE quantity network::multiply_adds() const
{
    return detail::sum_over_layers(*graph_, [](auto const& s) { return s.cost.multiply_adds; })
        .called("multiply-adds of " + name());
}

ATTUNE_INLINE quantity network::flops() const
{
    return detail::sum_over_layers(*graph_, [](auto const& s) { return detail::flops_of(s); })
        .called("FLOPs of " + name());
}

ATTUNE_INLINE quantity network::bytes_moved() const
{
    return detail::sum_over_layers(*graph_,
                                   [&](auto const& s) { return detail::bytes_of(*graph_, s); })
        .called("bytes moved by " + name());
}

ATTUNE_INLINE quantity network::activation_bytes() const
{
    quantity most = 0;
    for (quantity const& held : detail::network_lifetimes(*graph_).held())
        most = max(most, held);
    return (graph_->element_bytes * most).called("activation bytes of " + name());
}

ATTUNE_INLINE quantity network::memory_bytes() const
{
    quantity most = 0;
    quantity const stored = stored_numbers().called("");
    for (quantity const& held : detail::network_lifetimes(*graph_).held())
        most = max(most, held + stored);
    return (graph_->element_bytes * most).called("memory bytes of " + name());
}

ATTUNE_INLINE quantity network::held_bytes() const
{
    quantity all = stored_numbers().called("");
    for (detail::network_step const& step : graph_->steps)
        if (!step.cost.is_view)
            all += detail::gated(step.gate, detail::held_elements(graph_->tensors[step.output]));
    for (detail::network_tensor const& t : graph_->tensors)
        if (t.maker == no_index && t.choices.empty()) all += detail::held_elements(t);
    return (graph_->element_bytes * all).called("bytes held by " + name());
}

ATTUNE_INLINE description network::limited(description parameters,
                                           std::vector<quantity> const& limits,
                                           std::vector<input_value> const& inputs) const
{
    detail::quantity_lowering nodes(parameters);
    for (detail::network_requirement const& r : graph_->requirements)
        nodes.constrain(r.holds, r.advice);
    for (quantity const& limit : limits)
        nodes.constrain(limit);
    return bind_inputs(std::move(parameters), inputs);
}

} // namespace model

} // namespace attune::inline ATTUNE_ABI
