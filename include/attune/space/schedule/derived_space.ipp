// attune/space/schedule/derived_space.ipp - the default rules, and the definitions of derived_space.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/schedule/derived_space.hpp>
#include <attune/space/schedule/detail/product_rule.hpp>
#include <attune/space/schedule/detail/row_rule.hpp>
#include <attune/space/schedule/loop_tree.hpp>
#include <attune/space/schedule/program_features.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE void space_builder::ordinal(std::string name, std::vector<std::int64_t> values,
                                          std::int64_t preferred)
{
    parameter_description out;
    out.name = std::move(name);
    out.kind = parameter_kind::ordinal;
    out.type = value_kind::integer;
    bool const is_positive = !values.empty() && values.front() > 0;
    out.on = is_positive ? scale::log : scale::linear;
    out.integers = std::move(values);
    out.default_text = std::to_string(preferred);
    space_.parameters.push_back(std::move(out));
}

ATTUNE_INLINE void space_builder::categorical(std::string name, std::vector<std::string> labels,
                                              std::string const& preferred)
{
    parameter_description out;
    out.name = std::move(name);
    out.kind = parameter_kind::categorical;
    out.type = value_kind::text;
    out.labels = std::move(labels);
    out.default_text = preferred;
    space_.parameters.push_back(std::move(out));
}

ATTUNE_INLINE void space_builder::tile(std::string name, std::int64_t extent, std::uint32_t parts)
{
    parameter_description out;
    out.name = std::move(name);
    out.kind = parameter_kind::tile;
    out.type = value_kind::list;
    out.parts = parts;
    out.rule.bound_node = number(extent);
    space_.parameters.push_back(std::move(out));
}

ATTUNE_INLINE std::uint32_t space_builder::parameter(std::string const& name) const
{
    std::uint32_t const found = space_.find_parameter(name);
    if (found == no_index)
        throw error("a formula reads a parameter that is not declared", name, "declare it first");
    return found;
}

ATTUNE_INLINE std::uint32_t space_builder::number(std::int64_t value)
{
    expression_node node;
    node.code = op::integer;
    node.integer = value;
    return detail::intern_node(space_, node);
}

ATTUNE_INLINE std::uint32_t space_builder::real(double value)
{
    expression_node node;
    node.code = op::real;
    node.real = value;
    return detail::intern_node(space_, node);
}

ATTUNE_INLINE std::uint32_t space_builder::input(std::string const& name)
{
    expression_node node;
    node.code = op::input;
    node.subject = detail::intern_input(space_, name, value_kind::integer);
    return detail::intern_node(space_, node);
}

ATTUNE_INLINE std::uint32_t space_builder::value(std::string const& name)
{
    expression_node node;
    node.code = op::parameter;
    node.subject = parameter(name);
    return detail::intern_node(space_, node);
}

ATTUNE_INLINE std::uint32_t space_builder::factor(std::string const& tile, std::int64_t place)
{
    expression_node node;
    node.code = op::element;
    node.subject = parameter(tile);
    node.integer = place;
    return detail::intern_node(space_, node);
}

ATTUNE_INLINE std::uint32_t space_builder::word(std::string const& label)
{
    auto const known = std::find(space_.texts.begin(), space_.texts.end(), label);
    auto const at = static_cast<std::uint32_t>(known - space_.texts.begin());
    if (known == space_.texts.end()) space_.texts.push_back(label);
    expression_node text;
    text.code = op::text;
    text.text = at;
    return detail::intern_node(space_, text);
}

ATTUNE_INLINE std::uint32_t space_builder::is(std::string const& name, std::string const& label)
{
    return node(op::equal, value(name), word(label));
}

ATTUNE_INLINE std::uint32_t space_builder::node(op code, std::uint32_t first, std::uint32_t second)
{
    expression_node made;
    made.code = code;
    made.first = first;
    made.second = second;
    return detail::intern_node(space_, made);
}

ATTUNE_INLINE void space_builder::active_if(std::string const& name, std::uint32_t root)
{
    activity_description& active = space_.parameters[parameter(name)].active;
    active.root = root;
    active.text = detail::text_of_node(space_, space_.nodes[root]);
}

ATTUNE_INLINE void space_builder::location(std::string const& name)
{
    space_.parameters[parameter(name)].is_location = true;
}

ATTUNE_INLINE void space_builder::where(std::uint32_t root, std::string text, std::string advice)
{
    constraint_description out;
    out.root = root;
    out.text = text.empty() ? detail::text_of_node(space_, space_.nodes[root]) : std::move(text);
    out.advice = std::move(advice);
    std::vector<std::uint32_t> open{root};
    while (!open.empty()) {
        expression_node const& node = space_.nodes[open.back()];
        open.pop_back();
        if (detail::names_parameter(node.code)) out.scope.push_back(node.subject);
        for (std::uint32_t const operand : {node.first, node.second, node.third})
            if (operand != no_index) open.push_back(operand);
    }
    std::sort(out.scope.begin(), out.scope.end());
    out.scope.erase(std::unique(out.scope.begin(), out.scope.end()), out.scope.end());
    space_.constraints.push_back(std::move(out));
}

ATTUNE_INLINE void space_builder::feature(std::uint32_t root)
{
    space_.features.push_back({root, detail::text_of_node(space_, space_.nodes[root])});
}

