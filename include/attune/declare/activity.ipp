// attune/declare/activity.ipp - makes and evaluates the conditions of parameters.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/table.hpp>
#include <attune/declare/text.hpp>

#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE coordinate default_of(parameter_description const& parameter)
{
    if (parameter.default_text)
        if (std::optional<coordinate> const at = coordinate_of(parameter, *parameter.default_text))
            return *at;
    if (parameter.traits().is_interval) return {0, 0.5 * (parameter.low + parameter.high)};
    return {};
}

ATTUNE_INLINE std::uint32_t undecided_parameter(description const& space)
{
    std::vector<bool> decided;
    for (parameter_description const& p : space.parameters)
        decided.push_back(!p.is_conditional());
    for (bool progress = true; progress;) {
        progress = false;
        for (std::size_t i = 0; i < decided.size(); ++i) {
            if (decided[i]) continue;
            auto const reads = parameters_read(space, space.parameters[i].active.root);
            decided[i] = std::all_of(reads.begin(), reads.end(),
                                     [&](std::uint32_t read) { return decided[read]; });
            progress = progress || decided[i];
        }
    }
    auto const open = std::find(decided.begin(), decided.end(), false);
    return open == decided.end() ? no_index : static_cast<std::uint32_t>(open - decided.begin());
}

/// Adds the nodes of conditions of parameters.
class condition_writer {
public:
    /// @pre  undecided_parameter(space) is no_index
    explicit condition_writer(description& space)
        : space_(space)
        , is_done_(space.parameters.size(), false)
    {
    }

    /// The node that is true where parameter `index` is active.  @pre  it is conditional
    std::uint32_t counts(std::uint32_t index)
    {
        activity_description& active = space_.parameters[index].active;
        if (!is_done_[index]) active.counts = definitely(active.root, true);
        is_done_[index] = true;
        return active.counts;
    }

    /// The node that is true where parameter `index` is at `at`.
    std::uint32_t stands_at(std::uint32_t index, coordinate at)
    {
        parameter_description const& p = space_.parameters[index];
        if (p.type == value_kind::list) {
            std::vector<std::int64_t> const parts = elements_at(p, at.index);
            std::uint32_t all = leaf({.code = op::integer, .integer = 1});
            for (std::size_t i = 0; i < parts.size(); ++i) {
                auto const place = static_cast<std::int64_t>(i);
                std::uint32_t const read =
                    leaf({.code = op::element, .subject = index, .integer = place});
                std::uint32_t const same =
                    join(op::equal, read, leaf({.code = op::integer, .integer = parts[i]}));
                all = i == 0 ? same : join(op::logical_and, all, same);
            }
            return all;
        }
        expression_node value{.code = op::integer};
        if (p.type == value_kind::text) {
            value = {.code = op::text, .text = intern_text(space_, p.labels[at.index])};
        } else {
            number const v = number_at(p, at);
            value = {
                .code = v.is_real ? op::real : op::integer, .integer = v.integer, .real = v.real};
        }
        return join(op::equal, leaf({.code = op::parameter, .subject = index}), leaf(value));
    }

    std::uint32_t join(op code, std::uint32_t a, std::uint32_t b)
    {
        return intern_node(space_, {.code = code, .first = a, .second = b});
    }

private:
    std::uint32_t leaf(expression_node const& n) { return intern_node(space_, n); }

    /// The node that is true where active parameters alone decide that `root` is `wanted`.
    std::uint32_t definitely(std::uint32_t root, bool wanted)
    {
        expression_node const n = space_.nodes[root]; // a copy: nodes are added below
        operation_group const group = rules_of(n.code).group;
        if (group == operation_group::negation) return definitely(n.first, !wanted);
        if (group == operation_group::chain) {
            bool const both = (n.code == op::logical_and) == wanted;
            std::uint32_t const first = definitely(n.first, wanted);
            return join(both ? op::logical_and : op::logical_or, first,
                        definitely(n.second, wanted));
        }
        // Other nodes contain no truths: their value is known if all parameters that they read are
        // active.
        std::uint32_t known = no_index;
        for (std::uint32_t const read : parameters_read(space_, root)) {
            if (!space_.parameters[read].is_conditional()) continue;
            std::uint32_t const active = counts(read);
            known = known == no_index ? active : join(op::logical_and, known, active);
        }
        std::uint32_t const test =
            wanted ? root : intern_node(space_, {.code = op::logical_not, .first = root});
        return known == no_index ? test : join(op::logical_and, known, test);
    }

    description& space_;
    std::vector<bool> is_done_;
};

ATTUNE_INLINE void settle_conditions(description& space)
{
    if (!has_conditions(space)) return;
    if (std::uint32_t const open = undecided_parameter(space); open != no_index)
        throw error("conditions of parameters lead back to their own parameter",
                    "parameter " + space.parameters[open].name + ", active if " +
                        space.parameters[open].active.text,
                    "remove one of them, so that one parameter is decided first");
    condition_writer write(space);
    for (std::uint32_t i = 0; i < space.parameters.size(); ++i) {
        parameter_description& p = space.parameters[i];
        if (!p.is_conditional()) continue;
        std::uint32_t const counts = write.counts(i);
        p.active.otherwise = default_of(p);
        // In this order, a condition without a value, such as 1 / 0 > 2, also leaves one value.
        constraint_description settled;
        settled.root = write.join(op::logical_or, write.stands_at(i, p.active.otherwise), counts);
        settled.scope = parameters_read(space, settled.root);
        settled.text =
            p.name + " is " + text_of(p, p.active.otherwise) + " unless " + p.active.text;
        settled.settles = i;
        auto const before =
            std::find_if(space.constraints.begin(), space.constraints.end(),
                         [i](constraint_description const& c) { return c.settles == i; });
        if (before == space.constraints.end())
            space.constraints.push_back(std::move(settled));
        else
            *before = std::move(settled);
    }
}

[[nodiscard]] inline bool is_true(description const& space, std::uint32_t node,
                                  std::span<coordinate const> at)
{
    std::optional<number> const v = evaluator{space}.value(node, at);
    return v && v->as_real() != 0;
}

ATTUNE_INLINE bool is_active(description const& space, std::size_t index,
                             std::span<coordinate const> at)
{
    std::uint32_t const counts = space.parameters[index].active.counts;
    return counts == no_index || is_true(space, counts, at);
}

ATTUNE_INLINE void settle(description const& space, point& at)
{
    for (std::size_t i = 0; i < space.parameters.size(); ++i)
        if (!is_active(space, i, at)) at[i] = space.parameters[i].active.otherwise;
}

ATTUNE_INLINE point with_inactive_marked(description const& space, point at)
{
    for (std::size_t i = 0; i < space.parameters.size(); ++i)
        if (!is_active(space, i, at)) at[i] = inactive_place;
    return at;
}

ATTUNE_INLINE distinct_conditions::distinct_conditions(description const& settled)
{
    for (parameter_description const& p : settled.parameters) {
        auto const found = std::find(roots_.begin(), roots_.end(), p.active.counts);
        bool const is_known = p.active.counts == no_index || found != roots_.end();
        of_.push_back(p.active.counts == no_index
                          ? no_index
                          : static_cast<std::uint32_t>(found - roots_.begin()));
        if (!is_known) roots_.push_back(p.active.counts);
    }
}

ATTUNE_INLINE std::vector<char> distinct_conditions::at(description const& space,
                                                        std::span<coordinate const> at) const
{
    std::vector<char> out;
    for (std::uint32_t const root : roots_)
        out.push_back(is_true(space, root, at) ? 1 : 0);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
