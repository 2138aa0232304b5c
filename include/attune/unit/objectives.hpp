// attune/unit/objectives.hpp - two objectives, an objective with a budget, and objectives of kernels.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::objectives. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/search/hyperband.ipp>
#include <attune/search/pareto_search.ipp>
#include <attune/tune/minimize_two.ipp>
#include <attune/tune/minimize_with_budget.ipp>
#include <attune/tune/objective.ipp>
