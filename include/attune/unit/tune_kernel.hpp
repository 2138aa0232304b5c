// attune/unit/tune_kernel.hpp - the definitions of tune/kernel/, and of tunings beside the program.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::tune.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/tune/dispatch/apart_tuning.ipp>
#include <attune/tune/dispatch/tuning_slice.ipp>
#include <attune/tune/kernel/call_frame.ipp>
#include <attune/tune/kernel/compile_point.ipp>
#include <attune/tune/kernel/kernel_description.ipp>
#include <attune/tune/kernel/launch_declaration.ipp>
#include <attune/tune/kernel/owned_call.ipp>
#include <attune/tune/kernel/problem.ipp>
#include <attune/tune/kernel/user_functions.ipp>
