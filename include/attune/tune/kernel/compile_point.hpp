// attune/tune/kernel/compile_point.hpp - compiles one configuration and checks that it may be launched.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Compiles one configuration, from the text that source_at() gives. Code that the device cannot
/// launch, or that breaks a rule of kernel.require(...), is a failure of stage `launch`. So is, and
/// is not compiled, a configuration for this processor that needs more memory than is free: see
/// kernel.memory(...). May be called from several threads.
/// @param bound  the kernel's space with the values of its inputs
/// @param device    the device of the code; null: this processor
/// @param features  if given, receives code_metrics_at() of device code, refused code included
/// Errors   those of the compiler
[[nodiscard]] compile_result compile_point(kernel_description const& kernel,
                                           description const& bound, any_compiler const& compiler,
                                           device_target const* device, point const& at,
                                           std::vector<double>* features = nullptr);

/// The same for a trial: a failure of stage `launch` too if the call would need more memory than a
/// trial may take now, see memory_objection(). What is known and served does not ask, so that a
/// moment without free memory costs no known winner.
[[nodiscard]] compile_result compile_for_trial(kernel_description const& kernel,
                                               description const& bound,
                                               any_compiler const& compiler,
                                               device_target const* device, point const& at,
                                               std::vector<double>* features = nullptr);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/compile_point.ipp>
#endif
