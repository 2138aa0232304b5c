// attune/tune/tune.ipp - all of tune, measure, remember and compile that is not a template.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of a program: that of the CMake target attune::tune, or
// the file that defines ATTUNE_IMPLEMENTATION.
#pragma once

#include <attune/compile/ahead.ipp>
#include <attune/compile/annotations.ipp>
#include <attune/compile/clang.ipp>
#include <attune/compile/embedded.ipp>
#include <attune/compile/nvrtc.ipp>
#include <attune/compile/process.ipp>
#include <attune/compile/source.ipp>
#include <attune/compile/system.ipp>
#include <attune/cuda/cuda.ipp>
#include <attune/measure/adaptive_timer.ipp>
#include <attune/measure/cache.ipp>
#include <attune/measure/child_process.ipp>
#include <attune/measure/clocks.ipp>
#include <attune/measure/compare.ipp>
#include <attune/measure/cuda/measure_cuda.ipp>
#include <attune/measure/duel.ipp>
#include <attune/measure/guarded.ipp>
#include <attune/measure/isolation.ipp>
#include <attune/measure/left_out.ipp>
#include <attune/measure/perturb.ipp>
#include <attune/measure/probation.ipp>
#include <attune/measure/process_state.ipp>
#include <attune/measure/roofline.ipp>
#include <attune/measure/round_robin.ipp>
#include <attune/measure/signal_guard.ipp>
#include <attune/remember/event_log.ipp>
#include <attune/remember/memory_store.ipp>
#include <attune/remember/store.ipp>
#include <attune/tune/bench_crew.ipp>
#include <attune/tune/code_rules.ipp>
#include <attune/tune/compile_line.ipp>
#include <attune/tune/compile_point.ipp>
#include <attune/tune/cpu_bench.ipp>
#include <attune/tune/cuda_bench.ipp>
#include <attune/tune/device_call.ipp>
#include <attune/tune/fallback.ipp>
#include <attune/tune/installed.ipp>
#include <attune/tune/interrupt.ipp>
#include <attune/tune/kernel_roof.ipp>
#include <attune/tune/launch_declaration.ipp>
#include <attune/tune/launch_limits.ipp>
#include <attune/tune/loaded_kernel.ipp>
#include <attune/tune/logged_search.ipp>
#include <attune/tune/more_devices.ipp>
#include <attune/tune/predicted_bench.ipp>
#include <attune/tune/problem.ipp>
#include <attune/tune/progress.ipp>
#include <attune/tune/proving_ground.ipp>
#include <attune/tune/replay.ipp>
#include <attune/tune/report.ipp>
#include <attune/tune/reserved_core.ipp>
#include <attune/tune/scoreboard.ipp>
#include <attune/tune/session.ipp>
#include <attune/tune/session_record.ipp>
#include <attune/tune/shape_check.ipp>
#include <attune/tune/stated_work.ipp>
#include <attune/tune/supply.ipp>
#include <attune/tune/test_bench.ipp>
#include <attune/tune/timing.ipp>
#include <attune/tune/trial.ipp>
#include <attune/tune/watched_runs.ipp>
