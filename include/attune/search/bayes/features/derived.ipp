// attune/search/bayes/features/derived.ipp - collects features in one pass over the constraints.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/search/bayes/features/derived.hpp>
#include <attune/space/conditions/conditions.hpp>

#include <bit>
#include <cmath>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Collects the result of features_of_constraints().
class constraint_features {
public:
    constraint_features(description const& space, std::vector<bool> const& varies)
        : space_(space)
        , varies_(varies)
    {
    }

    void take(constraint_description const& constraint)
    {
        if (constraint.root == no_index || constraint.settles != no_index) return;
        joins_ = varying(constraint.root) > 1;
        visit(constraint.root);
    }

    [[nodiscard]] std::vector<derived_feature> taken() && { return std::move(out_); }

private:
    void visit(std::uint32_t root)
    {
        expression_node const& n = space_.nodes[root];
        if (is_remainder(n.code)) take_remainder(root);
        if (joins_ && is_comparison(n.code)) {
            take_side(n.first);
            take_side(n.second);
        }
        int const operands = operand_count(n.code);
        if (operands > 0) visit(n.first);
        if (operands > 1) visit(n.second);
        if (operands > 2) visit(n.third);
    }

    [[nodiscard]] std::size_t varying(std::uint32_t root) const
    {
        std::size_t count = 0;
        for (std::uint32_t const p : parameters_read(space_, root))
            count += varies_[p] ? 1U : 0U;
        return count;
    }

    void take_side(std::uint32_t side)
    {
        op const code = space_.nodes[side].code;
        if (operand_count(code) == 0 || is_remainder(code) || varying(side) == 0) return;
        add({derivation::value, side, no_index, {}, text_of_node(space_, space_.nodes[side])});
    }

    void take_remainder(std::uint32_t root)
    {
        expression_node const& n = space_.nodes[root];
        std::size_t const read = varying(root);
        if (read == 1) {
            add({derivation::flag, root, no_index, {}, text_of_node(space_, n) + " != 0"});
        } else if (read > 1) {
            expression_node quotient = n;
            quotient.code = op::divide;
            add({derivation::ratio, n.first, n.second, {}, text_of_node(space_, quotient)});
        }
    }

    void add(derived_feature feature)
    {
        feature.scope = parameters_read(space_, feature.first);
        if (feature.second != no_index)
            for (std::uint32_t const p : parameters_read(space_, feature.second))
                feature.scope.push_back(p);
        sort_unique(feature.scope);
        bool const known = std::any_of(out_.begin(), out_.end(), [&](derived_feature const& f) {
            return f.how == feature.how && f.first == feature.first && f.second == feature.second;
        });
        if (!known) out_.push_back(std::move(feature));
    }

    description const& space_;
    std::vector<bool> const& varies_;
    bool joins_ = false; // the constraint reads two varying parameters or more
    std::vector<derived_feature> out_;
};

ATTUNE_INLINE std::vector<derived_feature> features_of_user(description const& space)
{
    std::vector<derived_feature> out;
    for (feature_description const& f : space.features)
        out.push_back(
            {derivation::value, f.root, no_index, parameters_read(space, f.root), f.text});
    return out;
}

ATTUNE_INLINE std::vector<derived_feature> features_of_constraints(description const& space,
                                                                   std::vector<bool> const& varies)
{
    constraint_features found(space, varies);
    for (constraint_description const& c : space.constraints)
        found.take(c);
    return std::move(found).taken();
}

ATTUNE_INLINE std::vector<derived_feature> features_of_alignment(description const& space,
                                                                 std::vector<bool> const& varies)
{
    std::vector<derived_feature> out;
    for (std::uint32_t i = 0; i < space.parameters.size(); ++i) {
        parameter_description const& p = space.parameters[i];
        bool const counts = p.traits().is_ordered;
        if (!counts || !varies[i] || p.integers.empty()) continue;
        auto const is_power = [](std::int64_t v) {
            return std::has_single_bit(static_cast<std::uint64_t>(v));
        };
        bool const positive =
            std::all_of(p.integers.begin(), p.integers.end(), [](std::int64_t v) { return v > 0; });
        if (positive && !std::all_of(p.integers.begin(), p.integers.end(), is_power))
            out.push_back({derivation::alignment, i, no_index, {i}, "alignment of " + p.name});
    }
    return out;
}

