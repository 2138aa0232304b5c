// attune/search/bayes/start/initial_design.hpp - an initial design by any sampling of the space; configurations far from each other.
// SPDX-License-Identifier: MIT
// Source   Willemsen et al. 2021 Sec. III-E (an even design, here of spread points; random
//          configurations replace failures until enough are valid)
// Source   child_wise_sampling: BaCO Sec. 4.2 describes it as the method of ATF (Rasch et al.).
//          Kept for comparison: chain_of_trees::sample() is uniform over leaves.
// Source   latin_hypercube_sampling: McKay, Beckman, Conover 1979; as the start of a search of
//          constrained spaces: Willemsen et al. 2021 Sec. III-E. Own: stratified_sample() has one
//          dimension per tree, the number of the leaf, so that every point is valid
//
// The maximin criterion (Johnson, Moore, Ylvisaker 1990; as the sum of d^-p of Morris & Mitchell
// 1995) alone prefers the boundary of the space. Here several designs exchange points of one
// uniform pool until all are spread out, then one design is drawn. Every configuration of the pool
// is in exactly one design, so each is equally likely.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/design.hpp>
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

/// Distinct valid configurations out of `count` of a Latin hypercube. The values of every parameter
/// are divided into `count` equal strata, each with one configuration. Strata are combined at
/// random. Configurations that break a constraint are left out: many in a sparse space.
/// Cost    two random numbers per parameter and configuration
[[nodiscard]] inline std::vector<point> latin_hypercube(chain_of_trees const& space,
                                                        std::size_t count, random_engine& engine)
{
    description const& declared = space.describe();
    std::vector<point> drawn(count, point(declared.parameters.size()));
    for (std::size_t p = 0; p < declared.parameters.size(); ++p) {
        parameter_description const& parameter = declared.parameters[p];
        std::vector<std::uint32_t> const stratum = random_strata(count, engine);
        for (std::size_t i = 0; i < count; ++i) {
            if (parameter.traits().is_interval) {
                double const at = (stratum[i] + uniform_unit(engine)) / static_cast<double>(count);
                drawn[i][p].real = scale_value(parameter, at);
                continue;
            }
            // stratum * values + x is uniform below count * values, hence its quotient is below
            // values.
            std::uint64_t const values = parameter.value_count();
            std::uint64_t const place = stratum[i] * values + uniform_below(engine, values);
            drawn[i][p].index = static_cast<std::uint32_t>(place / count);
        }
    }
    std::vector<point> out;
    std::unordered_set<point, point_hash> taken;
    for (point& p : drawn) {
        point settled = space.settled(std::move(p));
        if (space.contains(settled) && taken.insert(settled).second)
            out.push_back(std::move(settled));
    }
    return out;
}

/// Draws one setting of the parameters of `from` into `out`: each child of a node equally likely.
/// @param out  one coordinate per parameter of the space
inline void place_child_wise(tree const& from, random_engine& engine, std::span<coordinate> out)
{
    if (from.node_count() == 0) {
        from.place(uniform_leaf(engine, from.leaves()), out);
        return;
    }
    std::uint32_t node = static_cast<std::uint32_t>(from.node_count() - 1); // the root is last
    for (std::uint32_t const parameter : from.parameters()) {
        std::size_t const child = uniform_below(engine, from.values(node).size());
        out[parameter].index = from.values(node)[child];
        node = from.children(node)[child];
    }
}

