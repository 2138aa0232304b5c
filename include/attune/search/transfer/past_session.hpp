// attune/search/transfer/past_session.hpp - what another session found out, as plain data.
// SPDX-License-Identifier: MIT
//
// tested by search/transfer/warm_start.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A configuration of another session and what became of it.
struct past_outcome {
    std::vector<std::string> values; ///< one for each of past_session::parameters, see text_of()
    std::optional<double> value;     ///< of the objective; nothing: the configuration failed
};

/// The outcomes of a session at another size, on another device, with another compiler or of an
/// earlier version of the kernel. Its values need not be those of the space at hand.
struct past_session {
    std::string name{};                    ///< what a report calls it
    std::vector<std::string> parameters{}; ///< names
    std::vector<past_outcome> outcomes{};
    /// How much it counts beside the other sessions: their sum is made 1. A session from near by
    /// counts more, exp(-distance), say.
    double weight = 1;
    /// False: its values say what is faster, not how fast, so that no outcome agrees with them by
    /// its size.
    bool has_level = true;
};

/// How a search uses the outcomes of other sessions. They are tried first, and believed as far as
/// the outcomes of the search itself agree; they never count as outcomes of the search.
struct warm_start_options {
    /// Number of configurations, good in all sessions together, that are tried first, at most:
    /// where the model believes the sessions as many as half of these, because further ones repeat
    /// the first; and no more once outcomes contradict the sessions. 0: none.
    std::size_t starts = 3;
    /// Number of outcomes that worked up to which the model expects what the sessions say, as far
    /// as its own outcomes agree. 0: never. On recorded kernels 12 to 40 are equal within 0.01 of
    /// the optimum, with right and with wrong sessions.
    std::size_t believe_until = 20;
    /// Number of outcomes that worked up to which the hyperparameters that explain the sessions are
    /// the centre of the prior of the search's own; their share shrinks evenly. 0: never.
    std::size_t hyperparameters_until = 60;
    double hyperparameter_deviation = 0.9; ///< of their logarithms, at share 1
    /// Number of sessions used at most: those of the highest weights.
    std::size_t most_sessions = 8;
    /// Number of outcomes used of one session at most: the best third, others spread over the rest.
    std::size_t most_outcomes = 150;
};

} // namespace attune::inline ATTUNE_ABI
