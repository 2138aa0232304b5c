// attune/ship/report/problem_report.hpp - what a report says of one problem; each number computed once.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/objective.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/remember/record.hpp>
#include <attune/ship/report/detail/usable_time.hpp>
#include <attune/ship/report/model_course.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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
    /// Numbers ascending, then other texts, in which digits count as numbers; where the parameter
    /// was inactive in some outcomes, that is one level, the last.
    std::vector<level_effect> levels{};
    /// Share of the variance of log time that the values explain, corrected for their number
    /// (epsilon squared); 0 to 1.
    double share = 0;
};

/// A configuration whose time is compared with the others' of the final.
struct contestant {
    enum class part : std::uint8_t { winner, standard, baseline, tie, fastest };

    part as = part::winner; ///< `standard`: the default; `baseline`: the user's own code;
                            ///< `fastest`: no tuning has ended yet
    value_texts values{};   ///< empty: unknown
    measurement time{};     ///< `low` and `high` are 0 where the store has no interval
    bool has_time = true;   ///< false: the store has no time of this tie
};

/// How much faster the winner is than the default. The interval is what both intervals allow.
struct reported_speedup {
    double value = 1;
    double low = 0; ///< 0: a time has no interval
    double high = 0;
};

/// Where the seconds of the winner's tuning went.
struct reported_seconds {
    double total_s = 0;
    double run_s = 0;    ///< variants ran and were timed: all that the others are not
    double code_s = 0;   ///< the tuning thread compiled, or waited for code
    double search_s = 0; ///< the search learnt, and decided what to try next
};

struct problem_report {
    problem_history past{};
    problem_objective objective{};
    std::vector<parameter_effect> parameters{};
    /// For each row of `past` the indices of its levels in `parameters[i].levels`.
    std::vector<std::vector<std::uint32_t>> levels{};
    std::vector<std::size_t> ranking{};      ///< rows with a time, the best first
    std::vector<std::size_t> improvements{}; ///< rows that were better than all before them
    std::array<std::size_t, failure_stage_count> failed{}; ///< rows, by stage
    std::size_t unusable = 0; ///< rows whose time is no positive finite number
    std::vector<contestant>
        contestants{}; ///< the winner, the default, the user's own code, the ties
    /// The fastest row with the winner's values; the fastest of all where there is none.
    std::optional<std::size_t> winner_row{};
    std::vector<std::size_t> varied{}; ///< parameters with several values
    std::optional<reported_speedup> speedup{};
    std::optional<reported_seconds> spent{};
    model_course course{};

    [[nodiscard]] std::size_t failures() const noexcept
    {
        std::size_t sum = 0;
        for (std::size_t const n : failed)
            sum += n;
        return sum;
    }
};

/// Computes everything beside `past`.
/// Cost  O(n p + n log n) for n rows of p parameters; 20 ms for 10,000 rows
[[nodiscard]] problem_report report_of(problem_history past);

/// The default won: by its code where that is known, else by its values.
/// @param standard  values of the default; empty: unknown
[[nodiscard]] bool is_default_best(record const& best, value_texts const& standard);

/// "7.51x faster than the default"; "1.03x slower than ..."; "as fast as ...". Of numbers that are
/// no seconds: "better", "worse", "as good".
/// @param ratio  the default's time by the winner's, positive; or problem_objective::gain()
/// @param than   what the winner is compared with
[[nodiscard]] std::string speed_text(double ratio, bool is_seconds = true,
                                     std::string_view than = "the default");

/// False where a time was measured once: what it has is itself alone.
[[nodiscard]] inline bool has_interval(measurement const& of) noexcept
{
    return of.low > 0 && of.low < of.high;
}

/// "N=1024 M=512"; empty where nothing was bound.
[[nodiscard]] std::string text_of_pairs(named_texts const& pairs);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/report/problem_report.ipp>
#endif
