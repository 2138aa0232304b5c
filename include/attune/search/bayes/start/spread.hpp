// attune/search/bayes/start/spread.hpp - configurations far from each other, each equally likely.
// SPDX-License-Identifier: MIT
// Source   stratified_sample(): McKay, Beckman, Conover 1979 (Latin hypercube sampling); own: one
//          dimension per tree, the number of the leaf, so that every point is valid
//
// The maximin criterion (Johnson, Moore, Ylvisaker 1990; as the sum of d^-p of Morris & Mitchell
// 1995) alone prefers the boundary of the space. Here several designs exchange points of one
// uniform pool until all are spread out, then one design is drawn. Every configuration of the pool
// is in exactly one design, so each is equally likely.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/distance.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// 0 .. count - 1 in random order: the stratum of each configuration in one dimension.
[[nodiscard]] inline std::vector<std::uint32_t> random_strata(std::size_t count,
                                                              random_engine& engine)
{
    std::vector<std::uint32_t> out(count);
    for (std::size_t i = 0; i < count; ++i)
        out[i] = static_cast<std::uint32_t>(i);
    shuffle(std::span(out), engine);
    return out;
}

/// `count` valid configurations. Every tree's leaves, and the scale of every real parameter, are
/// divided into `count` equal strata with one configuration each. Strata are combined at random.
/// Configurations may repeat: a tree may have fewer leaves than strata.
///
/// Each configuration is uniform over the leaves. A configuration that a constraint over real
/// parameters refuses is replaced by a uniform sample.
/// Cost    one random number and one walk per tree and configuration
[[nodiscard]] inline std::vector<point> stratified_sample(chain_of_trees const& space,
                                                          std::size_t count, random_engine& engine)
{
    description const& declared = space.describe();
    std::vector<point> out(count, point(declared.parameters.size()));
    if (count == 0) return out;
    for (std::size_t t = 0; t < space.tree_count(); ++t) {
        tree const& from = space.tree_at(t);
        std::vector<std::uint32_t> const stratum = random_strata(count, engine);
        bool const fits = from.leaves() < uncountable / count;
        for (std::size_t i = 0; i < count; ++i) {
            // stratum * leaves + x is uniform below count * leaves, hence its quotient is below
            // leaves.
            leaf_count leaf = uniform_leaf(engine, from.leaves());
            if (fits) leaf = (stratum[i] * from.leaves() + leaf) / count;
            from.place(leaf, out[i]);
        }
    }
    for (std::size_t p = 0; p < declared.parameters.size(); ++p) {
        parameter_description const& parameter = declared.parameters[p];
        if (!parameter.traits().is_interval) continue;
        std::vector<std::uint32_t> const stratum = random_strata(count, engine);
        for (std::size_t i = 0; i < count; ++i)
            out[i][p].real = scale_value(parameter, (stratum[i] + uniform_unit(engine)) /
                                                        static_cast<double>(count));
    }
    if (space.has_real_parameters())
        for (point& p : out) {
            p = space.settled(std::move(p));
            if (!space.contains(p)) p = space.sample(engine);
        }
    return out;
}

/// Distinct configurations, each uniform, in random order; fewer if the space has no more.
[[nodiscard]] inline std::vector<point> uniform_pool(chain_of_trees const& space,
                                                     std::size_t wanted, random_engine& engine)
{
    std::optional<leaf_count> const size = space.size();
    bool const is_crowded = !space.has_real_parameters() && size && *size < 16 * leaf_count{wanted};
    if (is_crowded) return sample_distinct(space, wanted, engine);
    std::vector<point> out;
    std::unordered_set<point, point_hash> taken;
    for (point& p : stratified_sample(space, wanted, engine))
        if (taken.insert(p).second) out.push_back(std::move(p));
    for (int tries = 0; out.size() < wanted && tries < 10'000; ++tries) {
        point p = space.sample(engine);
        if (taken.insert(p).second) out.push_back(std::move(p));
    }
    return out;
}

