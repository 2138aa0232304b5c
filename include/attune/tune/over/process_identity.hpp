// attune/tune/over/process_identity.hpp - what processes that tune one kernel must have in common.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/remember/record.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// One process, as it says of itself.
struct process_identity {
    std::string name{};    ///< for people: "rank 3 on node7"
    std::string problem{}; ///< why it cannot take part; empty: it can
    std::string space{};   ///< space_of_rank()
    /// Of the kernel's key what a person can act upon when it differs, and its fingerprints.
    named_texts facts{};
    std::string machine{}; ///< the device of the key: where times are taken
};

/// @param space  with the values of its inputs
[[nodiscard]] process_identity identity_of(record_key const& key, description const& space,
                                           std::string name);

[[nodiscard]] std::string text_of_identity(process_identity const& one);
/// Errors   std::runtime_error: the text is damaged
[[nodiscard]] process_identity read_identity(std::string_view text);

/// Times of unlike machines are no times of one problem.
/// @param all  with the process that searches first; the same on all, so that all throw the same
/// Errors   attune::error: one cannot take part; another kernel, space, inputs or compiler than
///          that of the first; unlike machines, with a table of machines and processes
void refuse_unlike(std::vector<process_identity> const& all);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/over/process_identity.ipp>
#endif
