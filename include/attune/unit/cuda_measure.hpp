// attune/unit/cuda_measure.hpp - the definitions of measure/device/ without worker/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::cuda.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/measure/device/device_bench.ipp>
#include <attune/measure/device/device_call.ipp>
#include <attune/measure/device/device_compare.ipp>
#include <attune/measure/device/device_runs.ipp>
#include <attune/measure/device/device_session.ipp>
#include <attune/measure/device/device_trials.ipp>
