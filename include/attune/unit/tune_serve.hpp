// attune/unit/tune_serve.hpp - the definitions of tune/shape/, and of what serves calls in tune/dispatch/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::tune.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/tune/dispatch/dispatch_parts.ipp>
#include <attune/tune/dispatch/dispatch_table.ipp>
#include <attune/tune/dispatch/dispatched_kernel.ipp>
#include <attune/tune/dispatch/served/served_inputs.ipp>
#include <attune/tune/dispatch/served/shape_register.ipp>
#include <attune/tune/dispatch/served/shape_verifier.ipp>
#include <attune/tune/shape/drawn_calls.ipp>
#include <attune/tune/shape/online_slot.ipp>
#include <attune/tune/shape/shape_check.ipp>
#include <attune/tune/shape/shape_trust.ipp>
#include <attune/tune/shape/variant_proof.ipp>
#include <attune/tune/sizes/size_tree.ipp>
#include <attune/tune/sizes/tuned_sizes.ipp>
