// attune/tune/kernel/compile_point.hpp - one configuration compiled, and found fit to be launched.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Compiles one configuration. Code for a device is refused, at stage `launch`, where the device
/// cannot launch it or it breaks a rule of kernel.require(...). May be called from several threads.
/// @param bound  the kernel's space with the values of its inputs
/// @param features  if given, takes code_metrics_at() of code for a device, refused code included
/// Errors   what the compiler throws
[[nodiscard]] compile_result compile_point(kernel_description const& kernel,
                                           description const& bound,
                                           any_compiler const& compiler,
                                           point const& at,
                                           std::vector<double>* features = nullptr);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/compile_point.ipp>
#endif
