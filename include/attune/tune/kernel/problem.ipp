// attune/tune/kernel/problem.ipp - makes variants, keys and checked defaults of a kernel and its space; reads the free memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/annotations.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/scan.hpp>
#include <attune/core/evaluation.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/domain.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/query/configurations.hpp>
#include <attune/space/query/explanation.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void limit_memory(description& space, lowered_formula const& memory)
{
    if (memory.root == no_index) return;
    std::uint32_t const all = intern_node(
        space, {.code = op::input,
                .subject = intern_input(space, machine::memory_bytes.name, value_kind::integer)});
    expression_node const fits{.code = op::less_equal, .first = memory.root, .second = all};
    constraint_description made;
    made.root = intern_node(space, fits);
    made.scope = parameters_read(space, made.root);
    made.text = text_of_node(space, fits);
    space.constraints.push_back(std::move(made));
}

ATTUNE_INLINE std::string memory_objection(kernel_description const& kernel,
                                           description const& bound, point const& at, double free)
{
    if (kernel.memory.root == no_index) return {};
    std::optional<number> const needed = evaluator{bound}.value(kernel.memory.root, at);
    if (!needed) return "the bytes of kernel.memory(...) have no value: " + kernel.memory.text;
    if (free < 0) free = spare_memory_bytes();
    double const most = 0.75 * free;
    if (needed->as_real() <= most) return {};
    return "it needs " + text_of_bytes(needed->as_real()) + ", " + kernel.memory.text +
           " bytes of kernel.memory(...), and may take " + text_of_bytes(most) + " of the free " +
           text_of_bytes(free);
}

/// Returns true if the parameter is a template argument in a function name such as "scale<TILE>".
[[nodiscard]] inline bool is_template_argument(std::string const& function, std::string const& name)
{
    code_cursor cursor(function);
    bool inside = false;
    while (!cursor.at_end()) {
        if (inside && code_cursor::is_word(cursor.peek())) {
            if (cursor.word() == name) return true;
            continue;
        }
        inside = inside || cursor.peek() == '<';
        cursor.step();
    }
    return false;
}

ATTUNE_INLINE compile_request make_variant(kernel_description const& kernel,
                                           description const& space, point const& at)
{
    compile_request out = kernel.signature;
    if (kernel.source.generator && kernel.source.generator->has_own_spans())
        for (std::string& type : out.arguments)
            type = with_own_span(type);
    for (named_value const& v : named_values(space)) {
        parameter_description const& p = space.parameters[v.first];
        std::string const name(v.name);
        std::string value = text_at(space, v, at);
        if (p.role == parameter_role::macro) {
            if (kernel.source.generator && !is_template_argument(out.function, name)) continue;
            out.macros.push_back({name, std::move(value), p.is_own_name});
        } else if (p.role == parameter_role::compiler) {
            out.compiler = std::move(value);
        } else {
            std::vector<std::string> const more = split_flags(value);
            out.flags.insert(out.flags.end(), more.begin(), more.end());
        }
    }
    if (kernel.launch) out.launch = geometry_at(*kernel.launch, space, at);
    return out;
}

[[nodiscard]] inline std::string place_of(annotation const& a)
{
    return a.file + ':' + std::to_string(a.line);
}

/// Returns true if both texts give the same default, as far as the texts alone show it.
[[nodiscard]] inline bool same_default(parameter_description const& p, std::string const& given,
                                       std::string const& stated)
{
    if (without_spaces(given) == without_spaces(stated)) return true;
    auto const left = parse_real(given);
    auto const right = parse_real(without_spaces(stated));
    if (left && right) return *left == *right;
    return p.traits().is_truth && coordinate_of(p, given) == coordinate_of(p, stated);
}
/// Does the same for each part of two lists, whose parts are like parameter `p`.
[[nodiscard]] inline bool same_default_list(parameter_description const& p,
                                            std::string const& given, std::string const& stated)
{
    auto const left = parts_of_list(given);
    auto const right = parts_of_list(stated);
    return left && right &&
           std::equal(left->begin(), left->end(), right->begin(), right->end(),
                      [&p](auto const& a, auto const& b) { return same_default(p, a, b); });
}

