// attune/declare/model/detail/lifetimes.hpp - the numbers that a network holds at each of its steps.
// SPDX-License-Identifier: MIT
// tested by declare/model/network.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/model/network.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Memory of one tensor, or of several tensors after each other.
struct network_buffer {
    model::quantity elements = 0;
    model::quantity gate = 1; ///< condition under which it exists
    std::size_t first = 0;    ///< step that makes it
    std::size_t last = 0;     ///< last step that reads it wherever it exists
    std::vector<std::pair<model::quantity, std::size_t>>
        sometimes; ///< later steps that read it, each with its condition
};

/// The buffers of a network, in the order of execution.
class network_lifetimes {
public:
    explicit network_lifetimes(network_graph const& graph)
        : graph_(graph)
        , buffer_of_(graph.tensors.size(), no_index)
    {
        find_views();
        find_last_uses();
        for (std::uint32_t t = 0; t < graph.tensors.size(); ++t)
            if (graph.tensors[t].maker == no_index && graph.tensors[t].choices.empty())
                make_buffer(t, 1, 0);
        for (std::size_t s = 0; s < graph.steps.size(); ++s)
            place(s);
    }

    /// The largest of these bounds the numbers that the network holds at any moment.
    /// Cost     linear in layers and tensors, if no formula grows with them
    [[nodiscard]] std::vector<model::quantity> held() const
    {
        std::vector<model::quantity> out;
        auto const changes = changes_by_step();
        std::vector<model::quantity> parts(buffers_.size()); // of each buffer in `all`
        model::quantity all = 0;
        auto const update = [&](std::uint32_t b, std::size_t s) {
            model::quantity const next = held_at(buffers_[b], s);
            all = all - parts[b] + next;
            parts[b] = next;
        };
        for (std::size_t s = 0; s < graph_.steps.size(); ++s) {
            network_step const& step = graph_.steps[s];
            std::uint32_t const own = step.cost.is_view ? no_index : buffer_of_[step.output];
            bool const is_new = own != no_index && buffers_[own].first == s;
            for (std::uint32_t const b : changes[s])
                if (b != own || !is_new) update(b, s);
            if (own == no_index) continue;
            add_unless_less(out, is_new ? all + step.gate * buffers_[own].elements : all);
            if (!step.cost.scratch.is_same(0))
                add_unless_less(out, all + step.gate * step.cost.scratch);
            if (is_new) update(own, s);
        }
        if (out.empty()) { // the network has only views
            all = 0;
            for (network_buffer const& b : buffers_)
                all += b.elements;
            out.push_back(all);
        }
        return out;
    }

private:
    using places = std::vector<std::pair<model::quantity, std::uint32_t>>;

    /// Adds the tensors made by layers that `tensor` may be, each with its condition.
    void resolve(std::uint32_t tensor, model::quantity const& gate, places& out) const
    {
        tensor = viewed_[tensor];
        if (graph_.tensors[tensor].choices.empty()) out.emplace_back(gate, tensor);
        for (auto const& [where, chosen] : graph_.tensors[tensor].choices)
            if (model::quantity const both = gate * where; both.constant() != 0)
                resolve(chosen, both, out);
    }
    [[nodiscard]] places resolved(std::uint32_t tensor, model::quantity const& gate) const
    {
        places out;
        resolve(tensor, gate, out);
        return out;
    }

    /// The named outputs of the network; without names, the tensors that nothing reads.
    [[nodiscard]] std::vector<std::uint32_t> outputs() const
    {
        if (!graph_.outputs.empty()) return graph_.outputs;
        std::vector<char> is_read(graph_.tensors.size(), 0);
        for (network_step const& step : graph_.steps)
            for (std::uint32_t const t : step.inputs)
                is_read[t] = 1;
        for (network_tensor const& t : graph_.tensors)
            for (auto const& [where, chosen] : t.choices)
                is_read[chosen] = 1;
        std::vector<std::uint32_t> out;
        for (std::uint32_t t = 0; t < is_read.size(); ++t)
            if (is_read[t] == 0) out.push_back(t);
        return out;
    }

    /// Finds the memory of each view. A layer only reads tensors with lower numbers.
    void find_views()
    {
        for (std::uint32_t t = 0; t < graph_.tensors.size(); ++t) {
            std::uint32_t const maker = graph_.tensors[t].maker;
            bool const is_view = maker != no_index && graph_.steps[maker].cost.is_view;
            viewed_.push_back(is_view ? viewed_[graph_.steps[maker].inputs.front()] : t);
        }
    }

