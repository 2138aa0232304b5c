// attune/search/meta/usual_gain.hpp - how much tuning usually gains where the space is alike.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 5.4.1: what the database says of a representation
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/meta/space_structure.hpp>
#include <attune/search/meta/technique_history.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::search {

/// What tunings of similar spaces gained: the default's time divided by the best one's.
struct usual_gain {
    double distance = 0; ///< of the structures, the least that any tuned space has
    std::size_t problems = 0;
    std::size_t tunings = 0;
    double low = 1; ///< a fifth of the tunings gained at most that
    double median = 1;
    double high = 1; ///< four fifths of the tunings gained at most that
    /// The median of the problem asked about, where it was tuned.
    std::optional<double> own{};

    /// Whether the problem asked about gained less than four fifths of the tunings of others: its
    /// space lacks what helps elsewhere, or its default is good.
    [[nodiscard]] bool is_own_poor() const { return own && *own < low; }
};

/// Of all problems with the least structure_distance() to `structure` whose gains are known.
/// @param label  the problem asked about: not among the others; its gains with this structure are
///               `own`. Empty: a new one
/// @return  nothing, if no gain of another problem is known
/// Cost   O(problems)
[[nodiscard]] std::optional<usual_gain> usual_gain_of(technique_history const& past,
                                                      space_structure const& structure,
                                                      std::string_view label = {});

/// "tuning usually makes such a space 2.1 times as fast (a fifth gain at most 1.3, a fifth more
/// than 4): 12 tunings of 3 kernels, distance 0; this one 1.1 times: ...".
[[nodiscard]] std::string usual_gain_text(usual_gain const& gain);

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/meta/usual_gain.ipp>
#endif