[[nodiscard]] inline bool launch_reads(kernel_description const& kernel, named_value const& v)
{
    bool out = false;
    for (std::uint32_t i = v.first; kernel.launch && i < v.first + v.count; ++i)
        out = out || reads(*kernel.launch, kernel.space, i);
    return out;
}

/// Returns true if the kernel is a module in SPIR-V with such a name: OpName ends with a zero,
/// which no text has.
[[nodiscard]] inline bool is_in_module(kernel_source const& source, std::string const& name)
{
    return source.text.find(name + '\0') != std::string::npos;
}

ATTUNE_INLINE description with_annotated_defaults(kernel_description const& kernel)
{
    description out = kernel.space;
    std::vector<annotation> const found = find_annotations(kernel.source);
    std::vector<std::string> const own = own_names(kernel.source, found);
    for (annotation const& a : found)
        if (!find_value(out, a.name))
            throw error("the kernel file names a parameter that the space does not declare",
                        a.name + " at " + detail::place_of(a),
                        "add it to attune::space(...), or replace ATTUNE_TUNABLE by its value");
    for (named_value const& v : named_values(out)) {
        parameter_description const& p = out.parameters[v.first];
        std::string const name(v.name);
        std::optional<std::string> const given = default_text_of(out, v);
        auto const a = std::find_if(found.begin(), found.end(), [&](annotation const& candidate) {
            return candidate.name == name;
        });
        if (p.role != parameter_role::macro) {
            if (a == found.end()) continue; // its default is its first value
            throw error("the kernel file uses a parameter that is no macro",
                        name + " at " + detail::place_of(*a),
                        "flags and compilers are chosen when the kernel is compiled: remove "
                        "ATTUNE_TUNABLE, or declare the parameter as categorical");
        }
        if (kernel.source.generator) {
            if (given) continue;
            throw error("a parameter of a generated kernel has no default",
                        "parameter " + name + ", kernel " + kernel.signature.function,
                        "give the parameter one by with_default()");
        }
        if (a == found.end()) {
            bool const in_name = is_template_argument(kernel.signature.function, name);
            bool const in_launch = launch_reads(kernel, v);
            bool const in_module = is_in_module(kernel.source, name);
            if ((in_name || in_launch || in_module) && given) continue;
            if (in_name || in_launch || in_module)
                throw error(std::string(in_name     ? "a template argument"
                                        : in_launch ? "a number of the launch"
                                                    : "a constant") +
                                " of the kernel has no default",
                            "parameter " + name + ", kernel " + kernel.signature.function,
                            "give the parameter one by with_default()");
        }
        if (a == found.end())
            throw error("the space declares a parameter that the kernel file does not use",
                        "parameter " + name + ", file " + kernel.source.path,
                        "write ATTUNE_TUNABLE(" + name +
                            ", default) where the kernel uses it, or remove it from the space");
        bool const agrees =
            !given || (v.group != nullptr ? same_default_list(p, *given, a->default_text)
                                          : same_default(p, *given, a->default_text));
        if (!agrees)
            throw error("a parameter has two defaults",
                        name + ": " + *given + " in the declaration, " + a->default_text + " at " +
                            detail::place_of(*a),
                        "make them equal, or leave out with_default()");
        if (!given && !set_default_text(out, v, a->default_text))
            throw error("the default of a parameter is not one of its values",
                        name + " at " + detail::place_of(*a) + ", default " + a->default_text,
                        "write a list in braces with a value for each part, such as {0, 1, 2}");
        bool const is_own = std::find(own.begin(), own.end(), name) != own.end();
        for (std::uint32_t i = v.first; i < v.first + v.count; ++i)
            out.parameters[i].is_own_name = is_own;
    }
    return out;
}

