// attune/search/bayes/features/parameter_features.ipp - makes features, by kind of parameter.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/features/parameter_features.hpp>
#include <attune/space/query/distance.hpp>

#include <array>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::uint32_t parameter_feature::level_at(parameter_description const& p,
                                                        coordinate at) const
{
    switch (read) {
    case reading::position: {
        std::array<std::int64_t, max_permutation_items> items{};
        std::span<std::int64_t> const order(items.data(), p.parts);
        permutation_at(at.index, order);
        return static_cast<std::uint32_t>(
            std::find(order.begin(), order.end(), std::int64_t{part}) - order.begin());
    }
    case reading::factor:
        return scale.level_of(
            static_cast<double>(p.integers[std::size_t{at.index} * p.parts + part]));
    default:
        return of_index.empty() ? at.index : of_index[at.index];
    }
}

ATTUNE_INLINE double parameter_feature::position_at(parameter_description const& p,
                                                    coordinate at) const
{
    if (read == reading::real) return scale_position(p, at.real);
    if (read == reading::plain) return std::clamp((at.real - low) / (high - low), 0.0, 1.0);
    return std::clamp((spaced(number_at(p, at).as_real(), on) - low) / (high - low), 0.0, 1.0);
}

/// Levels on a line, from 0 for the lowest that occurs to 1 for the highest.
inline void lay_out_numbers(parameter_description const& p,
                            std::vector<std::uint32_t> const& occurring, bool is_continuous,
                            bool by_logarithm, parameter_feature& out)
{
    auto const number = [&](std::uint32_t v) { return number_at(p, {v, 0}).as_real(); };
    if (by_logarithm && occurring.size() > 2 && number(occurring.front()) > 0)
        out.on = spacing::log;
    out.low = spaced(number(occurring.front()), out.on);
    out.high = spaced(number(occurring.back()), out.on);
    if (is_continuous) return;
    out.dimensions = 1;
    for (std::uint32_t const v : occurring)
        out.places.push_back((spaced(number(v), out.on) - out.low) / (out.high - out.low));
}

/// Levels on a line, `step` apart in the table.
inline void lay_out_ranks(std::vector<std::uint32_t> const& occurring, double step,
                          parameter_feature& out)
{
    out.dimensions = 1;
    for (std::uint32_t const v : occurring)
        out.places.push_back(v * step);
}

/// The places of the values that occur, among those of all values.
inline void lay_out_embedding(parameter_description const& p,
                              std::vector<std::uint32_t> const& occurring, parameter_feature& out)
{
    std::vector<double> const all = embedding(p);
    out.dimensions = all.size() / p.value_count();
    for (std::uint32_t const v : occurring)
        for (std::size_t i = 0; i < out.dimensions; ++i)
            out.places.push_back(all[v * out.dimensions + i]);
}

/// The places of `count` items on a line.
[[nodiscard]] inline std::vector<double> places_on_line(std::uint32_t count)
{
    std::vector<double> out;
    for (std::uint32_t i = 0; i < count; ++i)
        out.push_back(i / (count - 1.0));
    return out;
}

/// One feature for each item of a wide permutation, each factor of a wide tile.
[[nodiscard]] inline std::vector<parameter_feature>
features_of_parts(parameter_description const& p, parameter_feature const& whole)
{
    std::vector<parameter_feature> out;
    for (std::uint32_t part = 0; part < p.parts; ++part) {
        parameter_feature f = whole;
        f.of_index.clear();
        f.part = part;
        f.dimensions = 1;
        if (p.traits().is_order) {
            f.read = parameter_feature::reading::position;
            f.name += ".position(" + std::to_string(part) + ')';
            f.levels = p.parts;
            f.places = places_on_line(p.parts);
        } else {
            f.read = parameter_feature::reading::factor;
            f.name += '[' + std::to_string(part) + ']';
            std::vector<double> factors;
            for (std::size_t i = part; i < p.integers.size(); i += p.parts)
                factors.push_back(static_cast<double>(p.integers[i]));
            std::sort(factors.begin(), factors.end());
            factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
            f.scale = level_scale(factors, spacing::log, ~std::uint32_t{0});
            f.places = f.scale.places();
            f.levels = static_cast<std::uint32_t>(f.places.size());
        }
        out.push_back(std::move(f));
    }
    return out;
}

