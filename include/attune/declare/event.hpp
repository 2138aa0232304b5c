// attune/declare/event.hpp - the events of a search, as plain values.
// SPDX-License-Identifier: MIT
// tested by remember/files/event_log.cpp
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/outcome.hpp>
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
    asked,        ///< the caller asked for `wanted` points, and the search proposed `points`
    compiled,     ///< `seconds` in the compiler; `text`: key of the code, or `result`: the failure
    first_run,    ///< `seconds` of the first run, in the child
    sampled,      ///< `timing`: its single times; `text` is "final" for samples of the final
    told,         ///< the caller gave `result` to the search
    chosen,       ///< the session ended and installs this configuration
    code_metrics, ///< the caller gave `numbers` to the search, such as the registers of the code
    observed,     ///< the caller gave `result` of a point that the search did not propose
    informed,     ///< before all others: `text` holds outcomes of another session
    pruned,       ///< not evaluated: takes at least `seconds`, longer than the best so far
    narrowed,     ///< the search continues in the part `text` of the space; empty: in all of it
};

/// An event. Members that its kind does not use have their defaults.
struct event {
    event_kind kind{};
    std::vector<point>
        points{}; ///< `asked`: all proposed points; `informed`, `narrowed`: none; others: one
    std::size_t wanted = 0;
    double seconds = 0;  ///< in the compiler, or in the child; `pruned`: the least time of a call
    double expected = 0; ///< `told`: seconds that the search's model expected; 0: no model
    std::string by{};    ///< of `told` and `pruned`: the technique that proposed it; empty: unknown
    std::string text{};
    std::optional<outcome> result{};
    std::optional<timing_record> timing{};
    /// Code metrics. `told` and `observed`: the quantities with bounds, in the order of the bounds,
    /// or the second objective; in a tuning, the amounts by which quantities exceed their bounds.
    /// NaN: missing.
    std::vector<double> numbers{};
    std::vector<quantity> quantities{}; ///< `told` and `observed`: all measured quantities
};

/// The events of one search from its beginning, or of one tuning. A replay of the events repeats
/// the search.
struct logged_session {
    std::string key; ///< key of the problem; outcomes of equal keys are comparable
    std::uint64_t seed = 0;
    std::vector<event> events{};
    bool damaged = false; ///< a line in the middle is unreadable: later events are missing
};

} // namespace attune::inline ATTUNE_ABI
