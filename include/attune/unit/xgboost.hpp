// attune/unit/xgboost.hpp - the definitions of search/ that need XGBoost.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::xgboost. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/search/cost/xgboost_trees.ipp>
