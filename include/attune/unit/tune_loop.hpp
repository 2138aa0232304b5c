// attune/unit/tune_loop.hpp - the definitions of tune/loop/: the session of a kernel.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::tune.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/tune/loop/logged_search.ipp>
#include <attune/tune/loop/run_state.ipp>
#include <attune/tune/loop/session.ipp>
#include <attune/tune/loop/session_memory.ipp>
#include <attune/tune/loop/time_bounds.ipp>
