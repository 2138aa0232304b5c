// attune/tune/over/mpi/rank_messages.hpp - what rank 0 and the other ranks of a search tell each other.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/evaluation.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/loop/slot_evaluator.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

// A rank sends one report, its hello or the outcome of its last order, and then waits for an order.
// So it never has more than one report under way, for which rank 0 can be ready when it leaves.

/// What all ranks must have in common: a hash of the space and of the values of its inputs, then a
/// line "name=value" for each input that is bound.
[[nodiscard]] std::string space_of_rank(description const& space);
/// Why two spaces of ranks are not the same, in words; empty: they are.
/// @param own  of the rank that it is about
[[nodiscard]] std::string difference_of_spaces(std::string_view own, std::string_view of_rank_0);

/// To rank 0. No report is longer than `longest_report` bytes.
struct rank_report {
    std::string host{};
    std::string space{};   ///< in the hello: space_of_rank() of the rank's own space
    std::string problem{}; ///< in the hello: why the rank has no space; else empty
    /// Nothing: a hello, or, with wants_stop, the order was not evaluated. In the hello for a tuned
    /// kernel it is that of the default.
    std::optional<guarded_evaluation> seen{};
    bool wants_stop = false; ///< Ctrl-C was pressed at this rank
    std::string variant{};   ///< see slot_event::variant
};
inline constexpr std::size_t longest_report = std::size_t{1} << 16;

/// From rank 0: a configuration to evaluate, or else the end with its result.
struct rank_order {
    std::optional<point> at{};
    /// Of a tuned kernel: timing may end where `at` is proven slower.
    double stop_above_s = std::numeric_limits<double>::infinity();
    minimum_on_slots end{};
    std::string problem{};  ///< at the end: why there is no result; else empty
    bool some_left = false; ///< at the end: rank 0 does not wait for some ranks
    std::string space{};    ///< at the end: space_of_rank() of rank 0; empty: it has none
    std::string found{};    ///< at the end, of a tuned kernel: text_of_found()
};

/// Where the report is too long, texts of a failure and of a space's inputs are cut, and `variant`
/// is left out; quantities that are too long make it a failure that says so.
[[nodiscard]] std::string text_of_report(rank_report const& report);
[[nodiscard]] std::string text_of_order(rank_order const& order);
/// Errors of both   std::runtime_error: the text is damaged, or of another version of attune
[[nodiscard]] rank_report read_report(std::string_view text);
[[nodiscard]] rank_order read_order(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/over/mpi/rank_messages.ipp>
#endif
