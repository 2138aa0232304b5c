// attune/tune/loop/make_bench.hpp - makes the bench for a problem.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/bench.hpp>

#include <memory>

namespace attune::inline ATTUNE_ABI {

struct tuning_options;
struct tuning_problem;

namespace detail {

/// The problem's call in the form that a bench repeats.
/// @pre  the problem outlives the result
[[nodiscard]] trial_call trial_call_of(tuning_problem const& problem);

/// The bench options of a tuning: one timing takes at most a twentieth of the time budget.
[[nodiscard]] bench_options bench_options_of(tuning_options const& options);

/// The bench for a problem: selected by tuning_measuring::make_bench, tuning_problem::device and
/// tuning_problem::predict.
/// @pre  both outlive the result
/// Errors   attune::error: the device cannot be used, the arguments do not fit it, out of memory;
///          see device_target::make_bench()
[[nodiscard]] std::unique_ptr<bench> make_bench(tuning_problem const& problem,
                                                tuning_options const& options);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/make_bench.ipp>
#endif
