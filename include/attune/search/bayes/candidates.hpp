// attune/search/bayes/candidates.hpp - the configurations that the acquisition scores, and the user's weights of them.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3.3 (uniform draws, then points that differ in one parameter); own: whole
//          spaces where affordable, and walks from the best points
// Source   weights: Hvarfner et al. 2022 (piBO), eq. (6): acquisition times prior^(beta / n)
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/activity.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/declare/point.hpp>
#include <attune/declare/table.hpp>
#include <attune/search/bayes/design.hpp>
#include <attune/search/bayes/features/feature_map.hpp>
#include <attune/space/tree/tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The product of the priors of all parameters that have one.
class user_prior {
public:
    /// @param space  bound; must outlive this object
    explicit user_prior(description const& space)
        : space_(&space)
    {
        for (std::uint32_t i = 0; i < space.parameters.size(); ++i) {
            prior_description const& prior = space.parameters[i].prior;
            if (prior.weights.empty() && !(prior.deviation > 0)) continue;
            believed_.push_back(i);
            if_inactive_.push_back(
                space.parameters[i].is_conditional() ? log_mean_weight(space.parameters[i]) : 0);
        }
    }

    /// True without any prior: every weight is 1.
    [[nodiscard]] bool is_flat() const noexcept { return believed_.empty(); }

    /// Sum over parameters of log weight, or of -z^2 / 2 for a normal density. z is the distance
    /// from `centre` in deviations (of logarithms on a log scale). A weight that is not positive
    /// counts as 1e-12: a prior is no constraint. An inactive parameter counts as the mean weight
    /// of its values.
    [[nodiscard]] double log_weight(point const& p) const
    {
        double total = 0;
        for (std::size_t k = 0; k < believed_.size(); ++k)
            total += is_active(*space_, believed_[k], p)
                         ? log_weight_of(space_->parameters[believed_[k]], p[believed_[k]])
                         : if_inactive_[k];
        return total;
    }

private:
    [[nodiscard]] static double log_weight_of(parameter_description const& parameter, coordinate at)
    {
        prior_description const& prior = parameter.prior;
        if (at.index < prior.weights.size())
            return std::log(std::max(prior.weights[at.index], 1e-12));
        if (!(prior.deviation > 0)) return 0;
        double value = number_at(parameter, at).as_real();
        double centre = prior.centre;
        if (parameter.on == scale::log && value > 0 && centre > 0) {
            value = std::log(value);
            centre = std::log(centre);
        }
        double const z = (value - centre) / prior.deviation;
        return -0.5 * z * z;
    }

    /// The logarithm of the mean weight; for a long table or an interval, over 1024 places.
    [[nodiscard]] static double log_mean_weight(parameter_description const& parameter)
    {
        std::uint32_t const values = parameter.value_count();
        std::uint32_t const places = values == 0 ? 1024 : std::min(values, std::uint32_t{1024});
        double sum = 0;
        for (std::uint32_t i = 0; i < places; ++i) {
            coordinate at;
            if (values == 0)
                at.real = scale_value(parameter, (i + 0.5) / places);
            else
                at.index = static_cast<std::uint32_t>(std::uint64_t{values} * i / places);
            sum += std::exp(log_weight_of(parameter, at));
        }
        return std::log(std::max(sum / places, 1e-12));
    }

    description const* space_;
    std::vector<std::uint32_t> believed_;
    std::vector<double> if_inactive_; // parallel to believed_
};

/// Rows 0 .. size() - 1. A row is open until its point has been seen.
class candidate_rows {
public:
    /// @param unseen, prior  must outlive this object
    /// @param enumerate      in spaces of at most this many points, all are candidates
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
    /// By row: 0 if its point has been seen.
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
    /// Appends the points that are neither seen nor candidates. @return their features
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
    std::vector<point> points_; ///< empty if all points of the space are candidates
    std::unordered_map<point, std::size_t, point_hash> row_;
    std::vector<char> open_;
    std::vector<double> log_weight_;
};

/// Draws `count` points uniformly from a space with too many points for candidates.
inline void draw_uniform(chain_of_trees const& space, std::size_t count, random_engine& engine,
                         std::vector<point>& out)
{
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(space.sample(engine));
}

/// The neighbours of `centre`, and of the points on `walks` random walks of two steps from it. In a
/// huge space, good points are more often near a good point than in uniform draws.
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
