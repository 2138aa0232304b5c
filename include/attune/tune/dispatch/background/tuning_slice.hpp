// attune/tune/dispatch/background/tuning_slice.hpp - tunings that are made in slices: whose turn it is, and how much a slice may cost.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/search_limits.hpp>
#include <attune/tune/loop/session_memory.hpp>
#include <attune/tune/options.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One session of a tuning that has several.
struct tuning_slice {
    std::uint64_t evaluations = 0; ///< of this session and those before it
    double seconds = 0;            ///< of this session
    double seconds_before = 0;     ///< of those before it
    /// Of the sessions before, as run_session() takes them. A store may know more.
    std::vector<known_outcome> known{};
    bench_factory make_bench{}; ///< empty: that of the options
    /// Kept for all sessions of a tuning: the first session that finds none here reads them. Null:
    /// this session reads them for itself.
    std::optional<lesson_list>* lessons = nullptr;
    /// So many tunings share `evaluations` and `seconds`, by whichever of them goes on: see
    /// stepped_session::allow(). The limits of `tuned` do not count then, and none waits for one
    /// who tunes the same. 0: they are this one's.
    std::size_t sharers = 0;
    search_limits left{}; ///< where they share: what the others left when it began
};

/// What a tuning is asked for at least.
[[nodiscard]] search_limits part_of(tuning_slice const& slice) noexcept;

/// A tuning, as far as its turn is concerned.
struct sliced_tuning {
    std::uint64_t evaluations = 0; ///< allowed by the slices so far; 0: it had none
    double spent_s = 0;            ///< by the slices so far
    std::uint64_t calls = 0;       ///< made by the program
    std::vector<double> best{};    ///< see best_after()
};

/// Seconds of the best after each of these outcomes. @param outcomes  with the default's first
[[nodiscard]] std::vector<double> best_after(std::span<known_outcome const> outcomes);

/// The index of the tuning that goes on: of those without a slice the one called most, else the one
/// whose next evaluation is worth most by its calls: worth_of_next(). The first of equals.
/// @pre  there is one
[[nodiscard]] std::size_t next_in_turn(std::span<sliced_tuning const> all);

/// The next slice of a tuning: a quarter of its limits, then as much again as it has had. Where
/// `left` of all tunings together would not last for the first slices of those that wait, the first
/// slices are shorter.
/// @param whole    limits of one tuning
/// @param left     of all tunings together
/// @param waiting  tunings without a slice, with this one if it had none
[[nodiscard]] tuning_slice next_slice(sliced_tuning const& of, search_limits const& whole,
                                      search_limits const& left, std::size_t waiting);
/// Whether a tuning that has had so much needs no other slice.
[[nodiscard]] bool has_all(sliced_tuning const& of, search_limits const& whole) noexcept;

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/background/tuning_slice.ipp>
#endif
