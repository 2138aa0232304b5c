// attune/tune/over/variant_text.hpp - texts of processes that tune one kernel: the facts that they share, and variants.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/record.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/report.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

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
#include <attune/tune/over/variant_text.ipp>
#endif
