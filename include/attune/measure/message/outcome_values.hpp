// attune/measure/message/outcome_values.hpp - an outcome as values of a message.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/message/message_values.hpp>

namespace attune::inline ATTUNE_ABI::detail {

void put_failure(message_writer& to, failure const& what);
void put_measurement(message_writer& to, measurement const& what);
void put_outcome(message_writer& to, outcome const& what);

/// Errors   damaged_message: also for a stage that does not exist
[[nodiscard]] failure get_failure(message_reader& from);
[[nodiscard]] measurement get_measurement(message_reader& from);
[[nodiscard]] outcome get_outcome(message_reader& from);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/message/outcome_values.ipp>
#endif
