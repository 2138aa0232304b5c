// attune/search/bayes/features/feature_map.ipp - makes features of parameters, then derived ones.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/group.hpp>
#include <attune/search/bayes/features/derived.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/features/parameter_features.hpp>
#include <attune/space/query/configurations.hpp>

#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI {

struct feature_map::state {
    chain_of_trees space;
    detail::distinct_conditions conditions;
    std::vector<detail::parameter_feature> parameters;
    std::vector<detail::derived_column> derived;

    state(chain_of_trees chain, feature_options const& options)
        : space(std::move(chain))
        , conditions(space.describe())
    {
        description const& d = space.describe();
        std::optional<description> const changed = with_orders(d, options.orders);
        description const& laid_out = changed ? *changed : d;
        detail::parameter_layout const layout = layout_of(d, options.places);
        marginals const counts(space, detail::most_listed_values);
        std::vector<bool> varies(d.parameters.size(), false);
        for (std::uint32_t i = 0; i < d.parameters.size(); ++i) {
            std::vector<bool> occurs;
            for (leaf_count const leaves : counts.leaves(i))
                occurs.push_back(leaves > 0);
            std::vector<detail::parameter_feature> features;
            if (group_description const* const g = d.group_of(i);
                g != nullptr && g->traits().is_order)
                features = i == g->first ? detail::features_of_items(*g)
                                         : std::vector<detail::parameter_feature>{};
            else if (std::size_t const t = counts.tree_of(i);
                     occurs.empty() && !d.parameters[i].traits().is_interval)
                features = detail::features_of_many(laid_out, i, space.tree_at(t), layout);
            else
                features = detail::features_of(laid_out, i, occurs, max_levels, layout);
            varies[i] = !features.empty();
            for (detail::parameter_feature& f : features)
                parameters.push_back(std::move(f));
        }
        std::vector<detail::derived_feature> formulas;
        auto const add = [&](std::vector<detail::derived_feature> found) {
            for (detail::derived_feature& f : found)
                formulas.push_back(std::move(f));
        };
        if (options.from_user) add(detail::features_of_user(d));
        if (options.from_constraints) add(detail::features_of_constraints(d, varies));
        if (options.from_alignment) add(detail::features_of_alignment(d, varies));
        if (!formulas.empty()) keep_useful(std::move(formulas), options);
    }

    /// Calls `level(f, level)` or `real(f, position)` for every feature of a parameter.
    template <class Level, class Real>
    void read(point const& p, Level const& level, Real const& real) const
    {
        description const& d = space.describe();
        std::vector<char> const holds = conditions.at(d, p);
        std::vector<std::uint32_t> place; // of each item of the order that is read
        std::uint32_t order_read = no_index;
        for (std::size_t f = 0; f < parameters.size(); ++f) {
            detail::parameter_feature const& feature = parameters[f];
            if (feature.read == detail::parameter_feature::reading::item) {
                if (order_read != feature.parameter) {
                    order_read = feature.parameter;
                    place = detail::places_of_items(detail::order_of(d, order_read, p));
                }
                level(f, place[feature.part]);
                continue;
            }
            coordinate const at = p[feature.parameter];
            parameter_description const& of = d.parameters[feature.parameter];
            bool const is_inactive =
                feature.has_inactive && holds[conditions.of(feature.parameter)] == 0;
            if (feature.levels == 0)
                real(f, is_inactive ? 0.5 : feature.position_at(of, at));
            else
                level(f, is_inactive ? feature.levels - 1 : feature.level_at(of, at));
        }
    }

    [[nodiscard]] bool is_derived(std::size_t f) const noexcept { return f >= parameters.size(); }
    [[nodiscard]] detail::derived_column const& derived_at(std::size_t f) const noexcept
    {
        return derived[f - parameters.size()];
    }
    /// The coordinates of the levels of feature `f`.
    [[nodiscard]] std::vector<double> const& places(std::size_t f) const noexcept
    {
        return is_derived(f) ? derived_at(f).scale().places() : parameters[f].places;
    }

private:
    /// `d` with another metric of all permutations, if there is one.
    [[nodiscard]] static std::optional<description>
    with_orders(description const& d, std::optional<order_distance> metric)
    {
        if (!metric) return {};
        description out = d;
        for (parameter_description& p : out.parameters)
            p.metric = *metric;
        return out;
    }
    [[nodiscard]] static detail::parameter_layout layout_of(description const& d,
                                                            value_places places)
    {
        std::size_t longest = 1;
        for (parameter_description const& p : d.parameters)
            if (!p.traits().is_interval && !p.traits().is_list)
                longest = std::max<std::size_t>(longest, p.value_count());
        return {places, 1.0 / static_cast<double>(longest)};
    }
    [[nodiscard]] std::vector<point> points_to_see(feature_options const& options) const
    {
        std::optional<leaf_count> const size = space.size();
        std::vector<point> out;
        if (size && *size <= options.enumerate && !space.has_real_parameters()) {
            for (point const& p : configurations(space))
                out.push_back(p);
            return out;
        }
        random_engine engine(options.seed);
        while (out.size() < options.sample)
            out.push_back(space.sample(engine));
        return out;
    }

