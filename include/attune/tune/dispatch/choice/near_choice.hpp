// attune/tune/dispatch/choice/near_choice.hpp - the best configuration of related problems.
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

namespace attune::inline ATTUNE_ABI::detail {

/// Least number of outcomes for a model of a problem on another device; with fewer, only the
/// problem's winner counts.
inline constexpr std::size_t outcomes_of_a_source = 20;

/// Returns the outcomes of a related problem, or its winner if the store keeps winners alone. The
/// weight is exp(-distance).
[[nodiscard]] past_session past_of(related_problem const& other);

struct near_choice {
    point at{};
    choice_match how = choice_match::near_size;
    double distance = 0; ///< distance of the nearest problem that gave it
    std::string why{};   ///< "best for N=512, not N=1024"
};

/// Returns a configuration for a problem without a result. Runs nothing, and returns no time: the
/// caller must verify the configuration before it serves.
///
/// The result is the winner of the nearest problem on this device. If there is none, it is the
/// first of the warm_portfolio() of problems with outcomes_of_a_source or more, otherwise the
/// winner of the nearest problem. A winner of this device was measured, while a portfolio comes
/// from smoothed models of other devices: bench.tune.sizes. Values outside this space become the
/// nearest ones, and an invalid configuration becomes the nearest valid one.
/// @param related  nearest first
/// @param refused  configurations that failed here, which are never returned
[[nodiscard]] std::optional<near_choice> near_choice_of(std::span<related_problem const> related,
                                                        chain_of_trees const& space,
                                                        std::span<point const> refused);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/choice/near_choice.ipp>
#endif
