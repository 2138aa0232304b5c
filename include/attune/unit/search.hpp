// attune/unit/search.hpp - the definitions of the stage search/ that a first tuning runs, but for search/bayes/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target
// attune::search. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/search/automatic.ipp>
#include <attune/search/local/neighbourhood_descent.ipp>
#include <attune/search/local/stepwise.ipp>
#include <attune/search/optimizer.ipp>
#include <attune/search/random.ipp>
#include <attune/search/search_limits.ipp>
#include <attune/search/transfer/past_session.ipp>
#include <attune/search/transfer/warm_portfolio.ipp>