    void keep_useful(std::vector<detail::derived_feature> formulas, feature_options const& options)
    {
        description const& d = space.describe();
        std::vector<point> const seen = points_to_see(options);
        std::vector<std::vector<std::uint32_t>> levels(parameters.size());
        std::vector<std::vector<double>> lines(parameters.size());
        for (point const& p : seen)
            read(
                p, [&](std::size_t f, std::uint32_t level) { levels[f].push_back(level); },
                [&](std::size_t f, double position) { lines[f].push_back(position); });
        auto const repeats_parameter = [&](detail::derived_column const& made) {
            for (std::size_t f = 0; f < parameters.size(); ++f) {
                detail::parameter_feature const& feature = parameters[f];
                bool const alone = made.formula().scope == std::vector{feature.parameter};
                if (!lines[f].empty()) {
                    if (alone && detail::follows(made.seen_levels(), lines[f])) return true;
                    continue;
                }
                if (detail::repeats(column_of(made),
                                    {levels[f], feature.levels, feature.dimensions == 1}))
                    return true;
                if (alone && made.is_rounded() && feature.dimensions == 1) {
                    std::vector<double> line;
                    for (std::uint32_t const level : levels[f])
                        line.push_back(feature.places[level]);
                    if (detail::follows(made.seen_levels(), line)) return true;
                }
            }
            return false;
        };
        for (detail::derived_feature& formula : formulas) {
            if (derived.size() >= options.max_derived) break;
            detail::derived_column made(d, std::move(formula), seen, options.max_derived_levels);
            if (made.scale().places().size() < 2 || repeats_parameter(made)) continue;
            bool const known = std::any_of(derived.begin(), derived.end(), [&](auto const& other) {
                return detail::repeats(column_of(made), column_of(other));
            });
            if (!known) derived.push_back(std::move(made));
        }
        for (detail::derived_column& kept : derived)
            kept.forget_seen();
    }
    [[nodiscard]] static detail::level_column column_of(detail::derived_column const& made)
    {
        std::size_t const levels = made.scale().places().size();
        return {made.seen_levels(), static_cast<std::uint32_t>(levels), true};
    }
};

ATTUNE_INLINE feature_map::feature_map(chain_of_trees const& space, feature_options const& options)
    : state_(std::make_shared<state const>(space, options))
{
}

ATTUNE_INLINE feature_map
feature_map::with(std::shared_ptr<detail::code_metric_columns const> more) const
{
    feature_map out = *this;
    out.more_ = std::move(more);
    return out;
}

ATTUNE_INLINE chain_of_trees const& feature_map::space() const noexcept { return state_->space; }
ATTUNE_INLINE std::size_t feature_map::own_count() const noexcept
{
    return state_->parameters.size() + state_->derived.size();
}
ATTUNE_INLINE std::size_t feature_map::count() const noexcept
{
    return own_count() + (more_ ? more_->count() : 0);
}
ATTUNE_INLINE std::string const& feature_map::name(std::size_t f) const noexcept
{
    if (f >= own_count()) return more_->name(f - own_count());
    return is_derived(f) ? state_->derived_at(f).formula().name : state_->parameters[f].name;
}
ATTUNE_INLINE bool feature_map::is_derived(std::size_t f) const noexcept
{
    return state_->is_derived(f);
}
ATTUNE_INLINE std::uint32_t feature_map::levels(std::size_t f) const noexcept
{
    if (f >= own_count()) return detail::code_metric_columns::levels;
    if (is_derived(f)) return static_cast<std::uint32_t>(state_->places(f).size());
    return state_->parameters[f].levels;
}
ATTUNE_INLINE bool feature_map::is_nominal(std::size_t f) const noexcept
{
    return levels(f) > 0 && dimensions(f) == 0;
}
ATTUNE_INLINE std::size_t feature_map::dimensions(std::size_t f) const noexcept
{
    if (f >= own_count()) return detail::code_metric_columns::dimensions;
    if (is_derived(f) || levels(f) == 0) return 1;
    return state_->parameters[f].dimensions;
}
ATTUNE_INLINE std::span<double const> feature_map::place(std::size_t f,
                                                         std::uint32_t level) const noexcept
{
    std::size_t const n = dimensions(f);
    if (f >= own_count())
        return std::span(detail::code_metric_columns::places()).subspan(level * n, n);
    return std::span(state_->places(f)).subspan(level * n, n);
}
ATTUNE_INLINE double feature_map::position(std::size_t f, feature_table const& table,
                                           std::size_t row) const noexcept
{
    if (levels(f) == 0) return table.real[f][row];
    return state_->places(f)[table.level[f][row]];
}
ATTUNE_INLINE double feature_map::distance(std::size_t f, std::uint32_t a,
                                           std::uint32_t b) const noexcept
{
    if (a == b) return 0;
    std::span<double const> const at_a = place(f, a);
    std::span<double const> const at_b = place(f, b);
    if (at_a.empty()) return 1;
    double sum = 0;
    for (std::size_t i = 0; i < at_a.size(); ++i)
        sum += (at_a[i] - at_b[i]) * (at_a[i] - at_b[i]);
    return std::min(1.0, std::sqrt(sum));
}

ATTUNE_INLINE void feature_map::append(point const& p, feature_table& table) const
{
    table.level.resize(count());
    table.real.resize(count());
    state_->read(
        p, [&](std::size_t f, std::uint32_t level) { table.level[f].push_back(level); },
        [&](std::size_t f, double position) { table.real[f].push_back(position); });
    std::size_t column = state_->parameters.size();
    for (detail::derived_column const& made : state_->derived)
        table.level[column++].push_back(made.level_at(p));
    ++table.points;
    if (more_) more_->append(p, table);
}

ATTUNE_INLINE bool feature_map::has_metrics_of(point const& p) const
{
    return more_ && more_->has_metrics_of(p);
}

} // namespace attune::inline ATTUNE_ABI
