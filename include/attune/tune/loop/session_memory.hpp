// attune/tune/loop/session_memory.hpp - what a session knows before it begins, and what it tells.
// SPDX-License-Identifier: MIT
// tested by tune/resume.cpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/tune/loop/tuning_lessons.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

class trials_elsewhere;

/// One outcome of a configuration.
struct known_outcome {
    point at{};
    outcome result{};
    std::string code{};     ///< object key; empty: unknown
    double predicted_s = 0; ///< that the search's model expected; 0: no model chose it
    std::string proposer{}; ///< technique of the search; empty: none, or unknown
};

struct session_memory {
    /// Outcomes of earlier sessions, oldest first, each point once. They count as evaluations and
    /// are not measured again.
    std::vector<known_outcome> known{};
    bool was_cut_short = false; ///< the last of them are of a session without an end
    /// Outcomes at other inputs, on other devices, of other versions: what a new session begins
    /// with. They are tried again, never taken for its own.
    std::vector<past_session> related{};
    lesson_list lessons{};
    /// Object keys with the outcomes of equal code at these inputs on this device, where another
    /// source text or compiler made it: such code is not measured again.
    std::vector<std::pair<std::string, outcome>> known_code{};
    /// Wall seconds in which all of this was read, before the session: a part of its budget, and of
    /// the time that its search took.
    double read_s = 0;
    /// Called with each measured outcome, before the next one is measured; may be empty.
    std::function<void(known_outcome const&)> keep{};
    /// Who tries configurations for the session; null: it does so itself.
    trials_elsewhere* elsewhere = nullptr;
};

/// Outcomes with which a session can go on: the default's first, because all others are compared
/// with it. Without its time nothing of them is used.
[[nodiscard]] inline std::vector<known_outcome> from_default(std::vector<known_outcome> known,
                                                             point const& default_at)
{
    auto const first = std::find_if(known.begin(), known.end(), [&](known_outcome const& one) {
        auto const* const m = std::get_if<measurement>(&one.result);
        return one.at == default_at && m != nullptr && __builtin_isfinite(m->value) && m->value > 0;
    });
    if (first == known.end()) return {};
    std::rotate(known.begin(), first, first + 1);
    return known;
}

} // namespace attune::inline ATTUNE_ABI::detail
