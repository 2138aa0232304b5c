// attune/unit/models.hpp - models beside the default: forests, cost models, a search in two levels.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::models. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/search/bayes/forest/tree.ipp>
#include <attune/search/bayes/model/forest_model.ipp>
#include <attune/search/cost/boosted_trees.ipp>
#include <attune/search/cost/cost_samples.ipp>
#include <attune/search/transfer/other_programs.ipp>
#include <attune/search/two_level/evolutionary_search.ipp>
#include <attune/search/two_level/two_level_search.ipp>
