// attune/unit/tune_serve.hpp - the definitions of tune/shape/, and of tune/dispatch/ without choice/ and background/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::tune.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

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
#include <attune/tune/shape/drawn_calls.ipp>
#include <attune/tune/shape/online_slot.ipp>
#include <attune/tune/shape/shape_check.ipp>
#include <attune/tune/shape/shape_proof.ipp>
#include <attune/tune/shape/shape_table.ipp>
#include <attune/tune/shape/shape_trust.ipp>
#include <attune/tune/shape/size_relations.ipp>
#include <attune/tune/shape/sized_arrays.ipp>
#include <attune/tune/shape/variant_proof.ipp>
