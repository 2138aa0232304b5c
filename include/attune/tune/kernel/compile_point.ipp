// attune/tune/kernel/compile_point.ipp - compiles one configuration and checks its code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/code_rules.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/stated_memory.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE compile_result compile_point(kernel_description const& kernel,
                                           description const& bound, any_compiler const& compiler,
                                           device_target const* device, point const& at,
                                           std::vector<double>* features)
{
    auto const source = source_at(kernel.source, bound, at);
    if (auto const* const why = std::get_if<failure>(&source)) return *why;
    compile_result made =
        compiler.compile(std::get<kernel_source>(source), make_variant(kernel, bound, at));
    auto const* const code = std::get_if<callable>(&made);
    if (code == nullptr) return made;
    if (device == nullptr) {
        std::string why = broken_rule(kernel, bound, at, numbers_of(code->size));
        if (!why.empty()) return failure{failure_stage::launch, std::move(why)};
        return made;
    }
    code_review seen = device->review(kernel, bound, at, *code);
    if (features != nullptr) *features = std::move(seen.features);
    if (!seen.objection.empty()) return failure{failure_stage::launch, std::move(seen.objection)};
    return made;
}

ATTUNE_INLINE compile_result compile_for_trial(kernel_description const& kernel,
                                               description const& bound,
                                               any_compiler const& compiler,
                                               device_target const* device, point const& at,
                                               std::vector<double>* features)
{
    if (device == nullptr)
        if (std::string why = memory_objection(kernel, bound, at); !why.empty())
            return failure{failure_stage::launch, std::move(why)};
    return compile_point(kernel, bound, compiler, device, at, features);
}

} // namespace attune::inline ATTUNE_ABI::detail
