// attune/remember/lines/compacted.hpp - the text of a store without the lines that no answer needs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// Leaves out what record_table reads no more, equal proofs but the latest, winners that
/// others supersede, and lines of a problem between its first and its last one. All else stays, in
/// its order: damaged lines too, and what a later release wrote.
///
/// store::find(), recall(), related() and proofs() answer as before. A text that has a line without
/// checksum, which is of format 1 or edited by a person, stays as it is; so does one that is no
/// store.
/// Cost  2 ns a byte
[[nodiscard]] std::string compacted(std::string_view text);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/lines/compacted.ipp>
#endif
