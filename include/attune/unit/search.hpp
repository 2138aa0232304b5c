// attune/unit/search.hpp - the definitions of the stage search/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::search. With ATTUNE_HEADER_ONLY nobody includes it.
#pragma once

#include <attune/search/automatic.ipp>
#include <attune/search/bayes/features/derived.ipp>
#include <attune/search/bayes/features/derived_column.ipp>
#include <attune/search/bayes/features/feature_map.ipp>
#include <attune/search/bayes/features/parameter_features.ipp>
#include <attune/search/bayes/forest/coding.ipp>
#include <attune/search/bayes/forest/forest.ipp>
#include <attune/search/bayes/forest/masked_tree.ipp>
#include <attune/search/bayes/forest/tree_grower.ipp>
#include <attune/search/bayes/gp/code_book.ipp>
#include <attune/search/bayes/gp/columns.ipp>
#include <attune/search/bayes/gp/conditional.ipp>
#include <attune/search/bayes/gp/evidence.ipp>
#include <attune/search/bayes/gp/maximise.ipp>
#include <attune/search/bayes/gp/pool.ipp>
#include <attune/search/bayes/gp/process.ipp>
#include <attune/search/bayes/memory.ipp>
#include <attune/search/bayesian.ipp>
#include <attune/search/compose/bases.ipp>
#include <attune/search/compose/composed.ipp>
#include <attune/search/compose/gene.ipp>
#include <attune/search/compose/mutation_bandit.ipp>
#include <attune/search/compose/operators.ipp>
#include <attune/search/compose/order_operators.ipp>
#include <attune/search/compose/simplex.ipp>
#include <attune/search/compose/technique_sets.ipp>
#include <attune/search/compose/technique_text.ipp>
#include <attune/search/compose/unit_steps.ipp>
#include <attune/search/cost/boosted_trees.ipp>
#include <attune/search/cost/cost_samples.ipp>
#include <attune/search/exhaustive.ipp>
#include <attune/search/local/annealing.ipp>
#include <attune/search/local/coordinate_descent.ipp>
#include <attune/search/local/differential_evolution.ipp>
#include <attune/search/local/genetic.ipp>
#include <attune/search/local/local_search.ipp>
#include <attune/search/local/neighbourhood_descent.ipp>
#include <attune/search/local/particle_swarm.ipp>
#include <attune/search/local/stepwise.ipp>
#include <attune/search/meta/auc_bandit.ipp>
#include <attune/search/optimizer_core.ipp>
#include <attune/search/published/baco.ipp>
#include <attune/search/published/cot_sampling.ipp>
#include <attune/search/published/kernel_tuner_bo.ipp>
#include <attune/search/random.ipp>
#include <attune/search/repeat.ipp>
#include <attune/search/stop.ipp>
#include <attune/search/transfer/expectation.ipp>
#include <attune/search/transfer/opening.ipp>
#include <attune/search/transfer/past_text.ipp>
#include <attune/search/transfer/portfolio.ipp>
#include <attune/search/transfer/source_model.ipp>
#include <attune/search/transfer/translate.ipp>
#include <attune/search/transfer/warm_portfolio.ipp>
#include <attune/search/transfer/warm_start.ipp>
#include <attune/search/two_level/evolutionary_search.ipp>
#include <attune/search/two_level/two_level_search.ipp>
