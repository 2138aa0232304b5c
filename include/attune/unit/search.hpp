// attune/unit/search.hpp - the definitions of the stage search/ that a first tuning runs.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::search. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/search/automatic.ipp>
#include <attune/search/bayes/bayesian_loop.ipp>
#include <attune/search/bayes/features/derived.ipp>
#include <attune/search/bayes/features/derived_column.ipp>
#include <attune/search/bayes/features/feature_map.ipp>
#include <attune/search/bayes/features/parameter_features.ipp>
#include <attune/search/bayes/gp/code_book.ipp>
#include <attune/search/bayes/gp/columns.ipp>
#include <attune/search/bayes/gp/conditional.ipp>
#include <attune/search/bayes/gp/evidence.ipp>
#include <attune/search/bayes/gp/maximise.ipp>
#include <attune/search/bayes/gp/pool.ipp>
#include <attune/search/bayes/gp/process.ipp>
#include <attune/search/bayes/memory.ipp>
#include <attune/search/bayes/model/learner.ipp>
#include <attune/search/bayesian.ipp>
#include <attune/search/exhaustive.ipp>
#include <attune/search/local/neighbourhood_descent.ipp>
#include <attune/search/local/stepwise.ipp>
#include <attune/search/local/wide_climb.ipp>
#include <attune/search/optimizer_core.ipp>
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
