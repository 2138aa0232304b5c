// attune/tune/over/mpi/rank_messages.hpp - texts of processes that search or tune together: messages, shared facts, variants.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/record.hpp>
#include <attune/tune/loop/minimize_slots.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/report.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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

/// The facts that one process states.
struct process_identity {
    std::string name{};    ///< as text for the user: "rank 3 on node7"
    std::string problem{}; ///< why it cannot take part; empty: it can
    std::string space{};   ///< space_of_rank()
    /// The readable parts of the kernel's key, which the user can act upon, and its fingerprints.
    named_texts facts{};
    std::string machine{}; ///< the device of the key, on which times are measured
};

/// @param space  with the values of its inputs
[[nodiscard]] process_identity identity_of(record_key const& key, description const& space,
                                           std::string name);

[[nodiscard]] std::string text_of_identity(process_identity const& one);
/// Errors   std::runtime_error: the text is damaged
[[nodiscard]] process_identity read_identity(std::string_view text);

/// Refuses processes whose times are not comparable.
/// @param all  first the process that searches. All processes pass the same list, and throw the
///             same error
/// Errors   attune::error: a process cannot take part; a kernel, space, input or compiler differs
///          from the first process; unlike machines, with a table of machines and processes
void refuse_unlike(std::vector<process_identity> const& all);

/// Returns the facts of a variant except its configuration, its outcome and its code.
/// @param most_bytes  a longer text leaves out the single times
[[nodiscard]] std::string text_of_variant(tried_variant const& tried, std::size_t most_bytes);
/// Errors   std::runtime_error: the text is damaged
void read_variant(std::string_view text, tried_variant& to);

/// How a tuning ended.
struct found_elsewhere {
    std::optional<point> at{}; ///< the serving configuration; empty: the default serves, untuned
    tuning_report report{};
};

/// Returns the parts of the report that the user reads of a tuning: without noise, roofline,
/// baseline, and texts on shapes.
[[nodiscard]] std::string text_of_found(found_elsewhere const& found);
/// Errors   std::runtime_error: the text is damaged
[[nodiscard]] found_elsewhere read_found(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/over/mpi/rank_messages.ipp>
#endif
