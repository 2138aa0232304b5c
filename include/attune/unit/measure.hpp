// attune/unit/measure.hpp - the definitions of the stage measure/, without cuda/ and message/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::measure. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/measure/arrays/buffer.ipp>
#include <attune/measure/arrays/compare.ipp>
#include <attune/measure/arrays/content.ipp>
#include <attune/measure/bench.ipp>
#include <attune/measure/clock/clocks.ipp>
#include <attune/measure/clock/noise.ipp>
#include <attune/measure/clock/time_in_turns.ipp>
#include <attune/measure/cpu/cpu_bench.ipp>
#include <attune/measure/cpu/cpu_first_runs.ipp>
#include <attune/measure/sandbox/child_process.ipp>
#include <attune/measure/sandbox/guarded.ipp>
#include <attune/measure/sandbox/isolation.ipp>
#include <attune/measure/sandbox/process_state.ipp>
#include <attune/measure/sandbox/signal_guard.ipp>
#include <attune/measure/timing_turns.ipp>
