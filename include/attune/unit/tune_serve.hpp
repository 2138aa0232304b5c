// attune/unit/tune_serve.hpp - the definitions of tune/dispatch/.
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
#include <attune/tune/dispatch/call_watch.ipp>
#include <attune/tune/dispatch/choice/default_code.ipp>
#include <attune/tune/dispatch/choice/forced_choice.ipp>
#include <attune/tune/dispatch/choice/kept_samples.ipp>
#include <attune/tune/dispatch/choice/near_choice.ipp>
#include <attune/tune/dispatch/choice/remembered_choice.ipp>
#include <attune/tune/dispatch/choice/session_record.ipp>
#include <attune/tune/dispatch/choice/variant_choice.ipp>
#include <attune/tune/dispatch/dispatch_parts.ipp>
#include <attune/tune/dispatch/dispatch_report.ipp>
#include <attune/tune/dispatch/dispatch_table.ipp>
#include <attune/tune/dispatch/dispatched_kernel.ipp>
#include <attune/tune/dispatch/mode.ipp>
#include <attune/tune/dispatch/served/bucketed_inputs.ipp>
#include <attune/tune/dispatch/served/inputs_register.ipp>
#include <attune/tune/dispatch/served/installed_variant.ipp>
#include <attune/tune/dispatch/served/shape_register.ipp>
#include <attune/tune/dispatch/served/shape_verifier.ipp>
