// attune/tune/kernel/compile_point.hpp - compiles one configuration, and checks by the kernel's rules that it may be launched.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/kernel/kernel_description.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A number of compiled code, with the name of its code_quantity: {"registers", 96}.
struct code_number {
    std::string_view name;
    number value;
};
using code_numbers = std::vector<code_number>;

/// Returns a sentence, "registers <= 64 does not hold: registers = 96"; empty if every rule of
/// kernel.require(...) holds. The device's own conditions on code are in launch_objection().
/// @param bound  the kernel's space with the values of its inputs
/// @param at     the configuration that was compiled
/// @param known  the code quantities that the device gives
[[nodiscard]] std::string broken_rule(kernel_description const& kernel, description const& bound,
                                      point const& at, code_numbers const& known);

/// The numbers of kernel.features(...), in order of declaration; NaN for a feature without a value,
/// such as a quotient by zero. Parameters as above.
[[nodiscard]] std::vector<double> code_metrics_at(kernel_description const& kernel,
                                                  description const& bound, point const& at,
                                                  code_numbers const& known);

/// The code quantities that compilers for this processor give of a variant.
[[nodiscard]] code_numbers numbers_of(code_size const& size);

/// @param given  code_quantities() of a compiler for this processor; null for a device
/// Errors   attune::error naming a quantity that kernel.require(...) reads and that the compiler or
///          device does not give
void require_quantities(kernel_description const& kernel,
                        std::vector<std::string_view> const* given);

/// Compiles one configuration, from the text of source_at(). Code that the device cannot launch, or
/// that breaks a rule of kernel.require(...), is a failure of stage `launch`. A configuration for
/// this processor that needs more memory than is free, see kernel.memory(...), is also such a
/// failure, and is not compiled. Several threads may call it.
/// @param bound  the kernel's space with the values of its inputs
/// @param device    the device of the code; null: this processor
/// @param features  if given, receives code_metrics_at() of device code, refused code included
/// Errors   errors of the compiler
[[nodiscard]] compile_result compile_point(kernel_description const& kernel,
                                           description const& bound, any_compiler const& compiler,
                                           device_target const* device, point const& at,
                                           std::vector<double>* features = nullptr);

/// Does the same for a trial, which also fails at stage `launch` if the call needs more memory than
/// a trial may take: see memory_objection(). Serving code skips this check, so that a moment
/// without free memory does not lose a known winner.
[[nodiscard]] compile_result compile_for_trial(kernel_description const& kernel,
                                               description const& bound,
                                               any_compiler const& compiler,
                                               device_target const* device, point const& at,
                                               std::vector<double>* features = nullptr);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/compile_point.ipp>
#endif
