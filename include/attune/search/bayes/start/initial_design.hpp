// attune/search/bayes/start/initial_design.hpp - an initial design by any sampling of the space.
// SPDX-License-Identifier: MIT
// Source   Willemsen et al. 2021 Sec. III-E (an even design; random configurations replace failures
//          until enough are valid); spread.hpp defines even
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/start/child_wise.hpp>
#include <attune/search/bayes/start/design.hpp>
#include <attune/search/bayes/start/latin_hypercube.hpp>
#include <attune/search/bayes/start/spread.hpp>
#include <attune/search/bayes/unseen.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Configurations far from each other, each uniform over the leaves.
struct spread_sampling {
    [[nodiscard]] static std::vector<point> plan(chain_of_trees const& space, std::size_t count,
                                                 random_engine& engine)
    {
        return detail::spread_sample(space, count, engine);
    }
    [[nodiscard]] static std::optional<point> draw(unseen_points const& unseen,
                                                   random_engine& engine)
    {
        return unseen.draw(engine);
    }
};
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

/// A design without outcomes: the caller passes how many worked.
/// @tparam Sampling  plan(space, count, engine) gives the first ones, draw(unseen, engine) replaces
///                   failures
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

    /// The next configuration to try; nothing when the design is complete: enough worked or are
    /// pending, all attempts are spent, or the space is exhausted.
    /// @param unseen   skips seen points; the result is not marked
    /// @param worked   number of successes so far
    /// @param pending  number of configurations without an outcome yet
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
