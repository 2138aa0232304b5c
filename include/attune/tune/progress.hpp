// attune/tune/progress.hpp - events of a running tuning, and the sinks that receive them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace attune::inline ATTUNE_ABI {

/// How many evaluations failed, by stage; indexed by failure_stage.
using failure_counts = std::array<std::uint32_t, failure_stage_count>;

[[nodiscard]] constexpr std::uint32_t total(failure_counts const& counts) noexcept
{
    std::uint32_t sum = 0;
    for (std::uint32_t const n : counts)
        sum += n;
    return sum;
}

/// "3 did not compile, 1 crashed"; empty when nothing failed.
[[nodiscard]] inline std::string describe(failure_counts const& counts)
{
    std::string out;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        if (!out.empty()) out += ", ";
        out += std::to_string(counts[i]) + ' ';
        out += describe(static_cast<failure_stage>(i));
    }
    return out;
}

/// What happened.
enum class progress_event : std::uint8_t {
    started,   ///< the default configuration is measured, the search begins
    evaluated, ///< one more configuration has its outcome
    finals,    ///< the leaders and the default are compared once more, in turns
    finished,  ///< `text` says how it ended
    notice,    ///< something the user should know, in `text`; not an error
};

/// The state of a tuning at one event.
struct progress {
    progress_event event{};
    std::string name{};            ///< of the kernel or the objective
    std::uint32_t evaluation = 0;  ///< finished ones
    std::uint32_t evaluations = 0; ///< of the budget, or of the space when that is smaller
    bool has_best = false;         ///< something worked: `best_value` means something
    double best_value = 0;         ///< best so far, in the unit of `measurement::value`
    double default_value = 0;      ///< of the default configuration, same unit; 0 when unknown
    double baseline_value = 0;     ///< of the user's own code, same unit; 0 when there is none
    bool is_seconds = true;        ///< the unit is seconds
    bool improved = false;         ///< this evaluation is the new best
    failure_counts failures{};
    double elapsed_s = 0;
    double left_s = 0;  ///< of the budget; infinity without a limit
    std::string text{}; ///< the configuration at hand, a notice, the summary
};

/// Called between evaluations, never while something is timed. May ask the `tuned` object that
/// tunes for its report; may not call it with inputs that are new to it: that is an attune::error.
using progress_sink = std::function<void(progress const&)>;

/// "1.25 ms"; for other units than seconds the plain number.
[[nodiscard]] std::string text_of_quantity(double value, bool is_seconds);

/// One plain line per event: started, each improvement, a sign of life every two seconds, the end.
/// @param write  receives each line, without its end
[[nodiscard]] progress_sink line_progress(std::function<void(std::string const&)> write);

/// On stderr: one live line on a terminal, plain lines on anything else.
[[nodiscard]] progress_sink terminal_progress();

/// What tunings say where their options name no sink: the sink given to set_default_sink(), at the
/// moment of each event; else, on stderr, all on a terminal and notices alone on anything else.
[[nodiscard]] progress_sink default_progress();

/// For a program that uses attune, or a library that does inside it: from now on this sink hears of
/// all tunings whose options name none. An empty one: as in the beginning. It may be called on
/// several threads at once where several tune. Example attune::set_default_sink(silent_progress());
void set_default_sink(progress_sink sink);

/// Nothing at all, not even notices; they stay in the report.
[[nodiscard]] inline progress_sink silent_progress()
{
    return [](progress const&) {};
}

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/progress.ipp>
#endif
