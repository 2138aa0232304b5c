// attune/search/meta/recommendation.hpp - which techniques a new search should use, and why.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 6.1, steps 1, 2, 5 and 6. Own: of equally near problems the
//          one with the most similar numbers of values, then with more searches; what the nearest
//          cannot fill is taken from the next one; a problem without positive correlation
//          recommends nothing; recommend_strategy()
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/meta/space_structure.hpp>
#include <attune/search/meta/technique.hpp>
#include <attune/search/meta/technique_history.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

/// Why a technique is recommended.
struct technique_advice {
    std::string technique;
    double affinity = 0;                 ///< new bests per request on the other problem
    std::string problem;                 ///< the other problem's label
    std::optional<double> distance{};    ///< of structures, where that decided
    std::optional<double> correlation{}; ///< of affinities, where that decided
};

/// "genetic: 0.21 new bests per request in 'sgemm', whose space is alike (distance 0.3)".
[[nodiscard]] std::string advice_text(technique_advice const& advice);

/// Whether a technique of this name can be made; empty: each can.
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

/// The technique with the highest affinity on the problem where the techniques of this search did
/// as they do here, by affinity_correlation().
/// @param uses    of this search
/// @param in_use  names that are not recommended
/// @return  nothing, if no problem correlates, or none of the alike has another technique
[[nodiscard]] std::optional<technique_advice> recommend_next(technique_history const& past,
                                                             std::span<technique_use const> uses,
                                                             std::span<std::string const> in_use,
                                                             technique_filter const& usable = {});

/// Why a strategy is recommended, with its options.
struct strategy_advice {
    std::string strategy;    ///< as the history has it, such as a name of parse_technique()
    double gain = 1;         ///< the default's time divided by the best one's, the median
    std::size_t tunings = 0; ///< by this strategy
    std::string rival;       ///< the best there of those that gained less
    double rival_gain = 1;
    std::size_t rival_tunings = 0;
    std::string problem; ///< the other problem's label
    double distance = 0; ///< of structures
};

/// "climb;change_rate,1: tunings made 'sgemm' (all its inputs and devices), whose space is the most
/// alike of those whose strategies differ (distance 0), 2.1 times as fast by it (median of 7), 1.6
/// times as fast by climb;change_rate,0 (median of 9)".
[[nodiscard]] std::string advice_text(strategy_advice const& advice);

/// The strategy whose tunings gained most, by the median, on the problem whose structure is nearest
/// among those that tell strategies apart: two tunings of each, and medians more than one step of
/// tuning_gains apart. Strategies are compared on one problem alone, because problems differ in how
/// much can be gained, and as they were used: by equal budgets, if theirs were equal. The history
/// sums up all inputs and devices of a problem: a strategy that was used where more can be gained
/// seems better.
/// @return  nothing, if no problem tells strategies apart
[[nodiscard]] std::optional<strategy_advice>
recommend_strategy(technique_history const& past, space_structure const& structure,
                   technique_filter const& usable = {});

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/meta/recommendation.ipp>
#endif
