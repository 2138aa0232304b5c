// attune/tune/loop/found_minimum.ipp - the sentence at the end of a search.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/quantity_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/tune/loop/found_minimum.hpp>
#include <attune/tune/loop/minimize_loop.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void conclude(found_minimum& out, run_state const& board, description const& space,
                            search_limits const& limits, bool interrupted, std::string const& with)
{
    out.evaluations = board.evaluations();
    out.failures = board.failures();
    out.interrupted = interrupted;
    board.announce(progress_event::finished,
                   !wants_tuning(limits) ? "nothing was searched: the budget is zero"
                   : out.best            ? "best " + text_of_quantity(out.value, false) + " at " +
                                    text_of(space, *out.best) + with + " after " +
                                    std::to_string(out.evaluations) + " evaluations"
                   : !out.shortfall.empty() ? out.shortfall + ", after " +
                                                  std::to_string(out.evaluations) + " evaluations"
                                            : text_of_failures(board));
}

} // namespace attune::inline ATTUNE_ABI::detail