ATTUNE_INLINE chain_of_trees space_of_call(kernel_description const& kernel,
                                           description const& declared,
                                           std::vector<input_value> const& inputs,
                                           device_target const* device, std::string* moved,
                                           chain_of_trees const* like)
{
    auto const stated = [&](std::size_t i) {
        parameter_description const& p = declared.parameters[i];
        std::string const text = p.default_text->empty() ? "(nothing)" : *p.default_text;
        group_description const* const g = declared.group_of(static_cast<std::uint32_t>(i));
        for (annotation const& a : find_annotations(kernel.source))
            if (a.name == (g != nullptr ? g->name : p.name))
                return text + " at " + detail::place_of(a);
        return text;
    };
    description open = declared; // bind_inputs() would report a default without its line
    for (parameter_description& p : open.parameters)
        p.default_text.reset();
    if (device == nullptr) limit_memory(open, kernel.memory);
    description bound = bind_inputs(std::move(open), inputs);
    point start;
    for (std::size_t i = 0; i < bound.parameters.size(); ++i) {
        parameter_description& p = bound.parameters[i];
        p.default_text = declared.parameters[i].default_text;
        auto const at = coordinate_of(p, p.default_text.value());
        if (!at)
            throw error("the default of a parameter is not one of its values",
                        "parameter " + p.name + ", default " + stated(i),
                        "change the default or the values");
        start.push_back(*at);
    }
    if (device) {
        device->add_limits(bound, kernel);
        for (feature_description const& f : kernel.code_rules.features)
            bound.code_metrics.push_back(f.text);
    }
    auto const built = [like](description const& d) {
        return like != nullptr ? like->rebuilt(d) : chain_of_trees{d};
    };
    chain_of_trees const space = built(bound);
    std::vector<std::string> const broken = space.violations(start);
    if (broken.empty()) return space;
    if (moved != nullptr && space.is_exact())
        if (auto const nearest = nearest_valid(space, start, {.count = 1}); !nearest.empty()) {
            for (std::size_t i = 0; i < bound.parameters.size(); ++i)
                bound.parameters[i].default_text = text_of(bound.parameters[i], nearest[0][i]);
            *moved = "the default configuration breaks " + broken.front() +
                     " for these inputs; the nearest valid one serves as default: " +
                     text_of(bound, nearest[0]);
            return built(bound);
        }
    std::string where;
    for (constraint_description const& c : bound.constraints) {
        if (std::find(broken.begin(), broken.end(), c.text) == broken.end()) continue;
        where += (where.empty() ? "" : "; ") + c.text;
        for (std::uint32_t const i : c.scope)
            where += ", " + bound.parameters[i].name + '=' + stated(i);
        where += text_of_inputs(bound, c);
    }
    throw error("the default configuration breaks a constraint", where,
                "change the defaults or the constraint");
}

ATTUNE_INLINE record_key make_key(kernel_description const& kernel, description const& bound,
                                  std::string const& compiler_identity, device_target const* target)
{
    record_key key;
    key.kernel = kernel.name;
    key.source = source_fingerprint(kernel.source);
    content_hash schema;
    schema.add(schema_text(kernel.space)).add(signature_text(kernel.signature));
    if (!kernel.signature.declarations.empty()) schema.add(kernel.signature.declarations);
    if (target) schema.add(text_of(kernel.launch.value_or(launch_declaration{}), kernel.space));
    for (constraint_description const& rule : kernel.code_rules.constraints)
        schema.add(rule.text);
    key.schema = schema.hex();
    content_hash signature;
    signature.add(signature_text(kernel.signature)).add(kernel.signature.declarations);
    if (target) signature.add(text_of(kernel.launch.value_or(launch_declaration{}), kernel.space));
    key.signature = signature.hex();
    key.compiler = compiler_identity;
    key.device = target ? target->name() : device_name();
    for (input_description const& input : bound.inputs) {
        key.inputs.emplace_back(input.name, text_of_number(input.value.value_or(number{})));
    }
    return key;
}

[[nodiscard]] inline std::string argument_of(kernel_description const& kernel, std::size_t position)
{
    return "argument " + std::to_string(position) + ", " + kernel.signature.arguments[position] +
           ", of kernel " + kernel.name;
}

