// attune/unit/techniques.hpp - techniques with names, the classical searches, and what chooses among them.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::techniques. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/search/compose/aging_evolution.ipp>
#include <attune/search/compose/bases.ipp>
#include <attune/search/compose/composed.ipp>
#include <attune/search/compose/gene.ipp>
#include <attune/search/compose/mutation_bandit.ipp>
#include <attune/search/compose/operators.ipp>
#include <attune/search/compose/order_operators.ipp>
#include <attune/search/compose/random_technique.ipp>
#include <attune/search/compose/recommended.ipp>
#include <attune/search/compose/selection.ipp>
#include <attune/search/compose/selector_operators.ipp>
#include <attune/search/compose/simplex.ipp>
#include <attune/search/compose/technique_sets.ipp>
#include <attune/search/compose/technique_text.ipp>
#include <attune/search/compose/unit_steps.ipp>
#include <attune/search/compose/vocabulary.ipp>
#include <attune/search/local/annealing.ipp>
#include <attune/search/local/coordinate_descent.ipp>
#include <attune/search/local/differential_evolution.ipp>
#include <attune/search/local/genetic.ipp>
#include <attune/search/local/local_search.ipp>
#include <attune/search/local/particle_swarm.ipp>
#include <attune/search/meta/auc_bandit.ipp>
#include <attune/search/meta/recommendation.ipp>
#include <attune/search/meta/recommending_bandit.ipp>
#include <attune/search/meta/space_structure.ipp>
#include <attune/search/meta/technique_history.ipp>
#include <attune/search/meta/tuning_gains.ipp>
#include <attune/search/meta/usual_gain.ipp>
