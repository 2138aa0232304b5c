// attune/space/conditions/proof.hpp - proves that conditions hold for all values, without trying any.
// SPDX-License-Identifier: MIT
// Source   interval arithmetic (Moore, Interval Analysis), by interval.hpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/expression/visit_leaf.hpp>
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
            known_.push_back(is_leaf(n.code) ? visit_leaf(space, n, leaf_bounds{*this})
                                             : operation(n));
    }

    /// Whether `root` has a nonzero value everywhere.
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
            // Without a common type, each configuration decides which branch gives the value.
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
