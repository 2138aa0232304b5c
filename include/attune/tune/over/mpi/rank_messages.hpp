// attune/tune/over/mpi/rank_messages.hpp - the messages between rank 0 and the other ranks of a search.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/measure/message/message_values.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/loop/slot_evaluator.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

inline void put_point(message_writer& to, point const& at)
{
    to.put(at.size());
    for (coordinate const& c : at) {
        to.put(c.index);
        to.put(c.real);
    }
}

[[nodiscard]] inline point get_point(message_reader& from)
{
    point out(from.get_count());
    for (coordinate& c : out) {
        c.index = from.get<std::uint32_t>();
        c.real = from.get<double>();
    }
    return out;
}

// A rank sends one report, its hello or the outcome of its last order, and then waits for an order.
// A rank thus has at most one report under way. Rank 0 can provide for this one when it leaves.

/// Returns the facts that all ranks must have in common: a hash of the space and of the values of
/// its inputs. A line "name=value" follows for each input that is bound.
[[nodiscard]] std::string space_of_rank(description const& space);
/// Returns in words how two spaces of ranks differ; empty: they are the same.
/// @param own  space of the rank that the text describes
[[nodiscard]] std::string difference_of_spaces(std::string_view own, std::string_view of_rank_0);

/// A message to rank 0. No report is longer than `longest_report` bytes.
struct rank_report {
    std::string host{};
    std::string space{};   ///< in the hello: space_of_rank() of the rank's own space
    std::string problem{}; ///< in the hello: why the rank has no space; may be empty
    /// Empty in a hello, or, with wants_stop, if the order was not evaluated. In the hello for a
    /// tuned kernel it is the outcome of the default.
    std::optional<guarded_evaluation> seen{};
    bool wants_stop = false; ///< Ctrl-C was pressed at this rank
    std::string variant{};   ///< see slot_event::variant
};
inline constexpr std::size_t longest_report = std::size_t{1} << 16;

/// A message from rank 0: a configuration to evaluate, or the end with its result.
struct rank_order {
    std::optional<point> at{};
    /// For a tuned kernel: timing may end if `at` is proven slower.
    double stop_above_s = std::numeric_limits<double>::infinity();
    minimum_on_slots end{};
    std::string problem{};  ///< at the end: why there is no result; may be empty
    bool some_left = false; ///< at the end: rank 0 does not wait for some ranks
    std::string space{};    ///< at the end: space_of_rank() of rank 0; may be empty
    std::string found{};    ///< at the end, of a tuned kernel: text_of_found()
};

/// Returns the report as text. If it is too long, texts of a failure and of a space's inputs are
/// cut, and `variant` is left out. If quantities are too long, the outcome becomes a failure with
/// that reason.
[[nodiscard]] std::string text_of_report(rank_report const& report);
[[nodiscard]] std::string text_of_order(rank_order const& order);
/// Errors of both   std::runtime_error: the text is damaged, or of another version of attune
[[nodiscard]] rank_report read_report(std::string_view text);
[[nodiscard]] rank_order read_order(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/over/mpi/rank_messages.ipp>
#endif
