// attune/tune/lessons.hpp - a program that includes this learns from other tunings, and keeps what its own say.
// SPDX-License-Identifier: MIT
// tested by tune/program/samples.cpp
//
// For tuning_search::samples and tuning_search::techniques, and for event logs of tunings that had
// them. The program links attune::lessons.
#pragma once

#ifndef ATTUNE_OFF
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Tunings of this program use the files that they are given from now on.
void keep_lessons() noexcept;

/// Before static objects are made: they may be kernels.
[[gnu::constructor(102), gnu::used]] static void keep_lessons_from_the_start() noexcept
{
    keep_lessons();
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/lessons.ipp>
#endif
#endif // ATTUNE_OFF
