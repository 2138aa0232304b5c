// attune/declare/event.hpp - what happens to configurations while a search goes on, as plain values.
// SPDX-License-Identifier: MIT
// tested by remember/event_log.cpp
//
// Here, because search/ writes events down and repeats them, and remember/ makes text of them.
#pragma once

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

/// What happened, in the order in which it happens to a configuration.
enum class event_kind : std::uint8_t {
    asked,        ///< the search was asked for `wanted` points and proposed `points`
    compiled,     ///< `seconds` in the compiler; `text` is the key of the code; or a failure
    first_run,    ///< `seconds` in the child
    sampled,      ///< `timing`: its single times; `text` is "final" for those of the final
    told,         ///< the search was told `result`
    chosen,       ///< the session ended and installs this configuration
    code_metrics, ///< the search was told `numbers`, such as what the code takes
    observed,     ///< the search was told `result` of a point that it was not asked for
};

/// One thing that happened. Members that an event does not have stand at their defaults.
struct event {
    event_kind kind{};
    std::vector<point> points{}; ///< those asked for; of every other event, the one it is about
    std::size_t wanted = 0;
    double seconds = 0;
    std::string text{};
    std::optional<outcome> result{};
    std::optional<timing_record> timing{};
    std::vector<double> numbers{}; ///< NaN: there is none
};

/// One search from its beginning, or one tuning: its events repeat it.
struct logged_session {
    std::string key; ///< what the outcomes depend on: equal keys, comparable outcomes
    std::uint64_t seed = 0;
    std::vector<event> events{};
    bool damaged = false; ///< a line in the middle could not be read: what follows is missing
};

} // namespace attune::inline ATTUNE_ABI
