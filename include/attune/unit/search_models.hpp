// attune/unit/search_models.hpp - the definitions of the features and the Gaussian process of search/bayes/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target
// attune::search. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/search/bayes/features/derived.ipp>
#include <attune/search/bayes/features/feature_map.ipp>
#include <attune/search/bayes/features/parameter_features.ipp>
#include <attune/search/bayes/gp/conditional.ipp>
#include <attune/search/bayes/gp/evidence.ipp>
#include <attune/search/bayes/gp/kernel.ipp>
#include <attune/search/bayes/gp/pool.ipp>
#include <attune/search/bayes/gp/process.ipp>
#include <attune/search/bayes/model/learner.ipp>
