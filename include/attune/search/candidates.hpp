// attune/search/candidates.hpp - the configurations among which the next one is chosen.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       a space, the points seen so far, the best of them
// Out      candidates with their features: the whole space while it is modest, else a sample of it
// Source   BaCO Sec. 3.3 (uniform draws, then points that differ in one parameter); exhaustive
// while
//          that is affordable is ours
// Depends  std only
// Tests    tests/search/candidates.cpp
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/gp/features.hpp>
#include <attune/search/unseen.hpp>
#include <attune/search/user_prior.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune {

/// Candidates and what scoring needs of them; the vectors run in parallel.
struct candidate_set {
    std::vector<point> points;
    std::vector<char> open;         ///< 0: seen, not to be chosen
    std::vector<double> log_weight; ///< user_prior
    gp::feature_table table;
};

/// Where candidates come from.
class candidate_source {
public:
    struct limits {
        std::size_t enumerate = 20000; ///< spaces of at most so many points are taken whole
        std::size_t fresh = 2000;      ///< uniform draws per step otherwise
    };

    /// All three must outlive this object.
    candidate_source(unseen_points const& unseen,
                     gp::feature_map const& features,
                     user_prior const& prior,
                     limits const& bounds)
        : unseen_(unseen)
        , features_(features)
        , prior_(prior)
        , limits_(bounds)
    {
        std::optional<leaf_count> const size = unseen.space().size();
        whole_ = !unseen.space().has_real_parameters() && size && *size <= bounds.enumerate;
    }

    [[nodiscard]] bool takes_whole_space() const noexcept { return whole_; }

    /// The candidates of this step: all points, or draws plus the neighbours of `around`.
    /// Valid until the next call.
    [[nodiscard]] candidate_set const& propose(random_engine& engine, std::span<point const> around)
    {
        if (whole_) {
            if (set_.points.empty()) enumerate();
            return set_;
        }
        set_ = {};
        std::unordered_set<point, point_hash> taken;
        for (std::size_t i = 0; i < limits_.fresh; ++i)
            offer(unseen_.space().sample(engine), taken);
        for (point const& centre : around)
            for (point& p : unseen_.space().neighbours(centre))
                offer(std::move(p), taken);
        return set_;
    }

    /// Closes the candidate `p`, which has been seen just now.
    void close(point const& p)
    {
        auto const place = row_.find(p);
        if (place != row_.end()) set_.open[place->second] = 0;
    }

private:
    void add(point p)
    {
        features_.append(p, set_.table);
        set_.log_weight.push_back(prior_.is_flat() ? 0.0 : prior_.log_weight(p));
        set_.points.push_back(std::move(p));
        set_.open.push_back(1);
    }
    void offer(point p, std::unordered_set<point, point_hash>& taken)
    {
        if (!unseen_.has_seen(p) && taken.insert(p).second) add(std::move(p));
    }
    void enumerate()
    {
        std::uint64_t const size = static_cast<std::uint64_t>(*unseen_.space().size());
        for (std::uint64_t i = 0; i < size; ++i) {
            add(unseen_.space().at(i));
            point const& p = set_.points.back();
            row_.emplace(p, set_.points.size() - 1);
            if (unseen_.has_seen(p)) set_.open.back() = 0;
        }
    }

    unseen_points const& unseen_;
    gp::feature_map const& features_;
    user_prior const& prior_;
    limits limits_;
    bool whole_ = false;
    candidate_set set_;
    std::unordered_map<point, std::size_t, point_hash> row_;
};

} // namespace attune
