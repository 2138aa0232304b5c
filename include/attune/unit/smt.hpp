// attune/unit/smt.hpp - the definitions of space/ that need Z3.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::smt. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/space/smt/smt_solver.ipp>
