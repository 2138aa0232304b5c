// attune/unit/search_bayes.hpp - the definitions of the Bayesian search.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target
// attune::search. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/search/bayesian.ipp>
#include <attune/search/transfer/warm_start.ipp>
