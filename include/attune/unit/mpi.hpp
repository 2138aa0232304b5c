// attune/unit/mpi.hpp - the definitions of tune/ that need MPI.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::mpi. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/tune/minimize_over.ipp>
#include <attune/tune/tune_over.ipp>
