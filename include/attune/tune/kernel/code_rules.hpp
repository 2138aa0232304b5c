// attune/tune/kernel/code_rules.hpp - conditions on compiled code and its features, before its launch.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A number of compiled code, by the name of its code_quantity: {"registers", 96}.
struct code_number {
    std::string_view name;
    number value;
};
using code_numbers = std::vector<code_number>;

/// "registers <= 64 does not hold: registers = 96"; empty when every rule of kernel.require(...)
/// holds. The device's own conditions on code are in launch_objection().
/// @param bound  the kernel's space with the values of its inputs
/// @param at     the configuration that was compiled
/// @param known  the code quantities that the device gives
[[nodiscard]] std::string broken_rule(kernel_description const& kernel, description const& bound,
                                      point const& at, code_numbers const& known);

/// The numbers of kernel.features(...), in order of declaration; NaN where one has no value, such
/// as a quotient by zero. Parameters as above.
[[nodiscard]] std::vector<double> code_metrics_at(kernel_description const& kernel,
                                                  description const& bound, point const& at,
                                                  code_numbers const& known);

/// The code quantities that compilers for this processor give of a variant.
[[nodiscard]] code_numbers numbers_of(code_size const& size);

/// @param given  of a compiler for this processor: its code_quantities(); null: of a device
/// Errors   attune::error naming a quantity that kernel.require(...) reads and that the compiler,
/// or
///          the device, does not give
void require_quantities(kernel_description const& kernel,
                        std::vector<std::string_view> const* given);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/code_rules.ipp>
#endif
