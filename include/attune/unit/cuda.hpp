// attune/unit/cuda.hpp - the definitions of tune/device/cuda/ and of a GPU's worker process.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::cuda.
// With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/measure/device/worker/worker_arrays.ipp>
#include <attune/measure/device/worker/worker_bench.ipp>
#include <attune/measure/device/worker/worker_door.ipp>
#include <attune/measure/device/worker/worker_process.ipp>
#include <attune/measure/device/worker/worker_protocol.ipp>
#include <attune/measure/device/worker/worker_wire.ipp>
#include <attune/tune/device/cuda/cuda_bench.ipp>
#include <attune/tune/device/cuda/cuda_device.ipp>
#include <attune/tune/device/cuda/cuda_kernel.ipp>
