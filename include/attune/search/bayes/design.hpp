// attune/search/bayes/design.hpp - the unseen points of a space, and the interface of the first choices among them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A space and the set of its seen points.
class unseen_points {
public:
    explicit unseen_points(chain_of_trees space)
        : space_(std::move(space))
    {
    }

    [[nodiscard]] chain_of_trees const& space() const noexcept { return space_; }
    [[nodiscard]] std::size_t seen_count() const noexcept { return seen_.size(); }
    [[nodiscard]] bool has_seen(point const& p) const { return seen_.contains(p); }
    /// Marks `p` as seen. @return true if it was unseen
    bool mark(point const& p) { return seen_.insert(p).second; }

    /// An unseen point, which stays unmarked; nothing if all are seen.
    ///
    /// Uniform if 64 draws find one, which fails once in a thousand calls when 90 % are seen.
    /// Otherwise the first unseen point from a uniformly drawn index on, because seen_count() + 1
    /// consecutive points include one. If points have no 64-bit index (real parameters, more than
    /// 2^64 points), 1024 more draws are tried.
    [[nodiscard]] std::optional<point> draw(random_engine& engine) const
    {
        if (std::optional<point> p = try_samples(engine, 64)) return p;
        std::optional<leaf_count> const size = space_.size();
        if (space_.has_real_parameters() || !size ||
            *size > leaf_count{std::numeric_limits<std::uint64_t>::max()})
            return try_samples(engine, 1024);

        std::uint64_t const points = static_cast<std::uint64_t>(*size);
        std::uint64_t index = uniform_below(engine, points);
        std::uint64_t const steps = std::min<std::uint64_t>(points, seen_.size() + 1);
        for (std::uint64_t i = 0; i < steps; ++i) {
            point p = space_.at(index);
            if (!seen_.contains(p)) return p;
            index = index + 1 < points ? index + 1 : 0;
        }
        return {};
    }

private:
    [[nodiscard]] std::optional<point> try_samples(random_engine& engine, int draws) const
    {
        for (int i = 0; i < draws; ++i) {
            point p = space_.sample(engine);
            if (!seen_.contains(p)) return p;
        }
        return {};
    }

    chain_of_trees space_;
    std::unordered_set<point, point_hash> seen_;
};

struct design_options {
    /// Successful configurations that complete the design.
    std::size_t working = 10;
    /// The most configurations that are tried, however few succeed.
    std::size_t attempts = 20;
    /// Configurations tried before all others, such as the default.
    std::vector<point> first{};
};

/// Gives the first configurations of a search.
/// - D(space, options, engine): constructed at the first ask().
/// - next(unseen, worked, pending, engine): an unseen configuration, which stays unmarked. Nothing
///   if the design is complete: `worked` successes and `pending` unknown outcomes reach
///   options.working, options.attempts were given, or the space is exhausted. Random choices use
///   only `engine`.
/// tests/laws/design.hpp checks this.
template <class D>
concept design =
    std::constructible_from<D, chain_of_trees const&, design_options, random_engine&> &&
    requires(D d, unseen_points const& unseen, std::size_t count, random_engine& engine) {
        { d.next(unseen, count, count, engine) } -> std::same_as<std::optional<point>>;
    };

} // namespace attune::inline ATTUNE_ABI
