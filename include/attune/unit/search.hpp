// attune/unit/search.hpp - everything of search that needs heavy headers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/automatic.ipp>
#include <attune/search/bayes/features/feature_map.ipp>
#include <attune/search/bayes/forest/forest.ipp>
#include <attune/search/bayes/gp/pool.ipp>
#include <attune/search/bayesian.ipp>
#include <attune/search/exhaustive.ipp>
#include <attune/search/optimizer.ipp>
#include <attune/search/random.ipp>
#include <attune/search/search_log.ipp>
#include <attune/unit/local_search.hpp>
