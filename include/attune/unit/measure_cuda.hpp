// attune/unit/measure_cuda.hpp - all of measure/cuda that is not a template.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/measure/cuda/detail/local_bench.hpp>
#include <attune/measure/cuda/device_clock.ipp>
#include <attune/measure/cuda/device_compare.ipp>
#include <attune/measure/cuda/device_copies.ipp>
#include <attune/measure/cuda/device_memory.ipp>
#include <attune/measure/cuda/device_runs.ipp>
#include <attune/measure/cuda/device_session.ipp>
#include <attune/measure/cuda/device_trials.ipp>
#include <attune/measure/cuda/launch_graph.ipp>
#include <attune/measure/cuda/loaded_variant.ipp>
#include <attune/measure/cuda/worker/worker_bench.ipp>
