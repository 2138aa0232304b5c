// attune/tune/kernel/compile_point.ipp - what is known of code before it runs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/occupancy.hpp>
#include <attune/tune/kernel/code_rules.hpp>
#include <attune/tune/kernel/compile_point.hpp>

#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE compile_result compile_point(kernel_description const& kernel,
                                           description const& bound,
                                           any_compiler const& compiler,
                                           point const& at,
                                           std::vector<double>* features)
{
    compile_result made = compiler.compile(kernel.source, make_variant(kernel, bound, at));
    auto const* const code = std::get_if<callable>(&made);
    cuda_target const* const target = compiler.target();
    if (code == nullptr || target == nullptr) return made;
    device_variant const& ready = device_variant_of(*code);
    device_limits const& limits = target->limits;
    residency const resident = occupancy_of(limits, ready.code.resources, ready.launch);
    if (features != nullptr)
        *features = code_features(kernel, bound, at, ready.code.resources, resident);
    std::string said = launch_objection(limits, ready.code.resources, ready.launch);
    if (said.empty()) said = broken_rule(kernel, bound, at, ready.code.resources, resident);
    if (!said.empty()) return failure{failure_stage::launch, said};
    return made;
}

} // namespace attune::inline ATTUNE_ABI
