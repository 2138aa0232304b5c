// attune/search/bayesian.ipp - the default Bayesian search, compiled once.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/bayes/basic_bayesian.hpp>
#include <attune/search/bayesian.hpp>
#include <attune/search/transfer/warm_process.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE
bayesian_searcher::bayesian_searcher(chain_of_trees space, std::uint64_t seed,
                                     bayesian_options const& options)
    : bayesian_loop(basic_bayesian_searcher<detail::warm_process>(std::move(space), seed, options))
{
}

} // namespace attune::inline ATTUNE_ABI
