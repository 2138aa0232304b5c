// bench/search/level_quality.hpp - how well scores foretold what a search on two levels measured.
// SPDX-License-Identifier: MIT
// Source   Rocke 2024 Sec. 4.3.1 and 4.4.1: average score, RMSE, share of invalid programs
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/two_level/two_level_search.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "../support/score_quality.hpp"

namespace bench {

/// Of one round, or of several.
struct level_quality {
    double invalid = 0; ///< share of the suggestions that make no program
    double score = 0;   ///< mean predicted score of what was chosen to be measured
    double rmse = 0;    ///< of these scores
    double peak = 0;    ///< average peak score of the order of the predicted values
};

/// A predicted score is relative to the best value known when its round began; so is the score that
/// it is compared with: that best over the own value, at most 1 as predicted ones, 0 of a failure.
/// Rounds that began without a success have no scores.
/// @param outcome_of  of each configuration in a batch; values are positive
[[nodiscard]] inline level_quality
quality_of(std::span<attune::two_level_round const> rounds,
           std::function<attune::outcome(attune::point const&)> const& outcome_of)
{
    double valid = 0;
    double invalid = 0;
    double sum = 0;
    std::vector<double> predicted;
    std::vector<double> measured;
    std::vector<double> predicted_speed; // 1 / value
    std::vector<double> speed;
    for (attune::two_level_round const& round : rounds) {
        valid += static_cast<double>(round.valid);
        invalid += static_cast<double>(round.invalid);
        if (!(round.best > 0)) continue;
        for (attune::two_level_round::chosen const& one : round.batch) {
            attune::outcome const result = outcome_of(one.where);
            auto const* const m = std::get_if<attune::measurement>(&result);
            sum += one.score;
            predicted.push_back(one.score);
            measured.push_back(m != nullptr ? std::min(1.0, round.best / m->value) : 0);
            predicted_speed.push_back(one.score / round.best);
            speed.push_back(m != nullptr ? 1 / m->value : 0);
        }
    }
    return {invalid / std::max(1.0, valid + invalid),
            predicted.empty() ? 0 : sum / static_cast<double>(predicted.size()),
            score_rmse(predicted, measured), average_peak_score(predicted_speed, speed)};
}

} // namespace bench
