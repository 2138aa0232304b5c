// attune/remember/record_store.ipp - the answers of a store that keeps only winners.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/record_store.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE any_store::any_store()
    : note([](stored_problem const&, tried_row const&) {})
    , end([](stored_problem const&) {})
    , prove([](stored_problem const&, proven_shape const&) {})
    , recall([](stored_problem const& wanted) { return problem_history{.problem = wanted}; })
    , related([](stored_problem const&, std::size_t) { return std::vector<related_problem>{}; })
    , proofs([](stored_problem const&, std::string const&) { return std::vector<proven_shape>{}; })
    , claim([](record_key const&, double) { return problem_claim{}; })
{
}

} // namespace attune::inline ATTUNE_ABI::detail
