// attune/ship/report/model_course.hpp - how well the search's model predicted its outcomes, as the tuning went on.
// SPDX-License-Identifier: MIT
// Source   average peak score and RMSE as in bench/support/score_quality.hpp, where programs have scores:
//          here the score of an outcome is the best time by its own
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/problem/problem.hpp>

#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Predictions whose error is one figure: as many as search/bayes/prediction_record.hpp judges by.
inline constexpr std::size_t error_window = 30;
/// Outcomes that the average peak score takes in the order of their predictions.
inline constexpr std::size_t peak_count = 32;
/// Predictions with a time before there is a figure.
inline constexpr std::size_t fewest_predictions = 5;

/// What is known after some outcomes.
struct model_step {
    std::size_t outcomes = 0;  ///< all so far
    std::size_t predicted = 0; ///< of these, those that the model chose and expected a time of
    double rmse = 0;           ///< of log time, over the last `error_window` with a time
    /// Average peak score of those so far: the mean, over the first `peak_count` in the order of
    /// the expected time, of the best time of all by the best time up to there; a failure has none.
    double peak = 0;
};

struct model_course {
    std::vector<model_step> steps{}; ///< evenly over the predictions; the last is the end
    std::size_t predicted = 0;       ///< outcomes that a model expected a time of
    std::size_t failed = 0;          ///< of these, those that have none
    double rmse = 0;                 ///< of log time, over all that have one
};

/// @param rows  oldest first
/// @param most  steps, at most
/// @return  no steps where fewer than `fewest_predictions` have a time
/// Cost     O(n log n) for n rows, and O(n) a step
[[nodiscard]] model_course course_of(std::vector<tried_row> const& rows, std::size_t most = 60);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/report/model_course.ipp>
#endif