[[noreturn]] inline void refuse_missing_extent(kernel_description const& kernel,
                                               std::size_t position)
{
    throw error("the number of elements behind a pointer is not declared",
                argument_of(kernel, position),
                "declare kernel.extent<" + std::to_string(position) + ">(...), or pass a span");
}

ATTUNE_INLINE bool answer_of(std::function<bool(void const*)> const& asked, call_frame const& frame)
{
    bool out = false;
    frame.with_arguments(frame.addresses(), [&](void const* all) { out = asked(all); });
    return out;
}

ATTUNE_INLINE bool has_reference(kernel_description const& kernel, call_frame const& frame)
{
    if (!kernel.reference || !kernel.reference_serves) return kernel.reference != nullptr;
    return answer_of(kernel.reference_serves, frame);
}

ATTUNE_INLINE bool takes_call(kernel_description const& kernel, call_frame const& frame)
{
    return !kernel.precondition || answer_of(kernel.precondition, frame);
}

ATTUNE_INLINE void require_targets(kernel_description const& kernel)
{
    for (argument_extent const& e : kernel.extents)
        if (e.node == no_index && kernel.signature.arguments[e.position].starts_with("std::span<"))
            refuse_missing_extent(kernel, e.position);
}

ATTUNE_INLINE std::vector<std::size_t> extents_of(kernel_description const& kernel,
                                                  std::vector<input_value> const& inputs)
{
    std::vector<std::size_t> out(kernel.signature.arguments.size());
    if (kernel.extents.empty()) return out;
    description known = kernel.space; // a table may need more inputs than the extents
    for (input_value const& given : inputs) {
        std::uint32_t const i = known.find_input(given.name);
        if (i != no_index) known.inputs[i].value = given.value;
    }
    fill_machine_figures(known);
    for (argument_extent const& e : kernel.extents) {
        std::string const argument = argument_of(kernel, e.position);
        std::string const call = "kernel.extent<" + std::to_string(e.position) + ">(...)";
        if (e.node == no_index) refuse_missing_extent(kernel, e.position);
        auto const elements = whole_number_at(known, e.node, {});
        if (!elements || *elements < 0)
            throw error("the extent of an argument is no number of elements",
                        argument + ": " + text_of_node(known, known.nodes[e.node]) +
                            (elements ? " is " + std::to_string(*elements) : " has no value"),
                        "check " + call + " and the inputs that it reads");
        out[e.position] = static_cast<std::size_t>(*elements);
    }
    return out;
}

ATTUNE_INLINE void set_extents(call_frame& frame, kernel_description const& kernel,
                               std::vector<input_value> const& inputs)
{
    if (kernel.extents.empty()) return;
    std::vector<std::size_t> const counts = extents_of(kernel, inputs);
    for (argument_extent const& one : kernel.extents)
        frame.set_extent(one.position, counts[one.position]);
}

ATTUNE_INLINE std::vector<double> excesses(kernel_description const& kernel,
                                           bounded_values const& seen)
{
    std::vector<double> out;
    if (kernel.error) out.push_back(excess_over(at_most("error", kernel.most_error), seen.error));
    if (kernel.most_joules > 0)
        out.push_back(excess_over(at_most("joules", kernel.most_joules), seen.joules));
    bool const is_unknown =
        std::all_of(out.begin(), out.end(), [](double one) { return std::isnan(one); });
    if (is_unknown) out.clear();
    return out;
}

[[nodiscard]] inline std::string read_device_name()
{
    std::string model;
    std::string numbers;
    for (std::string const& line : processor_lines()) {
        if (line.find(':') == std::string::npos) continue;
        std::string const value{processor_value(line)};
        if (line.starts_with("model name")) model = value;
        for (auto const* field : {"cpu family", "model\t", "stepping"})
            if (line.starts_with(field)) numbers += (numbers.empty() ? "" : ".") + value;
    }
    if (model.empty()) return "unknown processor";
    return numbers.empty() ? model : model + " (" + numbers + ")";
}

ATTUNE_INLINE std::string device_name()
{
    static std::string const name = read_device_name();
    return name;
}

} // namespace attune::inline ATTUNE_ABI::detail
