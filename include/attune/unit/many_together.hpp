// attune/unit/many_together.hpp - the definitions of tune/together/: many kernels under one budget.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::many.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/tune/together.ipp>
#include <attune/tune/together/shared_budget.ipp>
#include <attune/tune/together/together_tuning.ipp>
#include <attune/tune/together_session.ipp>
