// attune/unit/roofline.hpp - the definitions of the limits of machines, and lessons from them.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::roofline. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/measure/roofline/machine_limits.ipp>
#include <attune/search/narrowing_search.ipp>
#include <attune/space/query/setting_list.ipp>
#include <attune/tune/loop/candidate_pruning.ipp>
#include <attune/tune/roofline.ipp>
