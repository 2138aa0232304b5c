// attune/attune_all.hpp - all parts: attune.hpp and the whole outer ring.
// SPDX-License-Identifier: MIT
//
// Link attune::all. A program that includes only its parts builds sooner; each part has a target. A
// part whose library was not found (ONNX, XGBoost, MPI, Z3) is declared here too, but does not
// link.
//
// tested by attune.cpp
#pragma once

#include <attune/attune.hpp>
#ifndef ATTUNE_OFF
// Compilers and GPUs
#include <attune/compile/clang.hpp>
#include <attune/compile/compiler_choice.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/opencl.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/cuda/device_array.hpp>
// Programs and networks
#include <attune/compile/nest/nest_text.hpp>
#include <attune/compile/nest/write_device_program.hpp>
#include <attune/compile/nest/write_program.hpp>
#include <attune/declare/model/convolution.hpp>
#include <attune/declare/model/layers.hpp>
#include <attune/declare/model/onnx/read_onnx.hpp>
#include <attune/declare/model/roofline.hpp>
#include <attune/declare/model/tasks/tasks_of.hpp>
#include <attune/declare/selector.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/device/device_features.hpp>
#include <attune/space/schedule/device/device_space.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/metaschedule.hpp>
#include <attune/space/schedule/placement.hpp>
#include <attune/space/schedule/program_features.hpp>
#include <attune/space/schedule/rewrite.hpp>
#include <attune/space/schedule/transform.hpp>
#include <attune/tune/device/opencl/opencl_launch.hpp>
#include <attune/tune/program/nest.hpp>
// Spaces: files, questions
#include <attune/space/files/nni.hpp>
#include <attune/space/files/read_json.hpp>
#include <attune/space/files/recorded.hpp>
#include <attune/space/files/t1.hpp>
#include <attune/space/files/write_json.hpp>
#include <attune/space/files/write_smtlib.hpp>
#include <attune/space/query/bound_curve.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/explanation.hpp>
#include <attune/space/query/reduced.hpp>
#include <attune/space/query/space_report.hpp>
#include <attune/space/smt/smt_solver.hpp>
// Energy, objectives, limits of the machine
#include <attune/measure/energy.hpp>
#include <attune/tune/model/tune_model.hpp>
#include <attune/tune/objective.hpp>
#include <attune/tune/roofline.hpp>
// Searches
#include <attune/search/bayes/acquisition/acquisition_policy.hpp>
#include <attune/search/bayes/basic_bayesian.hpp>
#include <attune/search/bayes/model/forest_model.hpp>
#include <attune/search/compose/aging_evolution.hpp>
#include <attune/search/compose/bases.hpp>
#include <attune/search/compose/closed.hpp>
#include <attune/search/compose/selector_operators.hpp>
#include <attune/search/compose/simplex.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/cost/cost_samples.hpp>
#include <attune/search/cost/xgboost_trees.hpp>
#include <attune/search/history.hpp>
#include <attune/search/hyperband.hpp>
#include <attune/search/meta/recommendation.hpp>
#include <attune/search/pareto_search.hpp>
#include <attune/search/published/other_tools.hpp>
#include <attune/search/transfer/warm_portfolio.hpp>
#include <attune/search/two_level/evolutionary_search.hpp>
#include <attune/search/two_level/two_level_search.hpp>
// Measurements and records
#include <attune/measure/bench.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>
#include <attune/measure/device/worker/worker_door.hpp>
#include <attune/measure/first_runs.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/remember/files/t4.hpp>
#include <attune/remember/layers.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/remember/shipped.hpp>
// Tunings: two objectives, fidelity, one budget, many machines
#include <attune/tune/lessons.hpp>
#include <attune/tune/minimize_over.hpp>
#include <attune/tune/minimize_recorded.hpp>
#include <attune/tune/minimize_two.hpp>
#include <attune/tune/minimize_with_budget.hpp>
#include <attune/tune/recommended.hpp>
#include <attune/tune/replay.hpp>
#include <attune/tune/study.hpp>
#include <attune/tune/together.hpp>
#include <attune/tune/together_session.hpp>
#include <attune/tune/tune_over.hpp>
// Releases
#include <attune/ship/baked.hpp>
#include <attune/ship/export_header.hpp>
#include <attune/ship/prepared_compiler.hpp>
#include <attune/ship/report/write_html.hpp>
#endif // ATTUNE_OFF
