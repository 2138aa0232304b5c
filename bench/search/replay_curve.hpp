// bench/search/replay_curve.hpp - how one search went, and what the protocols of two papers ask of many.
// SPDX-License-Identifier: MIT
// Source   Hellsten et al., "BaCO", ASPLOS 2023, Fig. 5 and Tables 5 to 9; Willemsen et al. 2021,
//          Sec. IV-B and Fig. 4
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace bench {

/// What an evaluation takes where it is a look-up: a compilation, say, and some runs.
struct evaluation_cost {
    double each_ms = 0; ///< whatever the configuration is, also where it fails
    double runs = 0;    ///< times of the configuration besides
};

/// One run: after every evaluation the best time so far (infinite before the first success) and
/// whether that evaluation failed.
struct replay_curve {
    std::vector<double> best_ms;
    std::vector<bool> failed;
    std::vector<double> thought_s; ///< processor seconds up to then
    double cpu_s = 0;
    std::vector<double> own_ms; ///< time of that configuration; 0: it failed

    /// The best after `evaluations`; a run that ended early keeps its best.
    [[nodiscard]] double best_after(std::size_t evaluations) const
    {
        std::size_t const n = std::min(evaluations, best_ms.size());
        return n == 0 ? std::numeric_limits<double>::infinity() : best_ms[n - 1];
    }
    /// Seconds that its first `evaluations` take, searching not included.
    [[nodiscard]] double evaluations_s(std::size_t evaluations, evaluation_cost const& of) const
    {
        std::size_t const n = std::min(evaluations, own_ms.size());
        double ms = of.each_ms * static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i)
            ms += of.runs * own_ms[i];
        return 1e-3 * ms;
    }
    /// How many evaluations end within these seconds, searching included.
    [[nodiscard]] std::size_t evaluations_within(double wall_s, evaluation_cost const& of) const
    {
        std::size_t out = 0;
        while (out < own_ms.size() && thought_s[out] + evaluations_s(out + 1, of) <= wall_s)
            ++out;
        return out;
    }
};

/// The mean over runs of expert / best after `evaluations`: above 1 is better than the expert, 0 is
/// a run in which nothing has worked (Tables 6 to 8).
[[nodiscard]] inline double relative_to_expert(std::vector<replay_curve> const& runs,
                                               std::size_t evaluations, double expert_ms)
{
    double sum = 0;
    for (replay_curve const& run : runs)
        sum += expert_ms / run.best_after(evaluations);
    return runs.empty() ? 0 : sum / static_cast<double>(runs.size());
}

/// The runs that are at least as good as the expert after `evaluations` (Table 5).
[[nodiscard]] inline std::size_t reached_expert(std::vector<replay_curve> const& runs,
                                                std::size_t evaluations, double expert_ms)
{
    return static_cast<std::size_t>(
        std::count_if(runs.begin(), runs.end(), [&](replay_curve const& run) {
            return run.best_after(evaluations) <= expert_ms;
        }));
}

/// The mean over runs of the best after `evaluations`; infinite until something worked in each.
[[nodiscard]] inline double mean_best(std::vector<replay_curve> const& runs,
                                      std::size_t evaluations)
{
    double sum = 0;
    for (replay_curve const& run : runs)
        sum += run.best_after(evaluations) / static_cast<double>(runs.size());
    return sum;
}

/// The first number of evaluations, at most `longest`, after which the mean best is `target_ms` or
/// better; nothing when there is none (Fig. 4).
[[nodiscard]] inline std::optional<std::size_t>
evaluations_to(std::vector<replay_curve> const& runs, double target_ms, std::size_t longest)
{
    for (std::size_t n = 1; n <= longest; ++n)
        if (mean_best(runs, n) <= target_ms) return n;
    return {};
}

/// How many times sooner than `budget` the runs `of` reach what `other` has at its end (Table 9);
/// nothing when they do not reach it.
[[nodiscard]] inline std::optional<double> times_sooner(std::vector<replay_curve> const& of,
                                                        std::vector<replay_curve> const& other,
                                                        std::size_t budget)
{
    std::optional<std::size_t> const n = evaluations_to(of, mean_best(other, budget), budget);
    if (!n) return {};
    return static_cast<double>(budget) / static_cast<double>(*n);
}

/// What an expert is taken to reach where none is known: the time that `percent` of the times at
/// hand do not exceed.
/// @param times    at least one
/// @param percent  in (0, 100]
[[nodiscard]] inline double expert_among(std::vector<double> times, double percent)
{
    double const share = percent / 100 * static_cast<double>(times.size());
    std::size_t const place =
        std::min(times.size(), std::max<std::size_t>(1, static_cast<std::size_t>(share))) - 1;
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(place),
                     times.end());
    return times[place];
}

} // namespace bench
