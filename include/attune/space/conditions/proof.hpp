// attune/space/conditions/proof.hpp - decides if a condition must hold or can still hold, without trying all values.
// SPDX-License-Identifier: MIT
// Source   interval arithmetic (Moore, Interval Analysis), by interval.hpp
// Source   own: evaluates expressions whose parameters are set; `&&`, `||`, `!` and select combine
//          the possible results of the others; comparisons and arithmetic on unset parameters may
//          have any result
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/diagram/interval.hpp>

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

    /// @param level_of  for each parameter, the level that sets it; 0 if none does
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

    /// Returns false if `c` holds for no values of the parameters of later levels. Exact if `level`
    /// or a level above sets its last parameter. Calls an opaque predicate at once.
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
        out |= first & (is_or ? can_be_true : can_be_false); // results that the first decides
        if (is_or ? may_be_false : may_be_true) out |= outcomes(n.second, level, at);
        return out;
    }

    description const& space_;
    evaluator read_;
    std::vector<std::size_t> complete_at_; // node -> level that sets the last parameter it reads
};

/// Bounds of every node of one description, over all values of its parameters.
class interval_prover {
public:
    explicit interval_prover(description const& space)
        : space_(space)
    {
        for (parameter_description const& p : space.parameters)
            values_.push_back(values_of(p));
        known_.reserve(space.nodes.size());
        for (expression_node const& n : space.nodes)
            known_.push_back(is_leaf(n.code) ? visit_leaf(space, n, leaf_bounds{*this})
                                             : operation(n));
    }

    /// Returns true if `root` has a nonzero value everywhere.
    [[nodiscard]] bool always_holds(std::uint32_t root) const
    {
        return !known_[root].is_text && known_[root].ahead.is_true();
    }

private:
    struct bounds {
        outlook ahead;
        bool is_real = false;
        bool is_text = false;
    };

    [[nodiscard]] static bounds number_between(double low, double high, bool is_real)
    {
        return {{settled(low, high, is_real), false, true}, is_real, false};
    }
    [[nodiscard]] static bounds unknown() { return {{{}, true, true}, false, false}; }

    [[nodiscard]] static bounds values_of(parameter_description const& p)
    {
        std::uint32_t const count = p.value_count();
        if (p.traits().is_interval) return number_between(p.low, p.high, true);
        if (p.type == value_kind::text) return {{}, false, true};
        if (count == 0) return unknown();
        if (p.traits().is_truth && p.integers.empty()) return number_between(0, 1, false);
        if (p.traits().is_order) return number_between(0, p.parts - 1.0, false);
        if (!p.reals.empty()) {
            auto const [low, high] = std::minmax_element(p.reals.begin(), p.reals.end());
            return number_between(*low, *high, true);
        }
        if (p.range_count > 0)
            return number_between(static_cast<double>(p.integer_at(0)),
                                  static_cast<double>(p.integer_at(count - 1)), false);
        auto const [low, high] = std::minmax_element(p.integers.begin(), p.integers.end());
        return number_between(static_cast<double>(*low), static_cast<double>(*high), false);
    }

    /// The bounds of a leaf.
    struct leaf_bounds {
        interval_prover const& of;

        [[nodiscard]] bounds constant(number v) const
        {
            return number_between(v.as_real(), v.as_real(), v.is_real);
        }
        [[nodiscard]] bounds text(std::string const&) const { return {{}, false, true}; }
        [[nodiscard]] bounds input(input_description const& read) const
        {
            return read.value ? constant(*read.value) : unknown();
        }
        [[nodiscard]] bounds whole(std::uint32_t parameter) const { return of.values_[parameter]; }
        [[nodiscard]] bounds element(std::uint32_t parameter, std::int64_t) const
        {
            return of.values_[parameter];
        }
        [[nodiscard]] bounds item_position(std::uint32_t parameter, std::int64_t item) const
        {
            double const last = of.space_.parameters[parameter].parts - 1.0;
            bool const is_item = item >= 0 && static_cast<double>(item) <= last;
            return is_item ? number_between(0, last, false) : unknown();
        }
    };

    [[nodiscard]] bounds operation(expression_node const& n) const
    {
        bounds const a = known_[n.first];
        bounds const b = n.second == no_index ? a : known_[n.second];
        bounds const c = n.third == no_index ? a : known_[n.third];
        if (a.is_text || b.is_text || c.is_text) {
            bool const same = is_equality(n.code) && a.is_text && b.is_text;
            return same ? number_between(0, 1, false) : unknown();
        }
        bool is_real = a.is_real || b.is_real;
        if (n.code == op::select) {
            // Branches of different types: the configuration decides the type of the value.
            if (n.real == 0 && b.is_real != c.is_real) return unknown();
            is_real = n.real != 0 || b.is_real;
        }
        bool const result = is_real && !yields_truth(n.code);
        bool const reads_real = a.is_real || b.is_real;
        return {look_ahead(n.code, a.ahead, b.ahead, c.ahead, result, reads_real), result, false};
    }

    description const& space_;
    std::vector<bounds> values_; // of each parameter, or of its elements
    std::vector<bounds> known_;  // of each node
};

} // namespace attune::inline ATTUNE_ABI::detail
