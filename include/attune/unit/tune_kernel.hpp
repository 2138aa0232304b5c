// attune/unit/tune_kernel.hpp - the definitions of tune/kernel/ and tune/shape/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::tune.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/tune/kernel/call_frame.ipp>
#include <attune/tune/kernel/code_rules.ipp>
#include <attune/tune/kernel/compile_point.ipp>
#include <attune/tune/kernel/device_facts.ipp>
#include <attune/tune/kernel/fallback.ipp>
#include <attune/tune/kernel/launch_declaration.ipp>
#include <attune/tune/kernel/launch_text.ipp>
#include <attune/tune/kernel/owned_call.ipp>
#include <attune/tune/kernel/problem.ipp>
#include <attune/tune/kernel/stated_memory.ipp>
#include <attune/tune/kernel/stated_work.ipp>
#include <attune/tune/kernel/thread_use.ipp>
#include <attune/tune/shape/derived_shapes.ipp>
#include <attune/tune/shape/online_slot.ipp>
#include <attune/tune/shape/shape_check.ipp>
#include <attune/tune/shape/shape_proof.ipp>
#include <attune/tune/shape/shape_table.ipp>
#include <attune/tune/shape/shape_trust.ipp>
