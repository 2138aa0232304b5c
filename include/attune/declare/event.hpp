// attune/declare/event.hpp - the events of a search, as plain values.
// SPDX-License-Identifier: MIT
// tested by remember/files/event_log.cpp
//
// In declare/, because search/ records and replays events, and remember/ writes them as text.
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Kinds of events, in the order in which a configuration passes through them.
enum class event_kind : std::uint8_t {
    asked,        ///< the search was asked for `wanted` points and proposed `points`
    compiled,     ///< `seconds` in the compiler; `text` is the key of the code, or `result` why not
    first_run,    ///< `seconds` in the child
    sampled,      ///< `timing`: its single times; `text` is "final" for samples of the final
    told,         ///< the search was told `result`
    chosen,       ///< the session ended and installs this configuration
    code_metrics, ///< the search was told `numbers`, such as what the code takes
    observed,     ///< the search was told `result` of a point that it was not asked for
    informed,     ///< before all others: `text` is what another session found out
    pruned,       ///< not evaluated: it takes at least `seconds`, longer than the best so far
    narrowed, ///< the search goes on in the part of the space that `text` says; empty: in all of it
};

/// One event. Members that its kind does not use stand at their defaults.
struct event {
    event_kind kind{};
    std::vector<point>
        points{}; ///< of `asked`, all proposed; of `informed` and `narrowed` none; else one
    std::size_t wanted = 0;
    double seconds = 0;  ///< in the compiler, or in the child; of `pruned` the least of a call
    double expected = 0; ///< of `told`: seconds that the search's model expected; 0: it has none
    std::string by{};    ///< of `told` and `pruned`: the technique that proposed it; empty: unknown
    std::string text{};
    std::optional<outcome> result{};
    std::optional<timing_record> timing{};
    /// Code metrics; of `told` and `observed` the quantities with bounds, in the order of the
    /// bounds (in a tuning, how far they are beyond them), or the second objective. NaN: it is
    /// missing.
    std::vector<double> numbers{};
    std::vector<quantity> quantities{}; ///< of `told` and `observed`: all that were measured
};

/// The events of one search from its beginning, or of one tuning; replaying them repeats it.
struct logged_session {
    std::string key; ///< what the outcomes depend on; outcomes of equal keys are comparable
    std::uint64_t seed = 0;
    std::vector<event> events{};
    bool damaged = false; ///< a line in the middle is unreadable: later events are missing
};

} // namespace attune::inline ATTUNE_ABI
