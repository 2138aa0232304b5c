// attune/unit/tune.hpp - the definitions of tune/pipeline/, trials, and a function's loop.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::tune.
// The target has tune_choice.hpp, tune_kernel.hpp, tune_loop.hpp and tune_serve.hpp as further
// units, so that several cores compile them. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/tune/loop/history_check.ipp>
#include <attune/tune/loop/make_bench.ipp>
#include <attune/tune/loop/minimize_slots.ipp>
#include <attune/tune/loop/online_bench.ipp>
#include <attune/tune/loop/trial.ipp>
#include <attune/tune/minimize.ipp>
#include <attune/tune/pipeline/compile_queue.ipp>
#include <attune/tune/pipeline/core_pin.ipp>
#include <attune/tune/pipeline/variant_pipeline.ipp>
#include <attune/tune/progress.ipp>
#include <attune/tune/replay.ipp>
#include <attune/tune/report.ipp>
