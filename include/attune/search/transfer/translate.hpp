// attune/search/transfer/translate.hpp - maps configurations of another session into the present space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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
#include <attune/search/transfer/translate.ipp>
#endif
