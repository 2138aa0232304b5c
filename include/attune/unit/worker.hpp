// attune/unit/worker.hpp - the definitions of measure/message/ and measure/cuda/worker/, which need JSON.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::detail::worker. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/measure/cuda/worker/worker_arrays.ipp>
#include <attune/measure/cuda/worker/worker_bench.ipp>
#include <attune/measure/cuda/worker/worker_door.ipp>
#include <attune/measure/cuda/worker/worker_main.ipp>
#include <attune/measure/cuda/worker/worker_process.ipp>
#include <attune/measure/cuda/worker/worker_protocol.ipp>
#include <attune/measure/cuda/worker/worker_wire.ipp>
#include <attune/measure/message/message_values.ipp>
#include <attune/measure/message/outcome_values.ipp>
