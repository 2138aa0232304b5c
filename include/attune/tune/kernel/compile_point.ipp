// attune/tune/kernel/compile_point.ipp - compiles, and evaluates the rules of a kernel for one variant.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/expression.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/compile_point.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline std::optional<number> number_of(std::string_view name,
                                                     code_numbers const& known)
{
    for (code_number const& one : known)
        if (one.name == name) return one.value;
    return {};
}

/// `declared` with the values that its formulas read at one configuration.
[[nodiscard]] inline description with_code(description declared, description const& bound,
                                           code_numbers const& known)
{
    declared.parameters = bound.parameters;
    for (input_description& input : declared.inputs) {
        input.value = number_of(input.name, known);
        std::uint32_t const given = bound.find_input(input.name);
        if (!input.value && given != no_index) input.value = bound.inputs[given].value;
    }
    return declared;
}

/// "registers = 96, TILE = 64": every value that `rule` reads, once.
[[nodiscard]] inline std::string values_read(description const& rules,
                                             constraint_description const& rule, point const& at)
{
    std::string out;
    auto const add = [&out](std::string const& name, std::string const& value) {
        out += (out.empty() ? "" : ", ") + name + " = " + value;
    };
    for (std::uint32_t const i : inputs_read(rules, rule.root)) {
        std::optional<number> const v = rules.inputs[i].value;
        add(rules.inputs[i].name, v ? text_of_number(*v) : "not known");
    }
    for (std::uint32_t const i : rule.scope)
        add(rules.parameters[i].name, text_of(rules.parameters[i], at[i]));
    return out;
}

ATTUNE_INLINE std::string broken_rule(kernel_description const& kernel, description const& bound,
                                      point const& at, code_numbers const& known)
{
    if (kernel.code_rules.constraints.empty()) return {};
    description const rules = with_code(kernel.code_rules, bound, known);
    evaluator const read(rules);
    for (constraint_description const& rule : rules.constraints) {
        std::optional<number> const v = read.value(rule.root, at);
        if (v && v->as_real() != 0) continue;
        return rule.text + (v ? " does not hold: " : " has no value: ") +
               values_read(rules, rule, at);
    }
    return {};
}

ATTUNE_INLINE code_numbers numbers_of(code_size const& size)
{
    code_numbers out;
    if (size.code_bytes) out.push_back({code_bytes.name, number::of(*size.code_bytes)});
    if (size.stack_bytes) out.push_back({stack_bytes.name, number::of(*size.stack_bytes)});
    if (size.spills) out.push_back({spills.name, number::of(*size.spills)});
    if (size.vector_instructions)
        out.push_back({vector_instructions.name, number::of(*size.vector_instructions)});
    return out;
}

ATTUNE_INLINE void require_quantities(kernel_description const& kernel,
                                      std::vector<std::string_view> const* given)
{
    auto const is_given = [given](std::string_view name) {
        auto const is_in = [name](auto const& names) {
            return std::find(names.begin(), names.end(), name) != names.end();
        };
        return given == nullptr ? !is_in(processor_quantity_names) : is_in(*given);
    };
    description const& rules = kernel.code_rules;
    for (constraint_description const& rule : rules.constraints)
        for (std::uint32_t const i : inputs_read(rules, rule.root)) {
            std::string const& name = rules.inputs[i].name;
            if (!names_code_quantity(name) || is_given(name)) continue;
            throw error(
                "kernel.require(...) reads a quantity that this compiler or device does not give",
                name + " in " + rule.text + ", kernel '" + kernel.name + "'",
                given == nullptr
                    ? "leave the condition out for a device"
                    : "of code for this processor, clang_compiler gives code_bytes, stack_bytes, "
                      "spills and vector_instructions, the command clang++ the first two, and g++ "
                      "code_bytes; leave the condition out for others");
        }
}

ATTUNE_INLINE std::vector<double> code_metrics_at(kernel_description const& kernel,
                                                  description const& bound, point const& at,
                                                  code_numbers const& known)
{
    std::vector<double> out;
    if (kernel.code_rules.features.empty()) return out;
    description const rules = with_code(kernel.code_rules, bound, known);
    evaluator const read(rules);
    for (feature_description const& feature : rules.features) {
        std::optional<number> const v = read.value(feature.root, at);
        out.push_back(v ? v->as_real() : std::nan(""));
    }
    return out;
}

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
