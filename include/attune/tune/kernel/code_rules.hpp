// attune/tune/kernel/code_rules.hpp - conditions on compiled code, and its numbers, before it is launched.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/occupancy.hpp>
#include <attune/tune/kernel.hpp>

#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// "registers <= 64 does not hold: registers = 96"; empty when every rule of kernel.require(...)
/// holds. What every launch demands of code, cooperative ones included, is in launch_objection().
/// @param bound     the kernel's space with the values of its inputs
/// @param at        the configuration that was compiled
/// @param resident  occupancy_of() its code and launch
[[nodiscard]] std::string broken_rule(kernel_description const& kernel,
                                      description const& bound,
                                      point const& at,
                                      code_resources const& code,
                                      residency const& resident);

/// The numbers of kernel.features(...), in order of declaration; NaN where one has no value, as a
/// quotient by zero. Parameters as above.
[[nodiscard]] std::vector<double> code_features(kernel_description const& kernel,
                                                description const& bound,
                                                point const& at,
                                                code_resources const& code,
                                                residency const& resident);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/kernel/code_rules.ipp>
#endif