/// A valid configuration, drawn child by child in every tree; real parameters uniform on their
/// scale. If constraints over real parameters refuse 1000 draws, a uniform sample instead.
/// Cost    one random number per parameter and draw
[[nodiscard]] inline point sample_child_wise(chain_of_trees const& space, random_engine& engine)
{
    description const& declared = space.describe();
    for (int attempt = 0; attempt < 1000; ++attempt) {
        point out(declared.parameters.size());
        for (std::size_t t = 0; t < space.tree_count(); ++t)
            place_child_wise(space.tree_at(t), engine, out);
        for (std::size_t p = 0; p < out.size(); ++p)
            if (declared.parameters[p].traits().is_interval)
                out[p].real = scale_value(declared.parameters[p], uniform_unit(engine));
        if (!space.has_real_parameters()) return out;
        out = space.settled(std::move(out));
        if (space.contains(out)) return out;
    }
    return space.sample(engine);
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// Independent configurations, uniform over the leaves.
struct uniform_sampling {
    [[nodiscard]] static std::vector<point> plan(chain_of_trees const&, std::size_t, random_engine&)
    {
        return {};
    }
    [[nodiscard]] static std::optional<point> draw(unseen_points const& unseen,
                                                   random_engine& engine)
    {
        return unseen.draw(engine);
    }
};
/// Configurations far from each other, each uniform over the leaves.
struct spread_sampling : uniform_sampling {
    [[nodiscard]] static std::vector<point> plan(chain_of_trees const& space, std::size_t count,
                                                 random_engine& engine)
    {
        return detail::spread_sample(space, count, engine);
    }
};
/// Biased towards sparse parts of the trees; for comparison.
struct child_wise_sampling : uniform_sampling {
    [[nodiscard]] static std::optional<point> draw(unseen_points const& unseen,
                                                   random_engine& engine)
    {
        for (int tries = 0; tries < 64; ++tries) {
            point p = detail::sample_child_wise(unseen.space(), engine);
            if (!unseen.has_seen(p)) return p;
        }
        return unseen.draw(engine);
    }
};

/// The valid configurations of a Latin hypercube; uniform ones replace those that are not valid.
struct latin_hypercube_sampling : uniform_sampling {
    [[nodiscard]] static std::vector<point> plan(chain_of_trees const& space, std::size_t count,
                                                 random_engine& engine)
    {
        return detail::latin_hypercube(space, count, engine);
    }
};

/// A design that needs no outcomes, only the number of successes.
/// @tparam Sampling  plan(space, count, engine) returns the first ones, draw(unseen, engine)
///                   replaces failures
template <class Sampling = spread_sampling>
class initial_design {
public:
    /// @param options  invalid configurations in `first` are ignored
    initial_design(chain_of_trees const& space, design_options options, random_engine& engine)
        : options_(std::move(options))
    {
        for (point& p : options_.first)
            if (space.contains(p) && std::find(plan_.begin(), plan_.end(), p) == plan_.end())
                plan_.push_back(std::move(p));
        options_.first.clear();
        if (plan_.size() >= options_.working) return;
        for (point& p : Sampling::plan(space, options_.working - plan_.size(), engine))
            plan_.push_back(std::move(p));
    }

    /// The next configuration to try. Nothing if the design is complete: enough succeeded or are
    /// pending, all attempts are spent, or the space is exhausted.
    /// @param unseen   skips seen points; the result is not marked
    /// @param worked   number of successes so far
    /// @param pending  number of configurations without an outcome
    [[nodiscard]] std::optional<point> next(unseen_points const& unseen, std::size_t worked,
                                            std::size_t pending, random_engine& engine)
    {
        if (worked + pending >= options_.working || given_ >= options_.attempts) return {};
        std::optional<point> out;
        while (place_ < plan_.size() && !out) {
            point const& p = plan_[place_++];
            if (!unseen.has_seen(p)) out = p;
        }
        if (!out) out = Sampling::draw(unseen, engine);
        if (out) ++given_;
        return out;
    }

    /// Number of configurations returned so far.
    [[nodiscard]] std::size_t given() const noexcept { return given_; }

private:
    design_options options_;
    std::vector<point> plan_;
    std::size_t place_ = 0;
    std::size_t given_ = 0;
};

using spread_design = initial_design<spread_sampling>; ///< the default
using uniform_design = initial_design<uniform_sampling>;
using child_wise_design = initial_design<child_wise_sampling>;
using latin_hypercube_design = initial_design<latin_hypercube_sampling>;

} // namespace attune::inline ATTUNE_ABI
