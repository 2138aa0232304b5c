// attune/search/bayes/features/derived_column.ipp - evaluates a formula once per setting or point.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/features/derived_column.hpp>

#include <algorithm>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

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
