// attune/search/search.ipp - everything of search that needs heavy headers.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> [search] -> compile -> measure -> remember
// In       nothing
// Out      the definitions behind attune::search; included by exactly one translation unit
// Source   own
// Depends  Eigen, LBFGSpp
// Tests    tests/search/bayesian.cpp, tests/search/gp/process.cpp
#pragma once

#include <attune/search/automatic.ipp>
#include <attune/search/bayesian.ipp>
#include <attune/search/exhaustive.ipp>
#include <attune/search/features/feature_map.ipp>
#include <attune/search/forest/forest.ipp>
#include <attune/search/gp/pool.ipp>
#include <attune/search/local/local.ipp>
#include <attune/search/optimizer.ipp>
#include <attune/search/random.ipp>
#include <attune/search/search_log.ipp>
