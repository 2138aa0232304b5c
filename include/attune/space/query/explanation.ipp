// attune/space/query/explanation.ipp - writes expressions with values in place of names.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/conditions/conditions.hpp>
#include <attune/space/query/explanation.hpp>
#include <attune/space/tree/build.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Writes conditions of one description at one configuration.
class value_writer {
public:
    value_writer(description const& space, point const& at)
        : space_(space)
        , at_(at)
        , read_(space)
    {
    }

    /// The reason why the condition at `root` does not hold.  @pre  it does not hold
    [[nodiscard]] std::pair<constraint_fault, std::string> refusal(std::uint32_t root) const
    {
        std::string const text = condition_text(root).text;
        if (read_.value(root, at_)) return {constraint_fault::is_false, text + " is false"};
        auto const [how, why] = missing_value(root);
        return {how, text + ": " + why};
    }

    /// The reason why the expression at `root` has no value: "1 / 0 divides by zero".
    /// @pre  it has none
    [[nodiscard]] std::string missing(std::uint32_t root) const
    {
        return missing_value(root).second;
    }

private:
    [[nodiscard]] static lowered_operand written(number v)
    {
        std::string text = text_of_number(v);
        int const rank = text.front() == '-' ? unary_rank : leaf_rank;
        return {no_index, std::move(text), rank};
    }

    [[nodiscard]] std::array<std::uint32_t, 3> operands(std::uint32_t node) const
    {
        expression_node const& n = space_.nodes[node];
        return {n.first, n.second, n.third};
    }

    [[nodiscard]] lowered_operand leaf(std::uint32_t node) const
    {
        expression_node const& n = space_.nodes[node];
        if (n.code == op::text) return {node, '"' + space_.texts[n.text] + '"', leaf_rank};
        if (n.code == op::parameter) {
            parameter_description const& parameter = space_.parameters[n.subject];
            std::string text = text_of(parameter, at_[n.subject]);
            if (parameter.type == value_kind::text) return {node, '"' + text + '"', leaf_rank};
            int const rank = text.front() == '-' ? unary_rank : leaf_rank;
            return {node, std::move(text), rank};
        }
        std::optional<number> const v = read_.value(node, at_);
        return v ? written(*v) : lowered_operand{node, "nothing", leaf_rank};
    }

    /// The operation at `node` on written operands.
    template <class Write>
    [[nodiscard]] lowered_operand joined(std::uint32_t node, Write const& write) const
    {
        op const code = space_.nodes[node].code;
        std::vector<lowered_operand> args;
        for (int i = 0; i < operand_count(code); ++i)
            args.push_back(write(operands(node)[static_cast<std::size_t>(i)]));
        return {node, text_of_operation(code, args), rules_of(code).rank};
    }

    /// The expression with values in place of names; a named expression keeps its name.
    [[nodiscard]] lowered_operand substituted(std::uint32_t node) const
    {
        if (is_leaf(space_.nodes[node].code)) return leaf(node);
        for (named_node const& named : space_.names)
            if (named.root == node) return {node, named.name, leaf_rank};
        return joined(node, [&](std::uint32_t n) { return substituted(n); });
    }

    /// substituted() with its value: "4 * 256 = 1024".
    [[nodiscard]] lowered_operand evaluated(std::uint32_t node) const
    {
        lowered_operand out = substituted(node);
        if (is_leaf(space_.nodes[node].code)) return out;
        std::optional<number> const v = read_.value(node, at_);
        if (v && written(*v).text != out.text) out.text += " = " + written(*v).text;
        return out;
    }

    /// Returns true if a number is in bytes of the machine: "machine.l2_bytes / 2", but not for a
    /// ratio of two such numbers.
    [[nodiscard]] bool is_of_machine_bytes(std::uint32_t node) const
    {
        expression_node const& n = space_.nodes[node];
        if (n.code == op::input) {
            std::string_view const name = space_.inputs[n.subject].name;
            return name.starts_with("machine.") && name.ends_with("_bytes");
        }
        auto const first = [&] { return is_of_machine_bytes(n.first); };
        auto const second = [&] { return is_of_machine_bytes(n.second); };
        switch (n.code) {
        case op::add:
        case op::subtract:
        case op::minimum:
        case op::maximum:
            return first() || second();
        case op::multiply:
            return first() != second();
        case op::divide:
        case op::floor_divide:
        case op::ceil_divide:
            return first() && !second();
        default:
            return false;
        }
    }

