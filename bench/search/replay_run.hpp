// bench/search/replay_run.hpp - one searcher on one measured space, and what many such runs say.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/search/searcher.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../support/estimate.hpp"
#include "../support/interleaved.hpp"
#include "../support/median.hpp"
#include "replay_curve.hpp"

namespace bench {

/// What an evaluation of a point gives.
using evaluator = std::function<attune::outcome(attune::point const&)>;

/// Asks for one point at a time until `budget` different ones were evaluated or none is left. The
/// processor time is that of the whole run, making the searcher and looking outcomes up included.
/// Errors  std::runtime_error when a searcher repeats itself for 10 * budget questions
[[nodiscard]] inline replay_curve replay(attune::chain_of_trees const& space,
                                         evaluator const& evaluate,
                                         attune::search_factory const& make, std::size_t budget,
                                         std::uint64_t seed)
{
    replay_curve out;
    double best = std::numeric_limits<double>::infinity();
    std::unordered_set<attune::point, attune::point_hash> seen;
    double const begin = thread_seconds();
    attune::any_searcher searcher = make(space, seed);
    for (std::size_t questions = 0; out.best_ms.size() < budget; ++questions) {
        if (questions > 10 * budget) throw std::runtime_error("the searcher repeats itself");
        std::vector<attune::point> const asked = searcher.ask(1);
        if (asked.empty()) break;
        attune::outcome const result = evaluate(asked.front());
        searcher.tell(asked.front(), result);
        if (!seen.insert(asked.front()).second) continue;
        auto const* const m = std::get_if<attune::measurement>(&result);
        if (m != nullptr) best = std::min(best, m->value);
        out.best_ms.push_back(best);
        out.failed.push_back(m == nullptr);
        out.own_ms.push_back(m != nullptr ? m->value : 0);
        out.thought_s.push_back(thread_seconds() - begin);
    }
    out.cpu_s = thread_seconds() - begin;
    return out;
}

/// Means over runs of one searcher on one space.
struct replay_summary {
    /// best possible / best found after so many evaluations; NaN: more than the budget
    double frac_20 = 0, frac_40 = 0, frac_60 = 0, frac_100 = 0, frac_220 = 0;
    /// their standard errors; NaN for one run
    double error_40 = 0, error_100 = 0, error_220 = 0;
    double mae_ms = 0;                   ///< mean over evaluations 40, 60, ... of the excess
    double mae_rel = 0;                  ///< the same, divided by the best possible
    std::optional<double> evals_to_5pct; ///< median; nothing when most runs did not get there
    double reached_5pct = 0;             ///< share of runs
    double failures = 0;                 ///< per run
    double failures_after_40 = 0;        ///< share of the evaluations after the 40th
    double cpu_ms_per_suggestion = 0;
};

/// Three digits; "na" for NaN.
[[nodiscard]] inline std::string fraction_text(double fraction)
{
    if (std::isnan(fraction)) return "na";
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", fraction);
    return text;
}

/// @param curves   at least one
/// @param best_ms  best possible
/// @param budget   evaluations that a run was given
[[nodiscard]] inline replay_summary summarise(std::vector<replay_curve> const& curves,
                                              double best_ms, std::size_t budget)
{
    replay_summary out;
    double const runs = static_cast<double>(curves.size());
    auto const fraction_after = [&](std::size_t k) {
        double const none = std::numeric_limits<double>::quiet_NaN();
        if (k > budget) return estimate{none, none};
        std::vector<double> of;
        for (replay_curve const& c : curves)
            of.push_back(best_ms / c.best_after(k));
        return estimate_of(of);
    };
    out.frac_20 = fraction_after(20).mean;
    out.frac_60 = fraction_after(60).mean;
    auto const keep = [](estimate const& of, double& fraction, double& error) {
        fraction = of.mean;
        error = of.error;
    };
    keep(fraction_after(40), out.frac_40, out.error_40);
    keep(fraction_after(100), out.frac_100, out.error_100);
    keep(fraction_after(220), out.frac_220, out.error_220);
    std::vector<double> first_within;
    double late = 0;
    double suggestions = 0;
    double cpu_s = 0;
    for (replay_curve const& c : curves) {
        // A checkpoint beyond the budget is not reached.
        auto const best_after = [&](std::size_t k) { return c.best_after(std::min(k, budget)); };
        double excess = 0;
        int checkpoints = 0;
        for (std::size_t k = 40; k <= std::max<std::size_t>(budget, 40); k += 20, ++checkpoints)
            excess += best_after(k) - best_ms;
        out.mae_ms += excess / checkpoints / runs;
        double within = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < c.best_ms.size(); ++i) {
            if (c.best_ms[i] <= 1.05 * best_ms && std::isinf(within))
                within = static_cast<double>(i + 1);
            out.failures += c.failed[i] ? 1 / runs : 0;
            if (i >= 40) {
                out.failures_after_40 += c.failed[i] ? 1 : 0;
                late += 1;
            }
        }
        first_within.push_back(within);
        out.reached_5pct += std::isfinite(within) ? 1 / runs : 0;
        suggestions += static_cast<double>(c.best_ms.size());
        cpu_s += c.cpu_s;
    }
    out.mae_rel = out.mae_ms / best_ms;
    if (late > 0) out.failures_after_40 /= late;
    if (suggestions > 0) out.cpu_ms_per_suggestion = 1e3 * cpu_s / suggestions;
    double const within = median(std::move(first_within));
    if (std::isfinite(within)) out.evals_to_5pct = within;
    return out;
}

} // namespace bench
