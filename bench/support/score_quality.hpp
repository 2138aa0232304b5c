// bench/support/score_quality.hpp - how well predicted scores agree with measured ones.
// SPDX-License-Identifier: MIT
// Source   RMSE and average peak score as apache/tvm 0.27 logs them (cost_model/xgb_model.py);
//          Rocke 2024 Sec. 4.3 compares models by them
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace bench {

/// sqrt(mean of (predicted - measured)^2), in units of scores; 0 without programs.
/// @pre  one predicted score per measured one
[[nodiscard]] inline double score_rmse(std::span<double const> predicted,
                                       std::span<double const> measured)
{
    double sum = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i)
        sum += (predicted[i] - measured[i]) * (predicted[i] - measured[i]);
    return predicted.empty() ? 0 : std::sqrt(sum / static_cast<double>(predicted.size()));
}

/// What it costs to try programs in the order of their predicted scores: the mean, over the first
/// `count` tries, of the best measured score so far over the best of all. 1: the best program comes
/// first.
/// @pre  one predicted score per measured one; count > 0
/// @return  0 without programs, or where no measured score is positive
[[nodiscard]] inline double average_peak_score(std::span<double const> predicted,
                                               std::span<double const> measured,
                                               std::size_t count = 32)
{
    std::vector<std::size_t> order(predicted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return predicted[a] != predicted[b] ? predicted[a] > predicted[b] : a < b;
    });
    double const most = measured.empty() ? 0 : *std::max_element(measured.begin(), measured.end());
    if (!(most > 0)) return 0;
    double so_far = 0;
    double sum = 0;
    count = std::min(count, order.size());
    for (std::size_t i = 0; i < count; ++i) {
        so_far = std::max(so_far, measured[order[i]]);
        sum += so_far / most;
    }
    return sum / static_cast<double>(count);
}

} // namespace bench
