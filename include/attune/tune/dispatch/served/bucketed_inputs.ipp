// attune/tune/dispatch/served/bucketed_inputs.ipp - maps inputs, and evaluates constraints at one configuration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/text.hpp>
#include <attune/tune/dispatch/served/bucketed_inputs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void require_buckets(kernel_description const& kernel, bool is_for_device)
{
    for (input_bucket const& one : kernel.buckets) {
        std::string const call = "kernel.bucket<" + std::to_string(one.position) + ">(f)";
        if (std::none_of(kernel.inputs.begin(), kernel.inputs.end(),
                         [&](input_argument const& i) { return i.position == one.position; }))
            throw error("a bucket is declared for an argument that is bound to no input",
                        call + " of kernel '" + kernel.name + "'",
                        "call kernel.bind<" + std::to_string(one.position) +
                            ">(input) too, or leave the bucket out: sizes that are no inputs are "
                            "not tuned one by one");
        if (is_for_device)
            throw error("on a device inputs have no buckets so far: the launch goes by them",
                        call + " of kernel '" + kernel.name + "'",
                        "leave the bucket out; limits.total bounds what new inputs may cost");
    }
}

ATTUNE_INLINE std::vector<number> representative_of(kernel_description const& kernel,
                                                    std::vector<number> const& inputs)
{
    std::vector<number> out = inputs;
    for (input_bucket const& bucket : kernel.buckets)
        for (std::size_t i = 0; i < out.size(); ++i)
            if (kernel.inputs[i].position == bucket.position) out[i] = bucket.of(out[i]);
    return out;
}

ATTUNE_INLINE named_texts texts_at(description const& space, point const& at)
{
    named_texts out;
    for (named_value const& v : named_values(space))
        out.emplace_back(std::string(v.name), text_at(space, v, at));
    return out;
}

[[nodiscard]] inline bool reads_input(description const& space, std::uint32_t node)
{
    if (node == no_index) return false;
    expression_node const& n = space.nodes[node];
    return n.code == op::input || reads_input(space, n.first) || reads_input(space, n.second) ||
           reads_input(space, n.third);
}

ATTUNE_INLINE bool depends_on_inputs(description const& space)
{
    return std::any_of(space.parameters.begin(), space.parameters.end(),
                       [&](auto const& p) { return reads_input(space, p.rule.bound_node); }) ||
           std::any_of(space.constraints.begin(), space.constraints.end(),
                       [&](auto const& c) { return c.test || reads_input(space, c.root); });
}

ATTUNE_INLINE std::string why_not_with(dispatched_kernel const& subject,
                                       std::vector<number> const& inputs,
                                       named_texts const& configuration)
{
    if (!depends_on_inputs(subject.declared)) return {};
    description open = subject.declared;
    for (parameter_description& p : open.parameters)
        p.default_text.reset();
    description const bound = bind_inputs(std::move(open), subject.values_of(inputs));
    point at(bound.parameters.size());
    std::size_t i = 0;
    for (named_value const& v : named_values(bound)) {
        std::string const& text = configuration[i++].second;
        if (!set_value(bound, v, at, text))
            return text + " is no value of " + std::string(v.name) + " for these inputs";
    }
    evaluator const here{bound};
    for (constraint_description const& c : bound.constraints)
        if (c.settles == no_index && !here.holds(c, at))
            return "for these inputs it breaks " + c.text;
    return {};
}

} // namespace attune::inline ATTUNE_ABI::detail
