// attune/unit/capture.hpp - the definitions of tune/capture/ and of the file of a captured call.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::capture. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/remember/files/captured_call.ipp>
#include <attune/tune/capture.ipp>
#include <attune/tune/capture/call_capture.ipp>
#include <attune/tune/capture/call_replay.ipp>
