// attune/search/transfer/past_session.hpp - the outcomes of another session, as plain data, as text, and in the present space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A configuration of another session, and its outcome.
struct past_outcome {
    std::vector<std::string> values; ///< one for each of past_session::parameters, see text_of()
    std::optional<double> value;     ///< of the objective; nothing: failed
};

/// The outcomes of a session at another size, on another device, with another compiler, or of an
/// earlier version of the kernel. Its values may differ from those of the present space.
struct past_session {
    std::string name{};                    ///< its name in reports
    std::vector<std::string> parameters{}; ///< names
    std::vector<past_outcome> outcomes{};
    /// Weight relative to the other sessions; the sum is scaled to 1. A similar session has a
    /// larger weight, such as exp(-distance).
    double weight = 1;
    /// False: only the order of values has a meaning. No outcome agrees with them by its size.
    bool has_level = true;
};

/// The use of outcomes of other sessions. Their configurations are tried first, and the search
/// trusts them as far as its own outcomes agree. Outcomes of other sessions never count as outcomes
/// of the search.
struct warm_start_options {
    /// The most configurations, good in all sessions together, that are tried first; 0: none. At
    /// most half as many as sessions if the model's prior comes from these, because further ones
    /// repeat the first. No more once outcomes contradict the sessions.
    std::size_t starts = 3;
    /// Up to this number of successes, the model expects the sessions' values, as far as its own
    /// outcomes agree. 0: never. On recorded kernels 12 to 40 are equal within 0.01 of the optimum,
    /// with right and with wrong sessions.
    std::size_t believe_until = 20;
    /// Up to this number of successes, the hyperparameters of the sessions are the centre of the
    /// prior; their share shrinks evenly. 0: never.
    std::size_t hyperparameters_until = 60;
    double hyperparameter_deviation = 0.9; ///< of their logarithms, at share 1
    /// The most sessions that are used: those of the highest weights.
    std::size_t most_sessions = 8;
    /// The most outcomes of one session that are used: the best third, others from the rest.
    std::size_t most_outcomes = 150;
};

} // namespace attune::inline ATTUNE_ABI

namespace attune::inline ATTUNE_ABI::detail {

/// Name, weight, number of parameters, parameters; for each outcome the number of its values, the
/// values, and the value of the objective, empty for a failure.
[[nodiscard]] std::string text_of_past(past_session const& session);

/// Reads a text of text_of_past(). Numbers read back bit for bit.
/// @return  nothing if the text is no such text
[[nodiscard]] std::optional<past_session> read_past(std::string_view text);

/// The values of a function as the outcomes of a session: of random configurations, and of those on
/// the way from the best of them to better and better neighbours. A search trusts it like any
/// session, as far as its own outcomes agree.
/// @param value_of  lower is better; a configuration with a value that is not finite is left out
/// Cost     1,000 calls of it, and one for each neighbour of at most 24 configurations
[[nodiscard]] past_session session_of_values(chain_of_trees const& space,
                                             std::function<double(point const&)> const& value_of);

/// session_of_values() of description::expected.
/// @pre     space.describe().expected is not empty
[[nodiscard]] past_session session_of_expectation(chain_of_trees const& space);

/// Valid, different configurations and their outcomes.
struct translated_session {
    std::vector<point> where;
    std::vector<std::optional<double>> value; ///< one per point; nothing: failed
    double weight = 1;
    bool has_level = true; ///< see past_session
};

/// The value of `parameter` nearest to `text`, and the distance: 0 for the same value. Numbers are
/// compared by ratio if both are positive, else by difference; tiles of equally many parts by the
/// ratios of the parts. Any other text that is no value gives the default, else the first value, at
/// distance 1.
[[nodiscard]] std::pair<coordinate, double> nearest_value(parameter_description const& parameter,
                                                          std::string const& text);

/// Puts each outcome at the valid configuration nearest to its values. A parameter that the session
/// lacks gets its default, else its first value. A parameter that the space lacks is ignored, and
/// so is the value of an inactive parameter. If several outcomes come to one configuration, the
/// best of those that changed least counts.
/// Cost     a membership test per outcome, and nearest_valid() for invalid ones
[[nodiscard]] translated_session translate(chain_of_trees const& space,
                                           past_session const& session);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/past_session.ipp>
#endif
