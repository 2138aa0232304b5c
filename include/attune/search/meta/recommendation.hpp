// attune/search/meta/recommendation.hpp - what a history recommends for a new search: techniques, reasons, the usual gain.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 6.1, steps 1, 2, 5 and 6. Own: of equally near problems the
//          one with the most similar numbers of values, then with more searches; if the nearest
//          problem has too few techniques, the next one adds some; a problem without positive
//          correlation recommends nothing; recommend_strategy()
// Source   usual_gain: Wu 2015, Sec. 5.4.1: statistics of the database on a representation
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/meta/space_structure.hpp>
#include <attune/search/meta/technique_history.hpp>
#include <attune/search/searcher.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// Gains of tunings of similar spaces: the default's time divided by the best one's.
struct usual_gain {
    double distance = 0; ///< the least distance of structures to a tuned space
    std::size_t problems = 0;
    std::size_t tunings = 0;
    double low = 1; ///< a fifth of the tunings gained at most this
    double median = 1;
    double high = 1; ///< four fifths of the tunings gained at most this
    /// The median of this problem, if it was tuned.
    std::optional<double> own{};

    /// Returns true if this problem gained less than four fifths of the tunings of others: its
    /// space lacks a parameter that helps elsewhere, or its default is good.
    [[nodiscard]] bool is_own_poor() const { return own && *own < low; }
};

/// The gains of all problems with the least structure_distance() to `structure`.
/// @param label  this problem: not among the others; its gains with this structure are `own`.
///               Empty: a new problem
/// @return  nothing if no other problem has gains
/// Cost   O(problems)
[[nodiscard]] std::optional<usual_gain> usual_gain_of(technique_history const& past,
                                                      space_structure const& structure,
                                                      std::string_view label = {});

/// "tuning usually makes such a space 2.1 times as fast (a fifth gain at most 1.3, a fifth more
/// than 4): 12 tunings of 3 kernels, distance 0; this one 1.1 times: ...".
[[nodiscard]] std::string usual_gain_text(usual_gain const& gain);

/// A recommended technique, and the reason.
struct technique_advice {
    std::string technique;
    double affinity = 0;                 ///< new bests per request on the other problem
    std::string problem;                 ///< the other problem's label
    std::optional<double> distance{};    ///< of structures, if that decided
    std::optional<double> correlation{}; ///< of affinities, if that decided
};

/// "genetic: 0.21 new bests per request in 'sgemm', whose space is alike (distance 0.3)".
[[nodiscard]] std::string advice_text(technique_advice const& advice);

/// Returns true if a technique of this name can be made; empty: all can.
using technique_filter = std::function<bool(std::string_view name)>;

/// Techniques of a problem that can be made, the one with the highest affinity first.
[[nodiscard]] std::vector<technique_use> ranked_by_affinity(representation const& of,
                                                            technique_filter const& usable = {});

/// The `most` techniques with the highest affinity on the problem whose structure is nearest; fewer
/// only if the history has fewer.
/// Cost   O(techniques of the history times log of their number)
[[nodiscard]] std::vector<technique_advice> recommend_start(technique_history const& past,
                                                            space_structure const& structure,
                                                            std::size_t most,
                                                            technique_filter const& usable = {});

/// The technique with the highest affinity on the problem whose techniques gained most like those
/// of this search, by affinity_correlation().
/// @param uses    of this search
/// @param in_use  names that are not recommended
/// @return  nothing if no problem correlates, or none of those has another technique
[[nodiscard]] std::optional<technique_advice> recommend_next(technique_history const& past,
                                                             std::span<technique_use const> uses,
                                                             std::span<std::string const> in_use,
                                                             technique_filter const& usable = {});

/// A recommended strategy with its options, and the reason.
struct strategy_advice {
    std::string strategy;    ///< as in the history, such as a name of parse_technique()
    double gain = 1;         ///< median of the default's time divided by the best one's
    std::size_t tunings = 0; ///< number of tunings by this strategy
    std::string rival;       ///< the best of the strategies there with a lower gain
    double rival_gain = 1;
    std::size_t rival_tunings = 0;
    std::string problem; ///< the other problem's label
    double distance = 0; ///< of structures
};

/// "climb;change_rate,1: tunings made 'sgemm' (all its inputs and devices), whose space is the most
/// alike of those whose strategies differ (distance 0), 2.1 times as fast by it (median of 7), 1.6
/// times as fast by climb;change_rate,0 (median of 9)".
[[nodiscard]] std::string advice_text(strategy_advice const& advice);

/// The strategy with the highest median gain on the problem with the nearest structure, among
/// problems that distinguish strategies. Such a problem has two strategies with two tunings each,
/// whose medians are more than one step of tuning_gains apart. Strategies are only compared on one
/// problem, because the possible gain differs between problems. The comparison ignores budgets. The
/// history sums up all inputs and devices of a problem, so a strategy used where more can be gained
/// seems better.
/// @return  nothing if no problem distinguishes strategies
[[nodiscard]] std::optional<strategy_advice>
recommend_strategy(technique_history const& past, space_structure const& structure,
                   technique_filter const& usable = {});

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/meta/recommendation.ipp>
#endif
