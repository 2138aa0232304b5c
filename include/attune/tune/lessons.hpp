// attune/tune/lessons.hpp - lets the including program learn from other tunings and keep its lessons.
// SPDX-License-Identifier: MIT
// tested by tune/program/samples.cpp
//
// For tuning_search::samples and tuning_search::techniques, and for event logs of tunings that used
// them. The program links attune::lessons.
#pragma once

#ifndef ATTUNE_OFF
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Registers the files of lessons for the tunings of this program.
void keep_lessons() noexcept;

/// Runs before the constructors of static objects, which may be kernels.
[[gnu::constructor(102), gnu::used]] static void keep_lessons_from_the_start() noexcept
{
    keep_lessons();
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/lessons.ipp>
#endif
#endif // ATTUNE_OFF
