// attune/space/conditions/partial.hpp - whether a condition can still hold when some parameters are set.
// SPDX-License-Identifier: MIT
// Source   own: evaluates what is known; `&&`, `||`, `!` and select combine the possible outcomes
//          of the rest; comparisons and arithmetic on unset parameters may have any outcome
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/space/conditions/conditions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Evaluates conditions of one description while its parameters are set level by level.
class partial_evaluator {
public:
    explicit partial_evaluator(description const& space)
        : space_(space)
        , read_(space)
    {
    }

    /// @param level_of  for each parameter, the level that sets it; 0 if it never changes
    void set_levels(std::span<std::size_t const> level_of)
    {
        complete_at_.clear();
        for (expression_node const& n : space_.nodes) {
            int const operands = operand_count(n.code);
            std::size_t level = 0;
            if (names_parameter(n.code)) level = level_of[n.subject];
            if (operands > 0) level = complete_at_[n.first];
            if (operands > 1) level = std::max(level, complete_at_[n.second]);
            if (operands > 2) level = std::max(level, complete_at_[n.third]);
            complete_at_.push_back(level);
        }
    }

    /// False if `c` cannot hold for any values of the parameters of later levels. Exact once its
    /// last parameter is set. An opaque predicate is called at once.
    [[nodiscard]] bool may_hold(condition const& c, std::size_t level,
                                std::span<coordinate const> at) const
    {
        if (c.root == no_index) return holds(space_, c, at);
        auto const may = [&](std::uint32_t root) {
            return (outcomes(root, level, at) & can_be_true) != 0;
        };
        return may(c.root) && std::all_of(c.also.begin(), c.also.end(), may);
    }

private:
    static constexpr unsigned can_be_true = 1;
    static constexpr unsigned can_be_false = 2;
    static constexpr unsigned can_have_no_value = 4;
    static constexpr unsigned anything = can_be_true | can_be_false | can_have_no_value;

    [[nodiscard]] unsigned outcomes(std::uint32_t node, std::size_t level,
                                    std::span<coordinate const> at) const
    {
        if (complete_at_[node] <= level) {
            std::optional<number> const v = read_.value(node, at);
            if (!v) return can_have_no_value;
            return v->as_real() != 0 ? can_be_true : can_be_false;
        }
        expression_node const& n = space_.nodes[node];
        operation_group const group = rules_of(n.code).group;
        if (group != operation_group::negation && group != operation_group::chain &&
            group != operation_group::choice)
            return anything;
        unsigned const first = outcomes(n.first, level, at);
        bool const may_be_true = (first & can_be_true) != 0;
        bool const may_be_false = (first & can_be_false) != 0;
        unsigned out = first & can_have_no_value;
        if (group == operation_group::negation)
            return out | (may_be_true ? can_be_false : 0) | (may_be_false ? can_be_true : 0);
        if (group == operation_group::choice) {
            if (may_be_true) out |= outcomes(n.second, level, at);
            if (may_be_false) out |= outcomes(n.third, level, at);
            return out;
        }
        bool const is_or = n.code == op::logical_or;
        out |= first & (is_or ? can_be_true : can_be_false); // the first operand decides
        if (is_or ? may_be_false : may_be_true) out |= outcomes(n.second, level, at);
        return out;
    }

    description const& space_;
    evaluator read_;
    std::vector<std::size_t> complete_at_; // node -> level that sets the last parameter it reads
};

} // namespace attune::inline ATTUNE_ABI::detail
