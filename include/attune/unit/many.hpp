// attune/unit/many.hpp - the definitions of tune/over/ and study/: many machines.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::many.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/remember/study.ipp>
#include <attune/tune/over/mpi/rank_messages.ipp>
#include <attune/tune/over/slots.ipp>
#include <attune/tune/over/tuning_elsewhere.ipp>
#include <attune/tune/study.ipp>
