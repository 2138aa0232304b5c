// attune/tune/capture.hpp - a program that includes this captures calls, and tunes on captured ones.
// SPDX-License-Identifier: MIT
//
// ATTUNE_CAPTURE=KERNEL[:64MiB][=FILE] writes one call of a kernel to a file; `attune retune FILE
// -- PROGRAM` has the program tune on that call. One file of the program includes this header, and
// the program links attune::capture.
#pragma once

#ifndef ATTUNE_OFF
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Kernels of this program obey ATTUNE_CAPTURE and ATTUNE_REPLAY from now on.
void watch_calls() noexcept;

/// Before static objects are made: they may be kernels.
[[gnu::constructor(102), gnu::used]] static void watch_calls_from_the_start() noexcept
{
    watch_calls();
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/capture.ipp>
#endif
#endif // ATTUNE_OFF
