// attune/tune/dispatch/choice/near_choice.hpp - the configuration that related problems speak for.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/problem/problem.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/tune/known_choice.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Of another device: from so many outcomes on, a model of a problem speaks for it, else its winner
/// alone.
inline constexpr std::size_t outcomes_of_a_source = 20;

/// What a related problem says: its outcomes; of a store that keeps winners alone, the winner. Its
/// weight is exp(-distance).
[[nodiscard]] past_session past_of(related_problem const& other);

struct near_choice {
    point at{};
    choice_match how = choice_match::near_size;
    double distance = 0; ///< of the nearest problem that it is taken from
    std::string why{};   ///< "best for N=512, not N=1024"
};

/// Nothing is timed or run, and no time is taken over: who uses it verifies it first.
///
/// The winner of the nearest problem on this device; else, where problems have outcomes_of_a_source
/// or more, the first of their warm_portfolio(); else the winner of the nearest one of all. (On
/// this device a winner was measured, and what a portfolio expects is smoothed for the way to other
/// devices: bench.tune.sizes.) Values that this space does not have become the nearest ones, and an
/// invalid configuration the nearest valid one.
/// @param related  nearest first
/// @param refused  configurations that failed here: never taken
[[nodiscard]] std::optional<near_choice> near_choice_of(std::span<related_problem const> related,
                                                        chain_of_trees const& space,
                                                        std::span<point const> refused);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/near_choice.ipp>
#endif
