// attune/unit/tune_kernel.hpp - the definitions of tune/kernel/ and dispatch/background/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::tune.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/tune/dispatch/background/apart_tuning.ipp>
#include <attune/tune/dispatch/background/background.ipp>
#include <attune/tune/dispatch/background/call_copies.ipp>
#include <attune/tune/dispatch/background/tuning_slice.ipp>
#include <attune/tune/dispatch/background/turn_policy.ipp>
#include <attune/tune/kernel/call_frame.ipp>
#include <attune/tune/kernel/code_rules.ipp>
#include <attune/tune/kernel/compile_point.ipp>
#include <attune/tune/kernel/declared_lengths.ipp>
#include <attune/tune/kernel/device_facts.ipp>
#include <attune/tune/kernel/fallback.ipp>
#include <attune/tune/kernel/launch_declaration.ipp>
#include <attune/tune/kernel/launch_text.ipp>
#include <attune/tune/kernel/owned_call.ipp>
#include <attune/tune/kernel/problem.ipp>
#include <attune/tune/kernel/stated_memory.ipp>
#include <attune/tune/kernel/stated_work.ipp>
#include <attune/tune/kernel/thread_use.ipp>