ATTUNE_INLINE void space_builder::expect(std::function<double(std::span<coordinate const>)> seconds)
{
    if (!space_.expected) {
        space_.expected = std::move(seconds);
        return;
    }
    space_.expected = [first = std::move(space_.expected), second = std::move(seconds)](
                          std::span<coordinate const> at) { return first(at) + second(at); };
}

ATTUNE_INLINE description space_builder::made() const
{
    return space_.inputs.empty() ? bind_inputs(space_) : space_;
}

ATTUNE_INLINE std::string const& schedule_choices::text(std::string_view name) const
{
    for (choice const& one : all)
        if (one.name == name) return one.value;
    throw error("a configuration has no value of a parameter", std::string(name),
                "give all parameters of the derived space");
}

ATTUNE_INLINE std::int64_t schedule_choices::number(std::string_view name) const
{
    std::string const& value = text(name);
    auto const out = detail::parse_number<std::int64_t>(value);
    if (!out)
        throw error("a value is no whole number", std::string(name) + " = " + value,
                    "give a number");
    return *out;
}

ATTUNE_INLINE schedule_choices choices_of(description const& space, std::span<coordinate const> at)
{
    schedule_choices out;
    for (std::size_t i = 0; i < space.parameters.size(); ++i)
        out.all.push_back({space.parameters[i].name, text_of(space.parameters[i], at[i])});
    return out;
}

ATTUNE_INLINE std::vector<schedule_rule> default_schedule_rules()
{
    return {detail::product_rule(), detail::row_rule()};
}

ATTUNE_INLINE derived_space::derived_space(nest_description nest, processor_shape const& processor,
                                           std::vector<schedule_rule> const& rules)
    : nest_(std::move(nest))
    , start_{plain_program(nest_), {}}
{
    detail::inline_cheap(start_);
    nest_description const& now = start_.program.nest;
    std::vector<std::uint32_t> blocks = blocks_inside(start_.program, no_index);
    std::sort(blocks.begin(), blocks.end());
    // Statements that pass on temporaries, up to the first one whose array is an argument.
    std::vector<std::vector<std::uint32_t>> found;
    for (std::uint32_t const block : blocks) {
        std::vector<std::uint32_t> joined{block};
        for (std::size_t g = found.size(); g-- > 0;) {
            bool feeds = false;
            for (std::uint32_t const member : found[g]) {
                nest_array const& array = now.arrays[now.statements[member].target.array];
                feeds = feeds || (array.role == nest_role::temporary &&
                                  detail::reads_array(now, now.statements[block],
                                                      now.statements[member].target.array));
            }
            if (!feeds) continue;
            joined.insert(joined.begin(), found[g].begin(), found[g].end());
            found.erase(found.begin() + static_cast<std::ptrdiff_t>(g));
        }
        std::sort(joined.begin(), joined.end());
        found.push_back(std::move(joined));
    }
    auto const rule_for = [&rules](rule_subject const& subject) -> schedule_rule const* {
        for (schedule_rule const& rule : rules)
            if (rule.applies(subject)) return &rule;
        return nullptr;
    };
    for (std::vector<std::uint32_t> const& members : found) {
        rule_subject subject{&start_.program.nest, members, processor, {}};
        if (schedule_rule const* const rule = rule_for(subject)) {
            groups_.push_back({std::move(subject), *rule});
            continue;
        }
        for (std::uint32_t const member : members) {
            subject.statements = {member};
            schedule_rule const* const rule = rule_for(subject);
            if (rule == nullptr)
                throw error("no rule schedules a statement",
                            nest_.name + ", " +
                                now.arrays[now.statements[member].target.array].name,
                            "add a rule that applies to it");
            groups_.push_back({subject, *rule});
        }
    }
    space_builder space;
    for (group& one : groups_) {
        std::uint32_t const last = one.subject.statements.back();
        if (groups_.size() > 1)
            one.subject.prefix = now.arrays[now.statements[last].target.array].name + '_';
        one.rule.declare(one.subject, space);
    }
    space_ = space.made();
    space_.row_names = program_feature_names();
    auto const of = std::make_shared<derived_space const>(*this);
    space_.rows = [of, processor](description const& in, std::span<coordinate const> at) {
        return features_of(of->schedule(choices_of(in, at)).program, processor,
                           inputs_of_nest(of->nest_, in));
    };
    space_.structure = [of](description const& in, std::span<coordinate const> at) {
        return structure_of(of->schedule(choices_of(in, at)).program);
    };
}

ATTUNE_INLINE traced_program derived_space::schedule(schedule_choices const& chosen) const
{
    traced_program p = start_;
    for (group const& one : groups_) {
        rule_subject subject = one.subject;
        subject.nest = &start_.program.nest;
        one.rule.schedule(subject, chosen, p);
    }
    return p;
}

ATTUNE_INLINE traced_program derived_space::schedule(point const& at) const
{
    return schedule(choices_of(space_, at));
}

ATTUNE_INLINE std::vector<std::string> derived_space::rule_names() const
{
    std::vector<std::string> out;
    for (group const& one : groups_)
        out.push_back(one.rule.name);
    return out;
}

} // namespace attune::inline ATTUNE_ABI
