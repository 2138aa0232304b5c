// attune/tune/capture.hpp - captures calls of the including program, and tunes on captured calls.
// SPDX-License-Identifier: MIT
//
// ATTUNE_CAPTURE=KERNEL[:64MiB][=FILE] writes one call of a kernel to a file; `attune retune FILE
// -- PROGRAM` has the program tune on that call. Include this header in one file of the program,
// and link attune::capture.
#pragma once

#ifndef ATTUNE_OFF
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI::detail {

/// Registers ATTUNE_CAPTURE and ATTUNE_REPLAY for the kernels of this program.
void watch_calls() noexcept;

/// Runs before the constructors of static objects, which may be kernels.
[[gnu::constructor(102), gnu::used]] static void watch_calls_from_the_start() noexcept
{
    watch_calls();
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/capture.ipp>
#endif
#endif // ATTUNE_OFF