    /// A side of a comparison with bytes: "4 * 512 * 512 = 1048576 (1 MiB)".
    [[nodiscard]] lowered_operand evaluated_bytes(std::uint32_t node) const
    {
        lowered_operand out = evaluated(node);
        std::optional<number> const v = read_.value(node, at_);
        if (v && v->as_real() >= 1024) out.text += " (" + text_of_bytes(v->as_real()) + ')';
        return out;
    }

    /// The condition with values in place of names and both sides of comparisons evaluated.
    [[nodiscard]] lowered_operand condition_text(std::uint32_t node) const
    {
        expression_node const& side = space_.nodes[node];
        op const code = side.code;
        if (is_comparison(code)) {
            if (is_of_machine_bytes(side.first) || is_of_machine_bytes(side.second))
                return joined(node, [&](std::uint32_t n) { return evaluated_bytes(n); });
            return joined(node, [&](std::uint32_t n) { return evaluated(n); });
        }
        if (yields_truth(code))
            return joined(node, [&](std::uint32_t n) { return condition_text(n); });
        return evaluated(node);
    }

    /// The reason why `node` has no value, and its text.
    /// @pre  it has none
    [[nodiscard]] std::pair<constraint_fault, std::string> missing_value(std::uint32_t node) const
    {
        expression_node const& n = space_.nodes[node];
        int const count = operand_count(n.code);
        if (count == 0)
            return {constraint_fault::no_value, substituted(node).text + " is not a number"};
        std::optional<number> const a = read_.value(n.first, at_);
        if (!a) return missing_value(n.first);
        if (n.code == op::select) return missing_value(a->as_real() != 0 ? n.second : n.third);
        std::optional<number> const b = count > 1 ? read_.value(n.second, at_) : a;
        if (!b) return missing_value(n.second);
        std::string const what =
            joined(node, [&](std::uint32_t side) { return written(*read_.value(side, at_)); }).text;
        if (is_division(n.code) && b->as_real() == 0)
            return {constraint_fault::division_by_zero, what + " divides by zero"};
        return {constraint_fault::overflow, what + " overflows 64 bits"};
    }

    description const& space_;
    point const& at_;
    evaluator read_;
};

/// "the function refuses A = 3, B = 4"
[[nodiscard]] inline std::string answer_text(description const& space,
                                             constraint_description const& asked, point const& p)
{
    std::string out = "the function refuses";
    char const* separator = " ";
    for (std::uint32_t const i : asked.scope) {
        out += separator + space.parameters[i].name + " = " + text_of(space.parameters[i], p[i]);
        separator = ", ";
    }
    return out;
}

ATTUNE_INLINE std::string text_of_inputs(description const& space, constraint_description const& c)
{
    std::string out;
    if (c.root == no_index) return out;
    for (std::uint32_t const i : inputs_read(space, c.root)) {
        number const v = space.inputs[i].value.value_or(number{});
        out += ", " + space.inputs[i].name + '=' + text_of_number(v);
    }
    return out;
}

} // namespace detail

