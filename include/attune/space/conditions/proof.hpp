// attune/space/conditions/proof.hpp - conditions that hold whatever the values, told without trying any.
// SPDX-License-Identifier: MIT
// Source   interval arithmetic (Moore, Interval Analysis), by interval.hpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/space/diagram/interval.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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
            known_.push_back(n.code <= op::input ? leaf(n) : operation(n));
    }

    /// Whether `root` has a value everywhere, which is not 0.
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
        if (p.kind == parameter_kind::real) return number_between(p.low, p.high, true);
        if (p.type == value_kind::text) return {{}, false, true};
        if (count == 0) return unknown();
        if (p.kind == parameter_kind::boolean) return number_between(0, 1, false);
        if (p.kind == parameter_kind::permutation) return number_between(0, p.parts - 1.0, false);
        if (!p.reals.empty()) {
            auto const [low, high] = std::minmax_element(p.reals.begin(), p.reals.end());
            return number_between(*low, *high, true);
        }
        if (p.range_count > 0)
            return number_between(static_cast<double>(p.integer_at(0)),
                                  static_cast<double>(p.integer_at(count - 1)),
                                  false);
        auto const [low, high] = std::minmax_element(p.integers.begin(), p.integers.end());
        return number_between(static_cast<double>(*low), static_cast<double>(*high), false);
    }

    [[nodiscard]] bounds leaf(expression_node const& n) const
    {
        switch (n.code) {
        case op::integer:
            return number_between(
                static_cast<double>(n.integer), static_cast<double>(n.integer), false);
        case op::real:
            return number_between(n.real, n.real, true);
        case op::text:
            return {{}, false, true};
        case op::input: {
            std::optional<number> const& v = space_.inputs[n.subject].value;
            return v ? number_between(v->as_real(), v->as_real(), v->is_real) : unknown();
        }
        case op::position: {
            double const last = space_.parameters[n.subject].parts - 1.0;
            bool const is_item = n.integer >= 0 && static_cast<double>(n.integer) <= last;
            return is_item ? number_between(0, last, false) : unknown();
        }
        default:
            return values_[n.subject];
        }
    }

    [[nodiscard]] bounds operation(expression_node const& n) const
    {
        bounds const a = known_[n.first];
        bounds const b = n.second == no_index ? a : known_[n.second];
        bounds const c = n.third == no_index ? a : known_[n.third];
        bool const compares = n.code >= op::less && n.code <= op::not_equal;
        if (a.is_text || b.is_text || c.is_text) {
            bool const same =
                (n.code == op::equal || n.code == op::not_equal) && a.is_text && b.is_text;
            return same ? number_between(0, 1, false) : unknown();
        }
        bool is_real = n.code != op::logical_not && (a.is_real || b.is_real);
        if (n.code == op::select) {
            // Without a common type, a branch decides at each configuration which one it is.
            if (n.real == 0 && b.is_real != c.is_real) return unknown();
            is_real = n.real != 0 || b.is_real;
        }
        bool const is_truth = compares || n.code == op::logical_and || n.code == op::logical_or;
        bool const result = is_real && !is_truth;
        bool const reads_real = a.is_real || b.is_real;
        return {look_ahead(n.code, a.ahead, b.ahead, c.ahead, result, reads_real), result, false};
    }

    description const& space_;
    std::vector<bounds> values_; // of each parameter, or of its elements
    std::vector<bounds> known_;  // of each node
};

} // namespace attune::inline ATTUNE_ABI::detail
