// attune/tune/loop/make_bench.hpp - which bench a problem needs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/bench.hpp>

#include <memory>

namespace attune::inline ATTUNE_ABI {

struct tuning_options;
struct tuning_problem;

/// The problem's call as a bench repeats it.
/// @pre  the problem outlives the result
[[nodiscard]] trial_call trial_call_of(tuning_problem const& problem);

/// What a bench needs of the options: one timing takes at most a twentieth of the time budget.
[[nodiscard]] bench_options bench_options_of(tuning_options const& options);

/// The bench that a problem needs: by its compiler's make_bench or target, and by
/// tuning_problem::predict.
/// @pre  both outlive the result
/// Errors   attune::error: the device cannot be used, the arguments do not fit it, out of memory;
///          see device_target::make_bench()
[[nodiscard]] std::unique_ptr<bench> make_bench(tuning_problem const& problem,
                                                tuning_options const& options);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/make_bench.ipp>
#endif
