// attune/unit/tool.hpp - the definitions of the program attune: ship/tool/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit: that of the CMake target attune_tool, which the program
// and its tests link. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/ship/tool/command.ipp>
#include <attune/ship/tool/tool.ipp>
