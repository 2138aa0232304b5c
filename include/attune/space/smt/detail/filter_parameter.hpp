// attune/space/smt/detail/filter_parameter.hpp - a parameter whose valid values have no gap.
// SPDX-License-Identifier: MIT
// Source   DnnSAT (Gao et al. 2021) Sec. IV-E, where users declare it; here it follows from the
//          operations, as in diagram/constraint_program.hpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/expression/visit_leaf.hpp>
#include <attune/declare/table.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/diagram/interval.hpp>
#include <attune/space/diagram/trend.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Bounds of all expressions of a space over the whole of its parameters.
class expression_bounds {
public:
    explicit expression_bounds(description const& space)
        : space_(space)
    {
        for (expression_node const& n : space.nodes)
            values_.push_back(is_leaf(n.code) ? visit_leaf(space, n, leaf_bounds{space})
                                              : bounds_of(n));
    }

    /// Whether the truth of the expression at `root` only rises, or only falls, with `parameter`
    /// while the others are fixed.
    [[nodiscard]] bool has_trend(std::uint32_t root, std::uint32_t parameter) const
    {
        std::vector<trend> trends;
        for (std::size_t i = 0; i <= root; ++i)
            trends.push_back(trend_at(i, parameter, trends));
        return trend_of_truth(trends[root], values_[root].about.range) != trend::unknown;
    }

private:
    struct bounded {
        outlook about;
        bool is_real = false;
    };

    struct leaf_bounds {
        description const& space;

        [[nodiscard]] bounded constant(number v) const
        {
            bool const is_number = v.as_real() == v.as_real();
            return {{is_number ? settled(v.as_real(), v.as_real(), v.is_real) : interval{}},
                    v.is_real};
        }
        [[nodiscard]] bounded text(std::string const&) const { return {}; }
        [[nodiscard]] bounded input(input_description const& of) const
        {
            return of.value ? constant(*of.value) : bounded{{{}, true, false}};
        }
        [[nodiscard]] bounded whole(std::uint32_t parameter) const
        {
            parameter_description const& p = space.parameters[parameter];
            if (p.traits().is_interval) return {{settled(p.low, p.high, true)}, true};
            std::uint32_t const last = p.value_count() - 1;
            double low = infinite;
            double high = -infinite;
            bool is_real = false;
            for (std::uint32_t i = 0; i <= last; i = p.range_count > 0 && i < last ? last : i + 1) {
                number const v = number_at(p, {i, 0});
                is_real = v.is_real;
                low = std::min(low, v.as_real());
                high = std::max(high, v.as_real());
            }
            return {{settled(low, high, is_real)}, is_real};
        }
        [[nodiscard]] bounded element(std::uint32_t parameter, std::int64_t) const
        {
            parameter_description const& p = space.parameters[parameter];
            double high = p.parts;
            for (std::int64_t const v : p.integers)
                high = std::max(high, static_cast<double>(v));
            return {{settled(0, high, false)}};
        }
        [[nodiscard]] bounded item_position(std::uint32_t parameter, std::int64_t) const
        {
            return {{{0, static_cast<double>(space.parameters[parameter].parts)}}};
        }
    };

    [[nodiscard]] bounded bounds_of(expression_node const& n) const
    {
        bounded operands[3];
        std::uint32_t const from[3] = {n.first, n.second, n.third};
        for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(n.code)); ++k)
            operands[k] = values_[from[k]];
        auto const& [a, b, c] = operands;
        bool real = !yields_truth(n.code) && (a.is_real || b.is_real);
        if (n.code == op::select) {
            real = n.real != 0 || b.is_real || c.is_real;
            // The value may be an integer or a real.
            if (n.real == 0 && b.is_real != c.is_real) return {{{}, true}, true};
        }
        return {look_ahead(n.code, a.about, b.about, c.about, real, a.is_real || b.is_real), real};
    }

    [[nodiscard]] trend trend_at(std::size_t at, std::uint32_t parameter,
                                 std::vector<trend> const& trends) const
    {
        expression_node const& n = space_.nodes[at];
        if (n.code == op::parameter) return n.subject == parameter ? trend::rises : trend::stays;
        if (is_leaf(n.code))
            return names_parameter(n.code) && n.subject == parameter ? trend::unknown
                                                                     : trend::stays;
        trend t[3] = {trend::stays, trend::stays, trend::stays};
        interval r[3];
        std::uint32_t const from[3] = {n.first, n.second, n.third};
        for (std::size_t k = 0; k < static_cast<std::size_t>(operand_count(n.code)); ++k) {
            t[k] = trends[from[k]];
            r[k] = values_[from[k]].about.range;
        }
        trend const out = trend_of(n.code, t, r);
        outlook const& about = values_[at].about;
        bool const is_loose = about.may_fail || !about.range.is_bounded();
        return out != trend::stays && is_loose ? trend::unknown : out;
    }

    description const& space_;
    std::vector<bounded> values_; // of each node
};

/// Whether the parameter is a number whose values ascend with the index.
[[nodiscard]] inline bool ascends(parameter_description const& p)
{
    if (p.range_count > 0) return p.rule.step > 0;
    if (p.traits().is_list || !p.labels.empty()) return false;
    return std::is_sorted(p.integers.begin(), p.integers.end()) &&
           std::is_sorted(p.reals.begin(), p.reals.end());
}

/// The parameter with the most values among those in which each condition has one trend; no_index
/// without one of three values or more.
[[nodiscard]] inline std::uint32_t filter_parameter(description const& space)
{
    expression_bounds const bounds(space);
    std::vector<condition> const conditions = conditions_of(space);
    std::uint32_t best = no_index;
    std::uint32_t most = 2;
    for (std::uint32_t p = 0; p < space.parameters.size(); ++p) {
        std::uint32_t const count = space.parameters[p].value_count(); // 0 for an interval
        if (count <= most || !ascends(space.parameters[p])) continue;
        bool const has_all =
            std::all_of(conditions.begin(), conditions.end(), [&](condition const& c) {
                return !std::binary_search(c.scope.begin(), c.scope.end(), p) ||
                       (c.root != no_index && bounds.has_trend(c.root, p));
            });
        if (!has_all) continue;
        best = p;
        most = count;
    }
    return best;
}

} // namespace attune::inline ATTUNE_ABI::detail