/// Adds the level of an inactive parameter. Values get one more coordinate, which is above 0 only
/// for that level.
inline void add_inactive_level(parameter_feature& f)
{
    f.has_inactive = true;
    if (f.levels == 0) return;
    std::size_t const n = f.dimensions;
    std::uint32_t const values = f.levels++;
    if (n == 0) return;
    std::vector<double> low(f.places.begin(), f.places.begin() + static_cast<std::ptrdiff_t>(n));
    std::vector<double> high = low;
    for (std::size_t i = 0; i < f.places.size(); ++i) {
        low[i % n] = std::min(low[i % n], f.places[i]);
        high[i % n] = std::max(high[i % n], f.places[i]);
    }
    std::vector<double> out;
    double farthest = 0; // squared, from the middle
    for (std::uint32_t v = 0; v < values; ++v) {
        double squared = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double const place = f.places[v * n + i];
            double const off = place - (low[i] + high[i]) / 2;
            squared += off * off;
            out.push_back(place);
        }
        out.push_back(0);
        farthest = std::max(farthest, squared);
    }
    for (std::size_t i = 0; i < n; ++i)
        out.push_back((low[i] + high[i]) / 2);
    out.push_back(std::sqrt(std::max(0.0, 1 - farthest)));
    f.places = std::move(out);
    f.dimensions = n + 1;
}

/// The features of a parameter as if it were always active.
[[nodiscard]] inline std::vector<parameter_feature>
features_where_active(description const& space, std::uint32_t index,
                      std::vector<bool> const& occurs, std::uint32_t most, parameter_layout layout)
{
    parameter_description const& p = space.parameters[index];
    parameter_feature f;
    f.name = p.name;
    f.parameter = index;
    if (p.traits().is_interval) {
        if (!(p.low < p.high)) return {};
        bool const on_scale = layout.places == value_places::logarithmic;
        f.read = on_scale ? parameter_feature::reading::real : parameter_feature::reading::plain;
        f.low = p.low;
        f.high = p.high;
        return {f};
    }
    std::vector<std::uint32_t> occurring;
    std::vector<std::uint32_t> of_index; // unused values: level of the one before
    for (std::uint32_t v = 0; v < occurs.size(); ++v) {
        if (occurs[v]) occurring.push_back(v);
        of_index.push_back(
            static_cast<std::uint32_t>(std::max<std::size_t>(occurring.size(), 1) - 1));
    }
    if (occurring.size() < 2) return {};
    if (occurring.size() < occurs.size()) f.of_index = std::move(of_index);
    f.levels = static_cast<std::uint32_t>(occurring.size());
    bool const is_wide = f.levels > most;
    if (layout.places == value_places::ranked && !is_wide && !p.traits().is_list) {
        lay_out_ranks(occurring, layout.step, f);
        return {f};
    }
    if (p.traits().is_ordered) {
        if (is_wide) {
            f.read = parameter_feature::reading::number;
            f.levels = 0;
        }
        lay_out_numbers(p, occurring, is_wide, layout.places == value_places::logarithmic, f);
        return {f};
    }
    if (!p.traits().is_list || p.metric == order_distance::naive) return {f};
    if (is_wide) return features_of_parts(p, f);
    lay_out_embedding(p, occurring, f);
    return {f};
}

ATTUNE_INLINE std::vector<parameter_feature>
features_of(description const& space, std::uint32_t index, std::vector<bool> const& occurs,
            std::uint32_t most, parameter_layout layout)
{
    auto out = features_where_active(space, index, occurs, most, layout);
    if (space.parameters[index].is_conditional())
        for (parameter_feature& f : out)
            add_inactive_level(f);
    return out;
}

ATTUNE_INLINE std::vector<parameter_feature> features_of_many(description const& space,
                                                              std::uint32_t index,
                                                              tree const& values,
                                                              parameter_layout layout)
{
    parameter_description const& p = space.parameters[index];
    std::uint32_t const last = static_cast<std::uint32_t>(values.leaves()) - 1;
    parameter_feature f;
    f.name = p.name;
    f.parameter = index;
    std::vector<parameter_feature> out;
    if (p.traits().is_ordered && last > 0) {
        f.read = parameter_feature::reading::number;
        // Any value between suffices; their number has no effect.
        std::vector<std::uint32_t> ends{values.run_value(0), values.run_value(last)};
        if (last > 1) ends.insert(ends.begin() + 1, values.run_value(1));
        lay_out_numbers(p, ends, true, layout.places == value_places::logarithmic, f);
        out.push_back(std::move(f));
    } else if (p.traits().is_order && p.metric != order_distance::naive) {
        out = features_of_parts(p, f);
    }
    if (p.is_conditional())
        for (parameter_feature& one : out)
            add_inactive_level(one);
    return out;
}

ATTUNE_INLINE std::vector<parameter_feature> features_of_items(group_description const& order)
{
    std::vector<parameter_feature> out;
    parameter_feature f;
    f.parameter = order.first;
    f.read = parameter_feature::reading::item;
    f.levels = order.parts();
    f.dimensions = 1;
    f.places = places_on_line(f.levels);
    for (f.part = 0; f.part < f.levels; ++f.part) {
        f.name = order.name + ".position(" + std::to_string(f.part) + ')';
        out.push_back(f);
    }
    return out;
}

ATTUNE_INLINE std::vector<std::uint32_t> places_of_items(std::span<std::uint16_t const> order)
{
    std::vector<std::uint32_t> out(order.size());
    for (std::uint32_t place = 0; place < order.size(); ++place)
        out[order[place]] = place;
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
