// attune/unit/tune.hpp - the definitions of the stage tune/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::tune. With ATTUNE_HEADER_ONLY nobody includes it.
#pragma once

#include <attune/tune/device/cuda/cuda_bench.ipp>
#include <attune/tune/device/cuda/cuda_device.ipp>
#include <attune/tune/device/cuda/cuda_kernel.ipp>
#include <attune/tune/device/cuda/device_call.ipp>
#include <attune/tune/device/cuda/launch_limits.ipp>
#include <attune/tune/device/cuda/more_devices.ipp>
#include <attune/tune/device/cuda/predicted_bench.ipp>
#include <attune/tune/device/cuda/program_ptx.ipp>
#include <attune/tune/dispatch/apart_tuning.ipp>
#include <attune/tune/dispatch/background.ipp>
#include <attune/tune/dispatch/bucketed_inputs.ipp>
#include <attune/tune/dispatch/call_copies.ipp>
#include <attune/tune/dispatch/default_code.ipp>
#include <attune/tune/dispatch/dispatch_parts.ipp>
#include <attune/tune/dispatch/dispatch_report.ipp>
#include <attune/tune/dispatch/dispatch_table.ipp>
#include <attune/tune/dispatch/dispatched_kernel.ipp>
#include <attune/tune/dispatch/forced_choice.ipp>
#include <attune/tune/dispatch/installed_variant.ipp>
#include <attune/tune/dispatch/mode.ipp>
#include <attune/tune/dispatch/near_choice.ipp>
#include <attune/tune/dispatch/remembered_choice.ipp>
#include <attune/tune/dispatch/session_record.ipp>
#include <attune/tune/dispatch/shape_register.ipp>
#include <attune/tune/dispatch/shape_verifier.ipp>
#include <attune/tune/dispatch/tuning_slice.ipp>
#include <attune/tune/dispatch/variant_choice.ipp>
#include <attune/tune/kernel/call_frame.ipp>
#include <attune/tune/kernel/code_rules.ipp>
#include <attune/tune/kernel/compile_point.ipp>
#include <attune/tune/kernel/device_facts.ipp>
#include <attune/tune/kernel/fallback.ipp>
#include <attune/tune/kernel/launch_declaration.ipp>
#include <attune/tune/kernel/owned_call.ipp>
#include <attune/tune/kernel/problem.ipp>
#include <attune/tune/kernel/stated_work.ipp>
#include <attune/tune/kernel/thread_use.ipp>
#include <attune/tune/known_choice.ipp>
#include <attune/tune/loop/bench_pool.ipp>
#include <attune/tune/loop/interrupt.ipp>
#include <attune/tune/loop/kernel_roofline.ipp>
#include <attune/tune/loop/logged_search.ipp>
#include <attune/tune/loop/make_bench.ipp>
#include <attune/tune/loop/online_bench.ipp>
#include <attune/tune/loop/run_state.ipp>
#include <attune/tune/loop/session.ipp>
#include <attune/tune/loop/trial.ipp>
#include <attune/tune/minimize.ipp>
#include <attune/tune/pipeline/compile_queue.ipp>
#include <attune/tune/pipeline/core_pin.ipp>
#include <attune/tune/pipeline/variant_pipeline.ipp>
#include <attune/tune/progress.ipp>
#include <attune/tune/replay.ipp>
#include <attune/tune/report.ipp>
#include <attune/tune/shape/derived_shapes.ipp>
#include <attune/tune/shape/online_slot.ipp>
#include <attune/tune/shape/shape_check.ipp>
#include <attune/tune/shape/shape_proof.ipp>
#include <attune/tune/shape/shape_table.ipp>
#include <attune/tune/shape/shape_trust.ipp>
