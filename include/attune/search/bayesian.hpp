// attune/search/bayesian.hpp - a search by a model of the objective.
// SPDX-License-Identifier: MIT
// Source   BaCO Sec. 3 (Gaussian process, noise-free expected improvement) and Sec. 4.2 (hidden
//          constraints); Hvarfner et al. 2022 (user priors); Ginsbourger et al. 2010 (constant
//          liar). Own parts: see bayesian_options.hpp and the headers of the parts.
// Bench    bench/search/replay.cpp, bench/search/ablation.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/bayes/bayesian_loop.hpp>
#include <attune/search/bayes/bayesian_options.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstdint>

namespace attune::inline ATTUNE_ABI {

/// Bayesian optimisation, minimising. A second model learns where points fail.
///
/// Does not propose the default configuration first: evaluate it, and pass its outcome to tell().
/// Ignores points outside the space. A second outcome of a point replaces the first. A measurement
/// that is not finite counts as a failure.
class bayesian_searcher : public detail::bayesian_loop {
public:
    explicit bayesian_searcher(chain_of_trees space, std::uint64_t seed = 0,
                               bayesian_options const& options = {});
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/bayesian.ipp>
#endif
