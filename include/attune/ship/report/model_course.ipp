// attune/ship/report/model_course.ipp - errors and peak scores after each of some outcomes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/report/detail/usable_time.hpp>
#include <attune/ship/report/model_course.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// An outcome whose time the model had predicted.
struct predicted_outcome {
    double expected_s = 0;
    double time_s = 0; ///< 0: it failed
    std::size_t row = 0;
};

[[nodiscard]] inline double squared_error(predicted_outcome const& of)
{
    double const error = std::log(of.expected_s) - std::log(of.time_s);
    return error * error;
}

/// @param some  not empty; with a time in it
[[nodiscard]] inline double peak_of(std::vector<predicted_outcome> some)
{
    double best_s = HUGE_VAL;
    for (predicted_outcome const& one : some)
        if (one.time_s > 0) best_s = std::fmin(best_s, one.time_s);
    auto const count = static_cast<std::ptrdiff_t>(std::min(peak_count, some.size()));
    std::partial_sort(some.begin(), some.begin() + count, some.end(),
                      [](predicted_outcome const& a, predicted_outcome const& b) {
                          return a.expected_s != b.expected_s ? a.expected_s < b.expected_s
                                                              : a.row < b.row;
                      });
    double so_far = 0, sum = 0;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        double const time_s = some[static_cast<std::size_t>(i)].time_s;
        if (time_s > 0) so_far = std::fmax(so_far, best_s / time_s);
        sum += so_far;
    }
    return sum / static_cast<double>(count);
}

ATTUNE_INLINE model_course course_of(std::vector<tried_row> const& rows, std::size_t most)
{
    model_course out;
    std::vector<predicted_outcome> all;
    std::vector<double> squares; // of those with a time
    std::vector<std::size_t> timed_until;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        double const expected_s = rows[r].predicted_s;
        if (!(expected_s > 0) || !std::isfinite(expected_s)) continue;
        measurement const* const time = usable_time(rows[r]);
        if (time == nullptr && succeeded(rows[r].result)) continue;
        all.push_back({expected_s, time != nullptr ? time->value : 0, r});
        if (time != nullptr) squares.push_back(squared_error(all.back()));
        timed_until.push_back(squares.size());
    }
    out.predicted = all.size();
    out.failed = all.size() - squares.size();
    auto const root_of_mean = [&](std::size_t from, std::size_t to) {
        double sum = 0;
        for (std::size_t i = from; i < to; ++i)
            sum += squares[i];
        return std::sqrt(sum / static_cast<double>(to - from));
    };
    if (squares.size() < fewest_predictions || most == 0) return out;
    out.rmse = root_of_mean(0, squares.size());
    std::size_t first = 0; // predictions until there is a figure
    while (timed_until[first] < fewest_predictions)
        ++first;
    std::size_t const possible = all.size() - first;
    std::size_t const count = std::min(most, possible);
    for (std::size_t i = 1; i <= count; ++i) {
        std::size_t const last = first + (possible * i) / count - 1;
        std::size_t const timed = timed_until[last];
        auto const end = all.begin() + static_cast<std::ptrdiff_t>(last + 1);
        out.steps.push_back({.outcomes = all[last].row + 1,
                             .predicted = last + 1,
                             .rmse = root_of_mean(timed - std::min(timed, error_window), timed),
                             .peak = peak_of({all.begin(), end})});
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
