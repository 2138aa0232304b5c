// attune/tune/loop/make_bench.hpp - which bench a problem needs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/loop/test_bench.hpp>

#include <memory>

namespace attune::inline ATTUNE_ABI {

struct tuning_options;
struct tuning_problem;

/// The bench that a problem needs: by its compiler's make_bench or target, and by
/// tuning_problem::predict.
/// @pre  both outlive the result
/// Errors   attune::error: the device cannot be used, the arguments do not fit it, out of memory;
///          see device_target::make_bench()
[[nodiscard]] std::unique_ptr<test_bench> make_test_bench(tuning_problem const& problem,
                                                          tuning_options const& options);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/make_bench.ipp>
#endif
