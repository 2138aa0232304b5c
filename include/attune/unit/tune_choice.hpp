// attune/unit/tune_choice.hpp - the definitions of tune/dispatch/choice/, and the variables that force a choice.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::tune.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/tune/dispatch/choice/default_code.ipp>
#include <attune/tune/dispatch/choice/near_choice.ipp>
#include <attune/tune/dispatch/choice/remembered_choice.ipp>
#include <attune/tune/dispatch/choice/session_record.ipp>
#include <attune/tune/dispatch/choice/variant_choice.ipp>
#include <attune/tune/dispatch/mode.ipp>
