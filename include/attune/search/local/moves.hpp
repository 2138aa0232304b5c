// attune/search/local/moves.hpp - valid configurations near a given one.
// SPDX-License-Identifier: MIT
//
// "adjacent" and "Hamming" neighbours are those of Kernel Tuner (Willemsen et al.)
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/distance.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A normal number with mean 0 and standard deviation 1 (Box & Muller 1958).
[[nodiscard]] inline double normal_number(random_engine& engine)
{
    double const radius = std::sqrt(-2 * std::log(1 - uniform_unit(engine)));
    return radius * std::cos(2 * std::numbers::pi * uniform_unit(engine));
}

/// Neighbourhoods of one space. Every result is a valid configuration.
class moves {
public:
    explicit moves(chain_of_trees space)
        : space_(std::move(space))
    {
        for (std::uint32_t p = 0; p < parameters().size(); ++p)
            if (varies(parameters()[p])) varying_.push_back(p);
    }

    [[nodiscard]] chain_of_trees const& space() const noexcept { return space_; }
    /// The parameters with more than one value.
    [[nodiscard]] std::vector<std::uint32_t> const& varying() const noexcept { return varying_; }

    /// Configurations one step of one parameter away; if no such step is valid, the eight nearest.
    [[nodiscard]] std::vector<point> adjacent(point const& p) const
    {
        std::vector<point> out = space_.neighbours(p);
        return out.empty() ? nearest_valid(space_, p) : out;
    }

    /// `p` with each other valid value of one parameter, in order of declaration. Other parameters
    /// stay, and inactive ones are settled. None for an inactive parameter; a random choice from a
    /// table longer than `most`, and from an interval.
    [[nodiscard]] std::vector<point> line(point const& p, std::uint32_t parameter, std::size_t most,
                                          random_engine& engine) const
    {
        parameter_description const& along = parameters()[parameter];
        std::vector<point> out;
        if (!space_.is_active(parameter, p)) return out;
        point q = p;
        auto const offer = [&] {
            if (q[parameter] == p[parameter]) return;
            point to = space_.settled(q);
            if (space_.contains(to)) out.push_back(std::move(to));
        };
        bool const is_whole = !along.traits().is_interval && along.value_count() <= most;
        for (std::size_t i = 0; i < (is_whole ? along.value_count() : most); ++i) {
            q[parameter] = is_whole ? coordinate{static_cast<std::uint32_t>(i), 0}
                                    : random_coordinate(along, engine);
            offer();
        }
        return out;
    }

    /// Every valid configuration that differs in one parameter; see line() for long tables.
    [[nodiscard]] std::vector<point> hamming(point const& p, std::size_t most,
                                             random_engine& engine) const
    {
        std::vector<point> out;
        for (std::uint32_t const parameter : varying_)
            for (point& q : line(p, parameter, most, engine))
                out.push_back(std::move(q));
        return out;
    }

    /// A random configuration that differs in one parameter, each parameter equally likely if it
    /// has other valid values; nothing after 64 failed attempts.
    [[nodiscard]] std::optional<point> random_hamming(point const& p, random_engine& engine) const
    {
        for (int tries = 0; tries < 64 && !varying_.empty(); ++tries) {
            std::uint32_t const parameter = varying_[uniform_below(engine, varying_.size())];
            if (!space_.is_active(parameter, p)) continue;
            point q = p;
            q[parameter] = random_coordinate(parameters()[parameter], engine);
            if (q[parameter] == p[parameter]) continue;
            q = space_.settled(std::move(q));
            if (space_.contains(q)) return q;
        }
        return {};
    }

    /// A random element of adjacent(p).
    [[nodiscard]] std::optional<point> random_adjacent(point const& p, random_engine& engine) const
    {
        std::vector<point> const near = adjacent(p);
        if (near.empty()) return {};
        return near[uniform_below(engine, near.size())];
    }

    /// `p` with `count` parameters drawn anew, then repaired().
    [[nodiscard]] point scrambled(point p, std::size_t count, random_engine& engine) const
    {
        std::vector<std::uint32_t> order = varying_;
        shuffle(std::span(order), engine);
        order.resize(std::min(count, order.size()));
        for (std::uint32_t const parameter : order)
            p[parameter] = random_coordinate(parameters()[parameter], engine);
        return repaired(p, engine);
    }

    /// `p` with its inactive parameters settled if that is valid, else the valid configuration with
    /// the fewest parameters changed; a random one if a group has no tree.
    /// @param p  inside all tables and intervals
    [[nodiscard]] point repaired(point p, random_engine& engine) const
    {
        p = space_.settled(std::move(p));
        if (space_.contains(p)) return p;
        if (!space_.is_exact()) return space_.sample(engine);
        std::vector<point> const near = nearest_valid(space_, p, {.count = 1});
        return near.empty() ? space_.sample(engine) : near.front();
    }

    /// Uniform over the table, or over the scale of an interval.
    [[nodiscard]] static coordinate random_coordinate(parameter_description const& parameter,
                                                      random_engine& engine)
    {
        if (parameter.traits().is_interval)
            return {0, scale_value(parameter, uniform_unit(engine))};
        return {static_cast<std::uint32_t>(uniform_below(engine, parameter.value_count())), 0};
    }

private:
    [[nodiscard]] std::vector<parameter_description> const& parameters() const noexcept
    {
        return space_.describe().parameters;
    }
    [[nodiscard]] static bool varies(parameter_description const& parameter)
    {
        return parameter.traits().is_interval ? parameter.low < parameter.high
                                              : parameter.value_count() > 1;
    }

    chain_of_trees space_;
    std::vector<std::uint32_t> varying_;
};

} // namespace attune::inline ATTUNE_ABI::detail
