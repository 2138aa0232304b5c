// attune/search/published/opentuner_default.hpp - OpenTuner's default search as published.
// SPDX-License-Identifier: MIT
// Source   Ansel et al., "OpenTuner: an extensible framework for program autotuning", PACT 2014.
//          Numbers and rules that are not in the paper are those of its program, version 0.8.8:
//          AUCBanditMetaTechniqueA, four techniques by an AUC bandit
// Bench    bench/search/replay.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/search/searcher.hpp>

namespace attune::inline ATTUNE_ABI::published {

/// OpenTuner's default: an AUC bandit over
/// - differential evolution of 30 members, in which each parameter changes with probability 0.2;
/// - the best configuration with a parameter drawn anew, each other one with probability 0.1;
/// - the best configuration with a parameter moved by a normal number, each other one with
///   probability 0.3;
/// - Nelder-Mead from a random simplex, which ends when it has converged.
/// A configuration that failed has an infinite value: it is worse than all successes and equal to
/// any other failure. Numbers are compared by their places in the table, as ATF passes them to
/// OpenTuner; booleans, categories and orders that a formula cannot combine are drawn anew.
///
/// In a mutation one parameter, drawn at random, always changes. Deviations:
/// - OpenTuner has no constraints; here a proposal that breaks one becomes the nearest valid
///   configuration.
/// - A proposal that was measured before counts as a use without a new best, and the next technique
///   is asked in the same step. OpenTuner credits it again if it was a new best when measured.
/// - A technique that has ended or waits for outcomes also gets such a use, which OpenTuner does
///   not count: asked for several configurations at once, the bandit chooses worse.
/// - A normal step goes at least to the next number of a table; OpenTuner draws again only if the
///   whole configuration is unchanged. A table's length is its number of values less one; in
///   OpenTuner, its number of values.
/// - If no technique has a new proposal for long, a random configuration is proposed.
///
/// @param options  OpenTuner's exploration 0.05 and window 500 by default
/// Example   options.search = attune::published::opentuner_default();
[[nodiscard]] search_factory opentuner_default(search::auc_bandit_options const& options = {});

} // namespace attune::inline ATTUNE_ABI::published

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/published/opentuner_default.ipp>
#endif
