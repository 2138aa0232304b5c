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

ATTUNE_INLINE std::string const* schedule_choices::find(std::string_view name) const noexcept
{
    for (choice const& one : all)
        if (one.name == name) return &one.value;
    return nullptr;
}

ATTUNE_INLINE std::string const& schedule_choices::text(std::string_view name) const
{
    if (std::string const* const found = find(name)) return *found;
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

namespace detail {

inline constexpr std::string_view slices_name = "SLICES";

/// Bytes of the temporaries that the statements of one slice write; an extent that is an input
/// counts as 1024.
[[nodiscard]] inline double temporary_bytes(loop_program const& program)
{
    double out = 0;
    for (std::uint32_t const b : blocks_inside(program, no_index)) {
        nest_description const& nest = program.nest;
        nest_array const& array =
            nest.arrays[nest.statements[program.blocks[b].statement].target.array];
        if (array.role != nest_role::temporary) continue;
        auto bytes = static_cast<double>(element_bytes(array.element));
        for (nest_extent const& extent : array.extents)
            bytes *= extent.input == no_index ? static_cast<double>(extent.constant) : 1024;
        out += bytes;
    }
    return out;
}

/// Calls of a slice; an extent that is an input counts as 1024.
[[nodiscard]] inline double number_of_slices(loop_program const& program)
{
    double out = 1;
    for (program_slice const& slice : program.slices)
        out *= static_cast<double>(
            slice.extent.input == no_index ? slice.extent.constant / slice.step : 1024);
    return out;
}

} // namespace detail

ATTUNE_INLINE std::vector<schedule_rule> default_schedule_rules()
{
    return {detail::product_rule(), detail::row_rule()};
}

ATTUNE_INLINE derived_space::derived_space(nest_description nest, processor_shape const& processor,
                                           std::vector<schedule_rule> const& rules)
    : nest_(std::move(nest))
    , start_{plain_program(nest_), {}}
{
    // A product computes the value of an inlined operand once for each register tile.
    detail::inline_cheap(
        start_, [&](nest_description const& in, std::uint32_t reader, std::uint32_t value) {
            return in.nodes[value].code == nest_op::access ||
                   !detail::is_tiled_product(in, reader, processor);
        });
    nest_description const& now = start_.program.nest;
    auto const rule_for = [&](rule_subject const& subject) -> schedule_rule const* {
        for (schedule_rule const& rule : rules)
            if (rule.applies(subject)) return &rule;
        return nullptr;
    };
    auto const subject_of = [&](detail::statement_group const& members) {
        return rule_subject{&start_.program.nest, members, processor, {}};
    };
    detail::group_cutter const cutter(
        start_.program, processor, [&](detail::statement_group const& members) {
            schedule_rule const* const rule = rule_for(subject_of(members));
            return rule == nullptr ? std::string_view{} : std::string_view(rule->name);
        });
    for (detail::statement_group const& members : cutter.groups()) {
        schedule_rule const* const rule = rule_for(subject_of(members));
        if (rule == nullptr)
            throw error("no rule schedules a statement",
                        nest_.name + ", " +
                            now.arrays[now.statements[members.back()].target.array].name,
                        "add a rule that applies to it");
        groups_.push_back({subject_of(members), *rule});
    }
    space_builder space;
    add_slicings(processor);
    if (!slicings_.empty()) {
        std::vector<std::string> labels;
        for (slicing const& one : slicings_)
            labels.push_back(one.label);
        space.categorical(std::string(detail::slices_name), labels, labels[usual_slicing_]);
    }
    loop_program const usual =
        slicings_.empty() ? start_.program : sliced(slicings_[usual_slicing_]).program;
    for (group& one : groups_) {
        std::uint32_t const last = one.subject.statements.back();
        if (groups_.size() > 1)
            one.subject.prefix = now.arrays[now.statements[last].target.array].name + '_';
        rule_subject of_slice = one.subject;
        of_slice.nest = &usual.nest;
        of_slice.whole = &now;
        one.rule.declare(of_slice, space);
    }
    space_ = space.made();
    if (space_.expected && !usual.slices.empty())
        space_.expected = [of_slice = std::move(space_.expected),
                           slices = detail::number_of_slices(usual)](
                              std::span<coordinate const> at) { return slices * of_slice(at); };
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

ATTUNE_INLINE void derived_space::add_slicings(processor_shape const& processor)
{
    // Rows alone gain nothing: their temporaries are small, and a call for each row is slow.
    bool const has_product = std::any_of(groups_.begin(), groups_.end(), [](group const& one) {
        return one.rule.name == detail::product_rule_name &&
               detail::find_product_axes(one.subject)->rows != no_index;
    });
    if (groups_.size() < 2 || !has_product) return;
    nest_description const& nest = start_.program.nest;
    auto const can = [this](slicing const& by) {
        try {
            (void)sliced(by);
        } catch (error const&) {
            return false;
        }
        return true;
    };
    std::vector<slicing> found{{"none", {}}};
    nest_statement const& last = nest.statements[groups_.back().subject.statements.back()];
    for (std::uint32_t s = 0; s < last.spatial_count; ++s) {
        std::uint32_t const axis = last.axes[s];
        auto const extent = detail::known_extent(nest, axis);
        if (extent && *extent < 2) continue;
        bool const is_batch = std::all_of(groups_.begin(), groups_.end(), [&](group const& one) {
            auto const axes = detail::find_product_axes(one.subject);
            if (!axes || one.rule.name != detail::product_rule_name) return true;
            auto const& others = axes->others;
            return std::find(others.begin(), others.end(), axis) != others.end();
        });
        slicing next = found.back();
        if (next.axes.empty()) next.label.clear();
        if (!next.label.empty()) next.label += '_';
        next.label += nest.axes[axis].name;
        if (next.label == found.front().label) next.label += '_';
        if (is_batch) {
            next.axes.emplace_back(axis, 1);
            if (!can(next)) break;
            found.push_back(std::move(next));
            continue;
        }
        for (std::int64_t const step : {256, 128, 64, 32, 16}) {
            slicing block = next;
            block.label += std::to_string(step);
            block.axes.emplace_back(axis, step);
            if (extent && step < *extent && can(block)) found.push_back(std::move(block));
        }
        break;
    }
    if (found.size() < 2) return;
    slicings_ = std::move(found);
    // Uses blocks only if the temporaries of a slice without blocks exceed twice the second cache:
    // blocks pack operands more often (1.3 times slower in an attention of 1,024 tokens).
    auto const is_block = [](slicing const& by) {
        return !by.axes.empty() && by.axes.back().second > 1;
    };
    for (usual_slicing_ = 0; usual_slicing_ + 1 < slicings_.size(); ++usual_slicing_)
        if (is_block(slicings_[usual_slicing_ + 1]) &&
            detail::temporary_bytes(sliced(slicings_[usual_slicing_]).program) <=
                2.0 * static_cast<double>(processor.l2_bytes))
            break;
}

ATTUNE_INLINE traced_program derived_space::sliced(slicing const& by) const
{
    traced_program p = start_;
    std::int64_t const cores = groups_.front().subject.processor.cores;
    bool may_run_in_threads = cores > 1;
    for (auto const& [axis, step] : by.axes) {
        // Threads run the outermost loop that has work for all cores, else loops of the groups.
        auto const extent = detail::known_extent(start_.program.nest, axis);
        bool const in_threads = may_run_in_threads && (!extent || *extent / step >= cores);
        p.apply(schedule_action::slice, {axis, step, in_threads ? 1 : 0});
        may_run_in_threads = may_run_in_threads && !in_threads;
    }
    return p;
}

ATTUNE_INLINE traced_program derived_space::schedule(schedule_choices const& chosen) const
{
    traced_program p = start_;
    for (slicing const& by : slicings_)
        if (by.label == chosen.text(detail::slices_name)) p = sliced(by);
    nest_description const nest = p.program.nest; // a copy: rules change that of the program
    for (group const& one : groups_) {
        rule_subject subject = one.subject;
        subject.nest = &nest;
        subject.whole = &start_.program.nest;
        one.rule.schedule(subject, chosen, p);
    }
    return p;
}

ATTUNE_INLINE traced_program derived_space::schedule(point const& at) const
{
    return schedule(choices_of(space_, at));
}

ATTUNE_INLINE std::string derived_space::least_covered() const
{
    nest_description const& nest = start_.program.nest;
    struct candidate {
        std::uint32_t statement = no_index;
        double operations = 0;
    };
    candidate of_all;
    candidate without_lanes;
    double sum = 0;
    for (group const& one : groups_) {
        rule_subject subject = one.subject; // a copy of the space has a nest of its own
        subject.nest = &nest;
        std::size_t const shared = detail::shared_axes(subject).size();
        for (std::uint32_t const s : subject.statements) {
            nest_statement const& of = nest.statements[s];
            double own = std::max(detail::operations_of(nest, of).total(), 1.0);
            for (std::uint32_t const axis : of.axes)
                own *= static_cast<double>(detail::known_extent(nest, axis).value_or(1024));
            sum += own;
            bool const has_lanes = one.rule.name != detail::row_rule_name ||
                                   detail::lane_axis(nest, of, shared) != no_index;
            if (own > of_all.operations) of_all = {s, own};
            if (!has_lanes && own > without_lanes.operations) without_lanes = {s, own};
        }
    }
    bool const is_without = without_lanes.statement != no_index;
    candidate const& said = is_without ? without_lanes : of_all;
    return (is_without ? "the rules schedule without lanes: "
                       : "the statement with the most operations is that of ") +
           nest.arrays[nest.statements[said.statement].target.array].name +
           detail::formatted(", with %.0f %% of the operations", 100 * said.operations / sum);
}

ATTUNE_INLINE std::vector<std::string> derived_space::rule_names() const
{
    std::vector<std::string> out;
    for (group const& one : groups_)
        out.push_back(one.rule.name);
    return out;
}

} // namespace attune::inline ATTUNE_ABI
