// attune/unit/published.hpp - published searches of other tools.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::published. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/search/published/other_tools.ipp>
