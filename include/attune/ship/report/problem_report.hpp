// attune/ship/report/problem_report.hpp - the numbers of a report on a problem, each computed once.
// SPDX-License-Identifier: MIT
// Source   average peak score and RMSE as in bench/support/score_quality.hpp, where programs have scores:
//          here the score of an outcome is the best time by its own
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/call_coverage.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The row's number; null if it failed, if the number is not finite, or if it is a time that is not
/// positive.
[[nodiscard]] inline measurement const* usable_value(problem_objective const& of,
                                                     tried_row const& row) noexcept
{
    auto const* const m = std::get_if<measurement>(&row.result);
    bool const is_usable =
        m != nullptr && std::isfinite(m->value) && (m->value > 0 || !of.is_seconds);
    return is_usable ? m : nullptr;
}

/// Number of predictions behind an error, as in search/bayes/model/forecast.hpp.
inline constexpr std::size_t error_window = 30;
/// Number of outcomes behind the average peak score, in the order of their predictions.
inline constexpr std::size_t peak_count = 32;
/// Fewest predictions with a time for a figure.
inline constexpr std::size_t fewest_predictions = 5;

/// The figures after some outcomes.
struct model_step {
    std::size_t outcomes = 0;  ///< number of all so far
    std::size_t predicted = 0; ///< number of those that the model chose with an expected time
    double rmse = 0;           ///< error of log time, over the last `error_window` with a time
    /// Average peak score so far: the mean of (overall best time) / (best time up to there), over
    /// the first `peak_count` outcomes by expected time. A failure has no time.
    double peak = 0;
};

struct model_course {
    std::vector<model_step> steps{}; ///< evenly over the predictions; the last step is the end
    std::size_t predicted = 0;       ///< outcomes with a time expected by a model
    std::size_t failed = 0;          ///< number of those without a time
    double rmse = 0;                 ///< error of log time, over all with a time
};

/// @param rows  oldest first
/// @param most  largest number of steps
/// @return  no steps if fewer than `fewest_predictions` have a time
/// Cost     O(n log n) for n rows, and O(n) a step
[[nodiscard]] model_course course_of(std::vector<tried_row> const& rows,
                                     problem_objective const& of = {}, std::size_t most = 60);

/// The outcomes of all configurations with one value of a parameter.
struct level_effect {
    std::string value{};
    std::size_t measured = 0; ///< outcomes with a time
    std::size_t failed = 0;
    double best_s = 0; ///< the shortest time; 0: there is none
    double median_s = 0;
};

struct parameter_effect {
    std::string name{};
    /// Numbers ascending, then other texts, in which digits count as numbers. Outcomes with the
    /// inactive parameter are one level, the last.
    std::vector<level_effect> levels{};
    /// Share of the variance of log time that the values explain, corrected for their number
    /// (epsilon squared); 0 to 1.
    double share = 0;
};

/// A configuration that the final compared with others.
struct contestant {
    enum class part : std::uint8_t { winner, standard, baseline, tie, fastest };

    part as = part::winner; ///< `standard`: the default; `baseline`: the user's own code;
                            ///< `fastest`: no tuning has ended yet
    value_texts values{};   ///< empty: unknown
    measurement time{};     ///< `low` and `high` are 0 if the store has no interval
    bool has_time = true;   ///< false: the store has no time for this tie
};

/// Speed of the winner relative to the default. Both intervals allow all values of this interval.
struct reported_speedup {
    double value = 1;
    double low = 0; ///< 0: a time has no interval
    double high = 0;
};

/// The seconds of the winner's tuning by activity.
struct reported_seconds {
    double total_s = 0;
    double run_s = 0;    ///< the remaining time: variants ran and were timed
    double code_s = 0;   ///< the tuning thread compiled, or waited for code
    double search_s = 0; ///< the search learned, and decided the next configuration
};

struct problem_report {
    problem_history past{};
    problem_objective objective{};
    std::vector<parameter_effect> parameters{};
    /// For each row of `past`: the indices of its levels in `parameters[i].levels`.
    std::vector<std::vector<std::uint32_t>> levels{};
    std::vector<std::size_t> ranking{};      ///< rows with a time, the best first
    std::vector<std::size_t> improvements{}; ///< rows that were better than all earlier ones
    std::array<std::size_t, failure_stage_count> failed{}; ///< rows, by stage
    std::size_t unusable = 0;                              ///< rows whose number is not usable
    std::vector<contestant>
        contestants{}; ///< the winner, the user's own code, the default if it is known, the ties
    /// The fastest row with the winner's values; without such a row, the fastest of all.
    std::optional<std::size_t> winner_row{};
    std::vector<std::size_t> varied{}; ///< parameters with several values
    std::optional<reported_speedup> speedup{};
    std::optional<reported_seconds> spent{};
    model_course course{};

    std::size_t verified = 0; ///< shapes of calls for which the winner's code was verified
    std::size_t refuted = 0;  ///< shapes of calls for which its result was wrong
    call_coverage calls{};    ///< of the programs that ended last
    std::string store{};      ///< its path, where a page has problems of several stores

    /// The first contestant of this part; null: there is none.
    [[nodiscard]] contestant const* find(contestant::part part) const noexcept
    {
        auto const at = std::find_if(contestants.begin(), contestants.end(),
                                     [&](contestant const& one) { return one.as == part; });
        return at == contestants.end() ? nullptr : &*at;
    }
    /// The number of a row.  @pre  the row is in `ranking`
    [[nodiscard]] double value(std::size_t row) const
    {
        return std::get<measurement>(past.rows[row].result).value;
    }
    /// True if the row is that of the winner's configuration; false if no row has its values.
    [[nodiscard]] bool has_winner_row() const
    {
        return past.best && winner_row &&
               past.rows[*winner_row].values == contestants.front().values;
    }
    [[nodiscard]] std::size_t failures() const noexcept
    {
        std::size_t sum = 0;
        for (std::size_t const n : failed)
            sum += n;
        return sum;
    }
};

/// Computes the members that follow from `past`.
/// Cost  O(n p + n log n) for n rows of p parameters; 20 ms for 10,000 rows
[[nodiscard]] problem_report report_of(problem_history past);

/// Returns true if the default won: by its code if that is known, else by its values.
/// @param standard  values of the default; empty: unknown
[[nodiscard]] bool is_default_best(record const& best, value_texts const& standard);

/// "7.51x faster than the default"; "1.03x slower than ..."; "as fast as ...". For numbers other
/// than seconds: "better", "worse", "as good".
/// @param ratio  the default's time over the winner's, positive; or problem_objective::gain()
/// @param than   the object of the comparison
[[nodiscard]] std::string speed_text(double ratio, bool is_seconds = true,
                                     std::string_view than = "the default");

/// Returns false if the number has a single sample.
[[nodiscard]] inline bool has_interval(measurement const& of) noexcept { return of.low < of.high; }

/// "N=1024 M=512"; empty without bound inputs.
[[nodiscard]] std::string text_of_pairs(named_texts const& pairs);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/report/problem_report.ipp>
#endif
