// attune/unit/tune.hpp - the definitions of tune/loop/, pipeline/ and the doors of tune/.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form, of the CMake target attune::tune;
// tune_kernel.hpp and tune_serve.hpp are others of it, so that several cores compile them. With
// ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/tune/known_choice.ipp>
#include <attune/tune/loop/bench_pool.ipp>
#include <attune/tune/loop/candidate_pruning.ipp>
#include <attune/tune/loop/found_minimum.ipp>
#include <attune/tune/loop/interrupt.ipp>
#include <attune/tune/loop/kernel_roofline.ipp>
#include <attune/tune/loop/logged_search.ipp>
#include <attune/tune/loop/make_bench.ipp>
#include <attune/tune/loop/minimize_loop.ipp>
#include <attune/tune/loop/minimize_slots.ipp>
#include <attune/tune/loop/online_bench.ipp>
#include <attune/tune/loop/run_state.ipp>
#include <attune/tune/loop/search_log.ipp>
#include <attune/tune/loop/session.ipp>
#include <attune/tune/loop/slot_evaluator.ipp>
#include <attune/tune/loop/trial.ipp>
#include <attune/tune/minimize.ipp>
#include <attune/tune/pipeline/compile_queue.ipp>
#include <attune/tune/pipeline/core_pin.ipp>
#include <attune/tune/pipeline/variant_pipeline.ipp>
#include <attune/tune/pipeline/variants_ahead.ipp>
#include <attune/tune/progress.ipp>
#include <attune/tune/replay.ipp>
#include <attune/tune/report.ipp>
