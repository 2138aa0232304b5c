// attune/search/bayes/candidates.hpp - the configurations that the acquisition scores.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.3 (uniform draws, then points that differ in one parameter); own: whole
//          spaces where affordable, and walks from the best points
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/search/bayes/unseen.hpp>
#include <attune/search/bayes/user_prior.hpp>
#include <attune/space/tree/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Rows 0 .. size() - 1. A row is open until its point has been seen.
class candidate_rows {
public:
    /// @param unseen, prior  must outlive this object
    /// @param enumerate      spaces of at most this many points are taken whole
    candidate_rows(unseen_points const& unseen, feature_map features, user_prior const& prior,
                   std::size_t enumerate)
        : unseen_(&unseen)
        , features_(std::move(features))
        , prior_(&prior)
    {
        std::optional<leaf_count> const size = unseen.space().size();
        whole_ = !unseen.space().has_real_parameters() && size && *size <= enumerate;
    }

    [[nodiscard]] bool takes_whole_space() const noexcept { return whole_; }
    [[nodiscard]] std::size_t size() const noexcept { return open_.size(); }
    /// row -> 0 when its point has been seen.
    [[nodiscard]] std::vector<char> const& open() const noexcept { return open_; }
    /// row -> user_prior::log_weight; empty without a user prior.
    [[nodiscard]] std::vector<double> const& log_weight() const noexcept { return log_weight_; }
    [[nodiscard]] point at(std::size_t row) const
    {
        return whole_ ? unseen_->space().at(std::uint64_t{row}) : points_[row];
    }

    /// The row of `p`, if it is a candidate.  @pre p is a point of the space
    [[nodiscard]] std::optional<std::size_t> row_of(point const& p) const
    {
        if (!whole_) {
            auto const found = row_.find(p);
            return found == row_.end() ? std::nullopt : std::optional(found->second);
        }
        std::optional<space_index> const index = unseen_->space().index_of(p);
        if (!index || open_.empty()) return {};
        leaf_count row = 0;
        for (std::size_t t = 0; t < index->leaf.size(); ++t)
            row = row * unseen_->space().tree_at(t).leaves() + index->leaf[t];
        return static_cast<std::size_t>(row);
    }
    /// Marks `p` as seen. @pre p is a point of the space
    void close(point const& p)
    {
        if (std::optional<std::size_t> const row = row_of(p)) open_[*row] = 0;
    }

    /// Makes all points of the space the candidates.  @return their features
    [[nodiscard]] feature_table enumerate()
    {
        clear();
        feature_table out;
        std::uint64_t const size = static_cast<std::uint64_t>(*unseen_->space().size());
        for (std::uint64_t i = 0; i < size; ++i)
            add(unseen_->space().at(i), out);
        return out;
    }
    /// Removes all candidates.
    void clear()
    {
        points_.clear();
        row_.clear();
        open_.clear();
        log_weight_.clear();
    }
    /// Appends those of `offered` that are neither seen nor candidates. @return their features
    [[nodiscard]] feature_table offer(std::vector<point> offered)
    {
        feature_table out;
        for (point& p : offered)
            if (!unseen_->has_seen(p) && !row_.contains(p)) add(std::move(p), out);
        return out;
    }

private:
    void add(point p, feature_table& out)
    {
        features_.append(p, out);
        open_.push_back(unseen_->has_seen(p) ? 0 : 1);
        if (!prior_->is_flat()) log_weight_.push_back(prior_->log_weight(p));
        if (whole_) return;
        row_.emplace(p, points_.size());
        points_.push_back(std::move(p));
    }

    unseen_points const* unseen_;
    feature_map features_;
    user_prior const* prior_;
    bool whole_ = false;
    std::vector<point> points_; ///< empty if the space is taken whole
    std::unordered_map<point, std::size_t, point_hash> row_;
    std::vector<char> open_;
    std::vector<double> log_weight_;
};

/// `count` uniform draws from a space that is not taken whole.
inline void draw_uniform(chain_of_trees const& space, std::size_t count, random_engine& engine,
                         std::vector<point>& out)
{
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(space.sample(engine));
}

/// The neighbours of `centre`, and of the points on `walks` random walks of two steps from it. In a
/// huge space, good points are more often near a good point than among uniform draws.
/// Cost    1 + 2 * walks lists of neighbours
inline void draw_around(chain_of_trees const& space, point const& centre, std::size_t walks,
                        random_engine& engine, std::vector<point>& out)
{
    std::vector<point> const near = space.neighbours(centre);
    for (std::size_t w = 0; w < walks && !near.empty(); ++w) {
        std::vector<point> around = space.neighbours(near[uniform_below(engine, near.size())]);
        out.insert(out.end(), around.begin(), around.end());
        if (around.empty()) continue;
        around = space.neighbours(around[uniform_below(engine, around.size())]);
        out.insert(out.end(), around.begin(), around.end());
    }
    out.insert(out.end(), near.begin(), near.end());
}

} // namespace attune::inline ATTUNE_ABI::detail
