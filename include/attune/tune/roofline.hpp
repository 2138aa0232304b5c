// attune/tune/roofline.hpp - a program that includes this compares times with the limits of the machine.
// SPDX-License-Identifier: MIT
//
// For kernel.work(): the roofline of the report, limits.roofline_share and search.prune. The
// program links attune::roofline.
#pragma once

#ifndef ATTUNE_OFF
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// The work that kernels of this program state counts from now on.
void know_time_bounds() noexcept;

/// Before static objects are made: they may be kernels.
[[gnu::constructor(102), gnu::used]] static void know_time_bounds_from_the_start() noexcept
{
    know_time_bounds();
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/roofline.ipp>
#endif
#endif // ATTUNE_OFF
