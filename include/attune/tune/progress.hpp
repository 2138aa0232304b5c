// attune/tune/progress.hpp - events of a running tuning, and the sinks that receive them.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/evaluation.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// Number of failed evaluations, by stage; indexed by failure_stage.
using failure_counts = std::array<std::uint32_t, detail::failure_stage_count>;

[[nodiscard]] constexpr std::uint32_t total(failure_counts const& counts) noexcept
{
    std::uint32_t sum = 0;
    for (std::uint32_t const n : counts)
        sum += n;
    return sum;
}

/// "3 did not compile, 1 crashed"; empty when nothing failed.
[[nodiscard]] std::string describe(failure_counts const& counts);

enum class progress_event : std::uint8_t {
    started,   ///< the default configuration is measured, the search begins
    evaluated, ///< one more configuration has an outcome
    finals,    ///< the fastest and the default are timed again, in turns
    finished,  ///< `text` gives the result
    notice,    ///< information for the user, in `text`; not an error
};

/// The state of a tuning at one event.
struct progress {
    progress_event event{};
    std::string name{};            ///< of the kernel or the objective
    std::uint32_t evaluation = 0;  ///< number of finished evaluations
    std::uint32_t evaluations = 0; ///< limit of the budget, or of a smaller space
    std::uint32_t pruned = 0;      ///< configurations not evaluated, because they could not win
    bool has_best = false;         ///< `best_value` is valid
    double best_value = 0;         ///< best so far, in the unit of `objective`
    double default_value = 0;      ///< of the default configuration, same unit; 0 when unknown
    double baseline_value = 0;     ///< of the baseline, same unit; 0 when there is none
    problem_objective objective{}; ///< meaning, unit and direction of these values
    bool improved = false;         ///< this evaluation is the new best
    failure_counts failures{};
    double elapsed_s = 0;
    double left_s = 0;  ///< of the budget; infinity without a limit
    std::string text{}; ///< the current configuration, a notice, or the summary
};

/// Called between evaluations, never during a timing. May call report() of the `tuned` object; a
/// call of that object with new inputs is an attune::error.
using progress_sink = std::function<void(progress const&)>;

/// A plain line per event: start, each improvement, one line every two seconds, end.
/// @param write  receives each line, without its line end
[[nodiscard]] progress_sink line_progress(std::function<void(std::string const&)> write);

/// On stderr: one line that is updated on a terminal, plain lines otherwise.
[[nodiscard]] progress_sink terminal_progress();

/// The sink of tunings whose options name no sink. Sends each event to the sink of
/// set_default_sink(). If there is none, writes to stderr: all events on a terminal, only notices
/// otherwise.
[[nodiscard]] progress_sink default_progress();

/// Sets the sink of all tunings whose options name no sink, for a program or for a library that
/// uses attune. An empty sink restores the initial state. Several threads that tune may call it at
/// once.
/// Example attune::set_default_sink(silent_progress());
void set_default_sink(progress_sink sink);

/// Prints nothing, not even notices; these are in the report.
[[nodiscard]] progress_sink silent_progress();

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/progress.ipp>
#endif
#endif // ATTUNE_OFF
