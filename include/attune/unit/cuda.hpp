// attune/unit/cuda.hpp - the definitions of measure/cuda/ and tune/device/cuda/: kernels tuned on a GPU.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::cuda. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/measure/cuda/device_bench.ipp>
#include <attune/measure/cuda/device_clock.ipp>
#include <attune/measure/cuda/device_compare.ipp>
#include <attune/measure/cuda/device_copies.ipp>
#include <attune/measure/cuda/device_memory.ipp>
#include <attune/measure/cuda/device_runs.ipp>
#include <attune/measure/cuda/device_session.ipp>
#include <attune/measure/cuda/device_trials.ipp>
#include <attune/measure/cuda/host_check.ipp>
#include <attune/measure/cuda/launch_graph.ipp>
#include <attune/measure/cuda/loaded_variant.ipp>
#include <attune/measure/cuda/worker/worker_arrays.ipp>
#include <attune/measure/cuda/worker/worker_bench.ipp>
#include <attune/measure/cuda/worker/worker_door.ipp>
#include <attune/measure/cuda/worker/worker_main.ipp>
#include <attune/measure/cuda/worker/worker_process.ipp>
#include <attune/measure/cuda/worker/worker_protocol.ipp>
#include <attune/measure/cuda/worker/worker_wire.ipp>
#include <attune/tune/device/cuda/cuda_bench.ipp>
#include <attune/tune/device/cuda/cuda_device.ipp>
#include <attune/tune/device/cuda/cuda_kernel.ipp>
#include <attune/tune/device/cuda/device_call.ipp>
#include <attune/tune/device/cuda/launch_limits.ipp>
#include <attune/tune/device/cuda/more_devices.ipp>
#include <attune/tune/device/cuda/predicted_bench.ipp>
#include <attune/tune/device/cuda/program_ptx.ipp>
