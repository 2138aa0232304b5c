// attune/unit/space_query.hpp - the definitions of space/query/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::space.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/space/query/configurations.ipp>
#include <attune/space/query/explanation.ipp>
#include <attune/space/query/reduced.ipp>
#include <attune/space/query/space_report.ipp>
