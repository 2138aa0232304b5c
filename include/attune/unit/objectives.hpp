// attune/unit/objectives.hpp - searches for two objectives, and for an objective with a budget.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::objectives. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/search/fidelity/hyperband.ipp>
#include <attune/search/pareto/front.ipp>
#include <attune/search/pareto/pareto_search.ipp>
#include <attune/tune/minimize_two.ipp>
#include <attune/tune/minimize_with_budget.ipp>