ATTUNE_INLINE std::vector<broken_constraint> explain(description const& space, point const& p)
{
    ATTUNE_ASSERT(p.size() == space.parameters.size(), "a point has one coordinate per parameter");
    std::vector<broken_constraint> out;
    std::vector<bool> outside(p.size(), false);
    for (std::size_t i = 0; i < p.size(); ++i) {
        parameter_description const& parameter = space.parameters[i];
        outside[i] = !detail::is_inside(parameter, p[i]);
        if (!outside[i]) continue;
        std::string const where = parameter.traits().is_interval
                                      ? detail::text_of_real(p[i].real) + " is not in [" +
                                            detail::text_of_real(parameter.low) + ", " +
                                            detail::text_of_real(parameter.high) + ']'
                                      : "it has " + std::to_string(parameter.value_count()) +
                                            " values, there is none at index " +
                                            std::to_string(p[i].index);
        out.push_back({no_index, constraint_fault::outside,
                       parameter.name + " is outside its values", where});
    }
    detail::value_writer const write(space, p);
    for (detail::condition const& c : detail::conditions_of(space)) {
        bool readable = true;
        for (std::uint32_t const read : c.scope)
            readable = readable && !outside[read];
        if (!readable || detail::holds(space, c, p)) continue;
        auto [how, because] =
            c.root == no_index
                ? std::pair(constraint_fault::refused,
                            detail::answer_text(space, space.constraints[c.source], p))
                : write.refusal(c.root);
        if (!out.empty() && out.back().constraint == c.source)
            out.back().because += "; " + because;
        else
            out.push_back(
                {c.source, how, detail::constraint_text(space, c.source), std::move(because)});
    }
    return out;
}

ATTUNE_INLINE std::string to_text(std::span<broken_constraint const> broken)
{
    std::string out;
    for (broken_constraint const& b : broken)
        out += b.text + ": " + b.because + '\n';
    return out;
}

ATTUNE_INLINE std::vector<std::uint32_t> contradicting_constraints(description const& space,
                                                                   build_options options)
{
    options.max_visits = std::min<std::uint64_t>(options.max_visits, 1'000'000);
    options.enumeration.wide_settings =
        std::min<std::uint64_t>(options.enumeration.wide_settings, 100'000);
    std::vector<detail::condition> const all = detail::conditions_of(space);
    std::vector<bool> needed(space.constraints.size(), true);
    // Leaves out long parts first, because few of many constraints contradict each other.
    for (std::size_t length = std::bit_ceil(needed.size()); length > 0; length /= 2)
        for (std::size_t first = 0; first < needed.size(); first += length) {
            std::vector<bool> fewer = needed;
            std::fill_n(fewer.begin() + static_cast<std::ptrdiff_t>(first),
                        std::min(length, fewer.size() - first), false);
            if (fewer == needed) continue;
            std::vector<detail::condition> rest;
            for (detail::condition const& c : all)
                if (fewer[c.source] && !c.reads_real) rest.push_back(c);
            if (!detail::is_satisfiable(space, std::move(rest), options)) needed = fewer;
        }
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < needed.size(); ++i)
        if (needed[i]) out.push_back(i);
    return out;
}

namespace detail {

/// ": 3 * 9000000000000000000 overflows 64 bits" if a constraint has no value where each parameter
/// has its first value; else nothing.
[[nodiscard]] inline std::string why_valueless(description const& space, std::uint32_t constraint)
{
    point first(space.parameters.size());
    for (std::size_t i = 0; i < first.size(); ++i)
        if (space.parameters[i].traits().is_interval) first[i].real = space.parameters[i].low;
    for (broken_constraint const& broken : explain(space, first))
        if (broken.constraint == constraint && (broken.how == constraint_fault::overflow ||
                                                broken.how == constraint_fault::division_by_zero))
            return ": " + broken.because;
    return "";
}

ATTUNE_INLINE void throw_empty(description const& space, build_options const& options)
{
    std::vector<std::uint32_t> const set = contradicting_constraints(space, options);
    if (set.size() == 1)
        throw error("the space is empty: a constraint holds for no configuration",
                    constraint_text(space, set.front()) +
                        text_of_inputs(space, space.constraints[set.front()]) +
                        why_valueless(space, set.front()),
                    space.constraints[set.front()].advice.empty()
                        ? "loosen it, or give its parameters more values"
                        : space.constraints[set.front()].advice);
    std::string where;
    for (std::uint32_t const i : set)
        where += (where.empty() ? "" : "; ") + constraint_text(space, i) +
                 text_of_inputs(space, space.constraints[i]);
    throw error("the space is empty: " + std::to_string(set.size()) +
                    " constraints contradict each other",
                where, "drop or loosen one of them, or give their parameters more values");
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