/// Designs that share a pool: row i belongs to design i % designs until rows change places.
class competing_designs {
public:
    competing_designs(chain_of_trees const& space, std::span<point const> pool, std::size_t designs)
        : rows_(pool.size())
        , designs_(designs)
        , repulsion_(rows_ * rows_, 0)
        , row_(rows_)
    {
        description const& declared = space.describe();
        std::vector<point> at;
        for (point const& p : pool)
            at.push_back(with_inactive_marked(declared, p));
        for (std::size_t i = 0; i < rows_; ++i) {
            row_[i] = static_cast<std::uint32_t>(i);
            for (std::size_t j = 0; j < i; ++j)
                repulsion_[i * rows_ + j] = repulsion_[j * rows_ + i] =
                    force(marked_distance(declared, at[i], at[j]));
        }
    }

    /// Exchanges rows of different designs while that reduces the total, at most `sweeps` times.
    void settle(int sweeps)
    {
        for (bool improved = true; improved && sweeps > 0; --sweeps) {
            improved = false;
            for (std::size_t a = 0; a < rows_; ++a)
                for (std::size_t b = a + 1; b < rows_; ++b) {
                    if (a % designs_ == b % designs_) continue;
                    double const now = pressure(row_[a], a, a) + pressure(row_[b], b, b);
                    double const then = pressure(row_[b], a, a) + pressure(row_[a], b, b);
                    if (then >= now * (1 - 1e-12)) continue;
                    std::swap(row_[a], row_[b]);
                    improved = true;
                }
        }
    }

    [[nodiscard]] std::vector<std::uint32_t> rows_of(std::size_t design) const
    {
        std::vector<std::uint32_t> out;
        for (std::size_t place = design; place < rows_; place += designs_)
            out.push_back(row_[place]);
        return out;
    }

private:
    /// d^-8: dominated by the closest pair, but every pair counts.
    [[nodiscard]] static double force(double d)
    {
        double const squared = std::max(d * d, 1e-6);
        double const fourth = squared * squared;
        return 1 / (fourth * fourth);
    }
    /// Sum of forces on row `row`, if at `place`, from the other rows of that place's design.
    [[nodiscard]] double pressure(std::uint32_t row, std::size_t place, std::size_t leave_out) const
    {
        double sum = 0;
        for (std::size_t other = place % designs_; other < rows_; other += designs_)
            if (other != leave_out) sum += repulsion_[row * rows_ + row_[other]];
        return sum;
    }

    std::size_t rows_;
    std::size_t designs_;
    std::vector<double> repulsion_; // rows x rows, symmetric
    std::vector<std::uint32_t> row_;
};

/// `count` distinct valid configurations in random order, farther apart than random ones; all of
/// them, shuffled, if the space has no more. Each one is uniform over leaves. From 65
/// configurations on they are only stratified.
/// Cost    about 8000 distances, and per sweep one pass over all pairs of 128 configurations: 10 ms
[[nodiscard]] inline std::vector<point> spread_sample(chain_of_trees const& space,
                                                      std::size_t count, random_engine& engine)
{
    constexpr std::size_t pool_size = 128;
    constexpr int sweeps = 10;
    if (count == 0) return {};
    std::size_t designs = std::max<std::size_t>(1, pool_size / count);
    std::vector<point> pool = uniform_pool(space, designs * count, engine);
    if (pool.size() <= count) return pool;
    designs = pool.size() / count; // fewer if the space is smaller than the pool
    pool.resize(designs * count);
    if (designs == 1) return pool;
    competing_designs competition(space, pool, designs);
    competition.settle(sweeps);
    std::vector<std::uint32_t> chosen = competition.rows_of(uniform_below(engine, designs));
    shuffle(std::span(chosen), engine);
    std::vector<point> out;
    for (std::uint32_t const row : chosen)
        out.push_back(pool[row]);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
