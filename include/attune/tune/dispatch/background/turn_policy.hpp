// attune/tune/dispatch/background/turn_policy.hpp - several tunings and one budget: which of them goes on.
// SPDX-License-Identifier: MIT
// Bench    bench/tune/together.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

namespace attune::inline ATTUNE_ABI::detail {

/// A tuning, as far as its turn is concerned.
struct turn_task {
    /// Seconds that the whole saves for each second that one call saves: the number of calls. 0:
    /// nothing is gained by it, and it has no turn.
    double weight = 1;
    /// Seconds of the best after each evaluation, the default's first, none of which rises; empty:
    /// it has not begun.
    std::span<double const> best{};
    double least_s = 0; ///< that a call can take, as far as is known; 0: unknown
    /// Share of the best that the search's model expects to gain; nothing: it has no model yet.
    std::optional<double> expected_gain{};
    double spent_s = 0; ///< wall seconds of its evaluations
    bool is_over = false;
};

/// The index of the tuning that goes on; nothing: none has anything to gain. The first of equals.
/// A policy keeps no state: the same tasks give the same answer.
using turn_policy = std::function<std::optional<std::size_t>(std::span<turn_task const>)>;

/// What limits the tunings, as far as a policy needs it.
enum class budget_unit : unsigned char { evaluations, seconds };

/// What one more evaluation may be worth, in seconds of the whole.
///
///   weight * room * ((gain + .2) / n + .3 * ln(best after 3/4 n / best) / (n / 4))
///
/// `room` is best - least, and a tenth of the best where a roofline, which is measured too, leaves
/// less. `gain` is what the model of the search expects to gain in the end, and .2 what it may not
/// see; the second term is what the latest quarter of the n evaluations gained, for each of them.
/// In the first 16 evaluations a model that does not exist yet is taken to expect a half. The gain
/// is divided by n because with noisy times a model expects some for ever.
/// @pre  `best` is not empty
[[nodiscard]] double worth_of_next(turn_task const& of) noexcept;

/// First all tunings up to `minimum` evaluations, the heaviest of those that have not begun before
/// the others; then the one whose next evaluation is worth most. By seconds: worth most for each
/// second that it takes.
[[nodiscard]] turn_policy most_gain(budget_unit by = budget_unit::evaluations,
                                    std::size_t minimum = 8);

/// The rest is what most_gain() is compared with.

/// One after the other.
[[nodiscard]] turn_policy round_robin();
/// Each has the same part of the budget, and what one leaves is left.
/// @param part  evaluations or seconds of one
[[nodiscard]] turn_policy equal_split(double part, budget_unit by = budget_unit::evaluations);
/// The task scheduler of MetaSchedule: each once; then the largest weight * (alpha * (gain of the
/// last `window` evaluations) / window + (1 - alpha) * best / n).
[[nodiscard]] turn_policy gradient(double alpha = 0.2, std::size_t window = 3);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/background/turn_policy.ipp>
#endif
