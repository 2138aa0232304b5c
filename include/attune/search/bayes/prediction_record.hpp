// attune/search/bayes/prediction_record.hpp - the prediction error of a model on its own choices.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/bayes/objective.hpp>
#include <attune/search/history.hpp>

#include <cstddef>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

class prediction_record {
public:
    static constexpr std::size_t window = 30; ///< number of latest points that count
    static constexpr std::size_t fewest = 20; ///< error() needs this many

    /// @param mean   expected of `p`, in units of `scale`
    void expect(point const& p, double mean, objective_scale const& scale)
    {
        open_.insert_or_assign(p, expectation{mean, scale});
    }
    /// Ignores points without expectation, and failures.
    void observe(point const& p, observation const& seen)
    {
        auto const found = open_.find(p);
        if (found == open_.end()) return;
        expectation const e = found->second;
        open_.erase(found);
        if (!seen.worked || !e.scale.accepts(seen.value)) return;
        latest_.emplace_back(e.mean, e.scale.to_model(seen.value));
        if (latest_.size() > window) latest_.pop_front();
    }

    /// The value expected of `p`, in the objective's unit, until its outcome is observed.
    [[nodiscard]] std::optional<double> expected_of(point const& p) const
    {
        auto const found = open_.find(p);
        if (found == open_.end()) return {};
        return found->second.scale.from_model(found->second.mean);
    }

    /// Mean squared error over the variance of the outcomes; nothing with fewer than `fewest`.
    [[nodiscard]] std::optional<double> error() const
    {
        if (latest_.size() < fewest) return {};
        double const n = static_cast<double>(latest_.size());
        double mean = 0;
        for (auto const& [expected, seen] : latest_)
            mean += seen / n;
        double squared = 0;
        double variance = 0;
        for (auto const& [expected, seen] : latest_) {
            squared += (seen - expected) * (seen - expected) / n;
            variance += (seen - mean) * (seen - mean) / n;
        }
        if (!(variance > 0)) return {};
        return squared / variance;
    }

private:
    struct expectation {
        double mean = 0;
        objective_scale scale;
    };

    std::unordered_map<point, expectation, point_hash> open_;
    std::deque<std::pair<double, double>> latest_; ///< expected, seen
};

} // namespace attune::inline ATTUNE_ABI::detail
