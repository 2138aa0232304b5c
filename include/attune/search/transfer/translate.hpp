// attune/search/transfer/translate.hpp - the configurations of another session in the space at hand.
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

/// Valid, different configurations and what became of them.
struct translated_session {
    std::vector<point> where;
    std::vector<std::optional<double>> value; ///< one per point; nothing: it failed
    double weight = 1;
    bool has_level = true; ///< see past_session
};

/// The value of `parameter` that is nearest to what `text` says, and how far away that is: 0 for
/// the same value. Numbers are compared by their ratio where both are positive, else by their
/// difference; tiles of as many parts by the ratios of these. For everything else that is not among
/// the values: the default, else the first value, at distance 1.
[[nodiscard]] std::pair<coordinate, double> nearest_value(parameter_description const& parameter,
                                                          std::string const& text);

/// Each outcome at the valid configuration that is nearest to its values. A parameter that the
/// session did not have stands at its default, else at its first value; one that the space does not
/// have is passed over, and so is the value of an inactive one. Of outcomes at the same
/// configuration those that came from nearer by count, and of these the best.
/// Cost     a membership test per outcome, and nearest_valid() for those that are not valid
[[nodiscard]] translated_session translate(chain_of_trees const& space,
                                           past_session const& session);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/transfer/translate.ipp>
#endif