ATTUNE_INLINE std::optional<double>
value_of(description const& space, derived_feature const& feature, std::span<coordinate const> p)
{
    evaluator const read(space);
    std::optional<double> out;
    if (feature.how == derivation::alignment) {
        std::int64_t const v = space.parameters[feature.first].integers[p[feature.first].index];
        return std::countr_zero(static_cast<std::uint64_t>(v));
    }
    std::optional<number> const first = read.value(feature.first, p);
    if (!first) return {};
    switch (feature.how) {
    case derivation::ratio: {
        std::optional<number> const second = read.value(feature.second, p);
        if (!second || second->as_real() == 0) return {};
        out = first->as_real() / second->as_real();
        break;
    }
    case derivation::flag:
        out = first->as_real() != 0 ? 1 : 0;
        break;
    default:
        out = first->as_real();
        break;
    }
    return std::isfinite(*out) ? out : std::nullopt;
}

ATTUNE_INLINE derived_column::derived_column(description const& space, derived_feature formula,
                                             std::span<point const> seen, std::uint32_t most)
    : space_(&space)
    , formula_(std::move(formula))
{
    std::size_t stride = 1;
    for (std::uint32_t const p : formula_.scope) {
        strides_.push_back(stride);
        stride *= std::min<std::size_t>(space.parameters[p].value_count(), most_settings + 1);
        stride = std::min(stride, most_settings + 1);
    }
    bool const few = stride > 0 && stride <= most_settings; // 0: reads a real parameter
    std::vector<std::optional<double>> values;
    std::vector<double> occurring;
    if (few) {
        values = values_of_settings();
        std::vector<char> occurs(values.size(), 0);
        for (point const& p : seen)
            occurs[setting_of(p)] = 1;
        for (std::size_t s = 0; s < values.size(); ++s)
            if (occurs[s] && values[s]) occurring.push_back(*values[s]);
    } else {
        for (point const& p : seen)
            values.push_back(value_of(space, formula_, p));
        for (std::optional<double> const& v : values)
            if (v) occurring.push_back(*v);
    }
    make_scale(std::move(occurring), most);
    std::vector<std::uint32_t>& levels = few ? table_ : seen_;
    for (std::optional<double> const& v : values)
        levels.push_back(scale_.level_of(v));
    if (few)
        for (point const& p : seen)
            seen_.push_back(table_[setting_of(p)]);
}

ATTUNE_INLINE std::vector<std::optional<double>> derived_column::values_of_settings() const
{
    std::vector<std::optional<double>> out;
    point at(space_->parameters.size());
    for (;;) {
        out.push_back(value_of(*space_, formula_, at));
        std::size_t i = 0;
        for (; i < formula_.scope.size(); ++i) {
            coordinate& c = at[formula_.scope[i]];
            if (++c.index < space_->parameters[formula_.scope[i]].value_count()) break;
            c.index = 0;
        }
        if (i == formula_.scope.size()) return out;
    }
}

ATTUNE_INLINE void derived_column::make_scale(std::vector<double> occurring, std::uint32_t most)
{
    std::sort(occurring.begin(), occurring.end());
    occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
    if (occurring.empty()) occurring.push_back(0); // undefined everywhere: constant
    bool const by_ratio = formula_.how == derivation::value || formula_.how == derivation::ratio;
    is_rounded_ = occurring.size() > most;
    scale_ =
        level_scale(occurring, by_ratio ? spacing_for(occurring.front()) : spacing::linear, most);
}

} // namespace attune::inline ATTUNE_ABI::detail