    /// Finds the uses of each tensor. An output of the network stays in use to the end.
    void find_last_uses()
    {
        uses_.resize(graph_.tensors.size());
        std::size_t const end = graph_.steps.size();
        for (std::size_t s = 0; s < end; ++s)
            for (std::uint32_t const t : graph_.steps[s].inputs)
                for (auto const& [where, made] : resolved(t, graph_.steps[s].gate))
                    uses_[made].emplace_back(where, s);
        for (std::uint32_t const t : outputs())
            for (auto const& [where, made] : resolved(t, 1))
                uses_[made].emplace_back(where, end);
    }

    /// The steps at which held_at() of a buffer changes: its first step, and each step after a use.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> changes_by_step() const
    {
        std::vector<std::vector<std::uint32_t>> out(graph_.steps.size());
        auto const add = [&](std::uint32_t b, std::size_t s) {
            if (s < out.size() && (out[s].empty() || out[s].back() != b)) out[s].push_back(b);
        };
        for (std::uint32_t b = 0; b < buffers_.size(); ++b) {
            add(b, buffers_[b].first);
            add(b, buffers_[b].last + 1);
            for (auto const& [where, step] : buffers_[b].sometimes)
                add(b, step + 1);
        }
        return out;
    }

    std::uint32_t make_buffer(std::uint32_t tensor, model::quantity gate, std::size_t step)
    {
        network_buffer made{held_elements(graph_.tensors[tensor]), std::move(gate), step, step, {}};
        buffers_.push_back(std::move(made));
        buffer_of_[tensor] = static_cast<std::uint32_t>(buffers_.size() - 1);
        use(tensor);
        return buffer_of_[tensor];
    }

    /// Extends the life of a tensor's buffer to the tensor's uses.
    void use(std::uint32_t tensor)
    {
        network_buffer& buffer = buffers_[buffer_of_[tensor]];
        for (auto const& [where, step] : uses_[tensor])
            if (where.is_same(1) || where.is_same(buffer.gate))
                buffer.last = std::max(buffer.last, step);
            else
                buffer.sometimes.emplace_back(where, step);
    }

    void place(std::size_t s)
    {
        network_step const& step = graph_.steps[s];
        if (step.cost.is_view) return; // resolve() passes through views
        std::uint32_t input = no_index;
        if (step.cost.may_overwrite)
            for (std::uint32_t const t : step.inputs)
                if (input == no_index) input = overwritten(s, t);
        if (input != no_index) {
            buffer_of_[step.output] = input;
            use(step.output);
        } else {
            make_buffer(step.output, step.gate, s);
        }
    }

    /// The buffer of an input that step `s` may overwrite; no_index if a later step reads it.
    [[nodiscard]] std::uint32_t overwritten(std::size_t s, std::uint32_t tensor) const
    {
        network_step const& step = graph_.steps[s];
        auto const from = resolved(tensor, step.gate);
        if (from.size() != 1 || graph_.tensors[from.front().second].maker == no_index)
            return no_index;
        std::uint32_t const input = buffer_of_[from.front().second];
        network_buffer const& b = buffers_[input];
        bool const is_last =
            b.last <= s && std::all_of(b.sometimes.begin(), b.sometimes.end(),
                                       [&](auto const& u) { return u.second <= s; });
        bool const fits = b.gate.is_same(step.gate) &&
                          b.elements.is_same(held_elements(graph_.tensors[step.output]));
        return is_last && fits ? input : no_index;
    }

    /// The numbers that buffer `b` holds at step `s`.
    [[nodiscard]] model::quantity held_at(network_buffer const& b, std::size_t s) const
    {
        if (b.first > s || (b.first == s && s > 0 && b.last < s)) return 0;
        if (s <= b.last) return b.gate * b.elements;
        model::quantity read = 0; // one factor, because a product of (1 - where) doubles with each
        for (auto const& [where, step] : b.sometimes)
            if (step >= s) read = read.is_same(0) ? where.as_truth() : read || where.as_truth();
        return read * b.gate * b.elements;
    }

    /// Adds `next`, and removes each quantity that another one is never less than.
    static void add_unless_less(std::vector<model::quantity>& out, model::quantity const& next)
    {
        for (model::quantity const& known : out)
            if ((known - next).is_natural()) return;
        std::erase_if(out, [&](auto const& known) { return (next - known).is_natural(); });
        out.push_back(next);
    }

    network_graph const& graph_;
    std::vector<network_buffer> buffers_;
    std::vector<std::uint32_t> viewed_; // tensor -> the tensor whose memory it is, behind all views
    std::vector<std::uint32_t> buffer_of_; // tensor -> buffer
    std::vector<std::vector<std::pair<model::quantity, std::size_t>>>
        uses_; // tensor -> condition, step
};

} // namespace attune::inline ATTUNE_ABI::detail
