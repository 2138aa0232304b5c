// attune/search/models.hpp - models beside the default: forests, cost models, a search in two levels.
// SPDX-License-Identifier: MIT
// tested by search/transfer/other_programs.cpp
//
// Compiled by the target attune::models. With it the default search learns from programs of other
// tasks, search::automatic::learn_from().
#pragma once

#include <attune/search/bayes/model/forest_model.hpp>
#include <attune/search/cost/boosted_trees.hpp>
#include <attune/search/transfer/other_programs.hpp>
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/search/two_level/two_level_search.hpp>
