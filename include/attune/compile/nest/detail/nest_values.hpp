// attune/compile/nest/detail/nest_values.hpp - the text of a statement's value, for a number or lanes.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_address.hpp>
#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// "vec::lanes<float, 16>"
[[nodiscard]] inline std::string lanes_name(element_type type, std::int64_t lanes)
{
    return "vec::lanes<" + std::string(cpp_name(type)) + ", " + std::to_string(lanes) + '>';
}

struct value_text {
    std::string text;
    element_type type{}; ///< of the number; for a truth value: of the compared numbers
    bool is_vector = false;
    bool is_word = false; ///< true: an operand of any operator without parentheses
    bool is_truth = false;

    [[nodiscard]] std::string operand() const { return is_word ? text : '(' + text + ')'; }
};

[[nodiscard]] inline value_text word(std::string text, element_type type, bool is_vector)
{
    return {std::move(text), type, is_vector, true, false};
}

[[nodiscard]] inline value_text converted(nest_scope const& scope, value_text value,
                                          element_type type)
{
    if (value.type == type) return value;
    std::string const to = value.is_vector
                               ? "vec::convert<" + lanes_name(type, scope.lane.lanes) + ">("
                               : "static_cast<" + std::string(cpp_name(type)) + ">(";
    return word(to + value.text + ')', type, value.is_vector);
}

/// The value as a vector of its type.
[[nodiscard]] inline value_text widened(nest_scope const& scope, value_text value)
{
    if (value.is_vector) return value;
    return word("vec::splat<" + lanes_name(value.type, scope.lane.lanes) + ">(" + value.text + ')',
                value.type, true);
}

[[nodiscard]] inline std::string literal_text(double value, element_type type)
{
    std::string const name(cpp_name(type));
    if (!is_real_type(type)) {
        // The text of the least number is that of a sign and a larger number, which no int holds.
        bool const is_plain = type == element_type::i32 && value > -0x1p31;
        std::string const digits = std::to_string(static_cast<std::int64_t>(value));
        return is_plain ? digits : "static_cast<" + name + ">(" + digits + ')';
    }
    std::string text;
    if (std::isnan(value))
        text = "__builtin_nan(\"\")";
    else if (std::isinf(value))
        text = value < 0 ? "-__builtin_inf()" : "__builtin_inf()";
    else {
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "%.17g", value);
        double back = 0;
        for (int digits = 1; digits <= 17; ++digits) { // the shortest text with the same value
            std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
            if (std::sscanf(buffer, "%lf", &back) == 1 && back == value) break;
        }
        text = buffer;
        if (text.find_first_of(".en") == std::string::npos) text += ".0";
        if (type == element_type::f32 && std::fabs(value) < 3e38) return text + 'f';
    }
    return type == element_type::f64 ? text : "static_cast<" + name + ">(" + text + ')';
}

/// Returns true for a division of whole numbers whose divisor may be 0 or -1. Processors trap
/// there, also for a result that no choice takes.
[[nodiscard]] inline bool may_trap(nest_description const& nest, nest_node const& of)
{
    if (of.code != nest_op::divide || is_real_type(of.type)) return false;
    nest_node const& by = nest.nodes[of.second];
    return by.code != nest_op::literal || by.type != of.type || by.literal < 1;
}

/// The element at `place`, of the present lanes or the present number.
[[nodiscard]] inline value_text loaded(nest_scope const& scope, element_place const& place,
                                       element_type type)
{
    std::string const none = "static_cast<" + std::string(cpp_name(type)) + ">(0)";
    if (!scope.has_lane() || (place.stride == "0" && !place.has_lane_guard)) {
        if (place.guard.empty()) return word(place.element(), type, false);
        return word('(' + place.guard + " ? " + place.element() + " : " + none + ')', type, false);
    }
    std::string const name = lanes_name(type, scope.lane.lanes);
    std::string const count =
        scope.lane.count.empty() ? std::to_string(scope.lane.lanes) : scope.lane.count;
    if (place.has_lane_guard) {
        std::string at = place.position;
        if (place.stride != "?") at += " + lane * (" + place.stride + ')';
        std::string element = place.base + '[' + at + ']';
        if (!place.guard.empty()) element = place.guard + " ? " + element + " : " + none;
        return word("vec::each<" + name + ">([&](long lane) { (void)lane; return " + element +
                        "; }, " + count + ')',
                    type, true);
    }
    std::string text;
    if (place.stride == "1")
        text = "vec::load<" + name + ">(" + place.pointer() +
               (scope.lane.count.empty() ? std::string{} : ", " + count) + ')';
    else
        text = "vec::gather<" + name + ">(" + place.pointer() + ", " + place.stride + ", " + count +
               ')';
    if (!place.guard.empty()) text = '(' + place.guard + " ? " + text + " : " + name + "{})";
    return word(text, type, true);
}

/// Writes the line that stores `value`, of the element's type, at `place`.
/// @param is_streamed  vectors are stored past the caches
inline void store_line(nest_scope& scope, element_place const& place, element_type type,
                       value_text value, bool is_streamed = false)
{
    value = converted(scope, std::move(value), type);
    if (!scope.has_lane() || place.stride == "0") {
        scope.line(place.element() + " = " + value.text + ';');
        return;
    }
    value = widened(scope, std::move(value));
    std::string const count =
        scope.lane.count.empty() ? std::to_string(scope.lane.lanes) : scope.lane.count;
    if (place.stride == "1")
        scope.line((is_streamed ? "vec::stream(" : "vec::store(") + place.pointer() + ", " +
                   value.text + (scope.lane.count.empty() ? std::string{} : ", " + count) + ");");
    else if (place.stride == "?")
        scope.line("{ auto const lanes = " + value.text + "; for (long lane = 0; lane < " + count +
                   "; ++lane) " + place.element() + " = lanes[lane]; }");
    else
        scope.line("vec::scatter(" + place.pointer() + ", " + place.stride + ", " + value.text +
                   ", " + count + ");");
}

/// The place that the present block reads for access `a`: its array, or a buffer in its place.
[[nodiscard]] inline element_place place_of_read(nest_scope const& scope,
                                                 program_block const& block, std::uint32_t a)
{
    for (buffer_use const& use : block.reads)
        if (use.access == a)
            return place_in_buffer(scope, use.buffer, scope.program.nest.accesses[a]);
    return place_in_array(scope, scope.program.nest.accesses[a]);
}

/// Writes the values of a statement's nodes, each once.
class nest_value_writer {
public:
    nest_value_writer(nest_scope& scope, program_block const& block)
        : scope_(scope)
        , block_(block)
        , done_(scope.program.nest.nodes.size())
        , uses_(scope.program.nest.nodes.size(), 0)
    {
        count_uses(statement().value);
    }

    /// The statement's value. Writes lines for parts that are used twice before it.
    [[nodiscard]] value_text value() { return value_of(statement().value); }

private:
    [[nodiscard]] nest_statement const& statement() const
    {
        return scope_.program.nest.statements[block_.statement];
    }
    [[nodiscard]] nest_node const& node(std::uint32_t n) const
    {
        return scope_.program.nest.nodes[n];
    }

    [[nodiscard]] element_type element_of_read(std::uint32_t access) const
    {
        for (buffer_use const& use : block_.reads)
            if (use.access == access) return scope_.program.buffers[use.buffer].element;
        return scope_.program.nest.arrays[scope_.program.nest.accesses[access].array].element;
    }

    void count_uses(std::uint32_t n)
    {
        if (n == no_index || ++uses_[n] > 1) return;
        count_uses(node(n).first);
        count_uses(node(n).second);
        count_uses(node(n).third);
    }

    [[nodiscard]] value_text value_of(std::uint32_t n)
    {
        if (!done_[n].text.empty()) return done_[n];
        value_text value = written(node(n));
        if (uses_[n] > 1 && node(n).code != nest_op::literal) {
            std::string const name = scope_.new_name("t" + std::to_string(n));
            scope_.line("auto const " + name + " = " + value.text + ';');
            value.text = name;
            value.is_word = true;
        }
        return done_[n] = value;
    }

    [[nodiscard]] value_text operand(std::uint32_t n, element_type type)
    {
        return converted(scope_, value_of(n), type);
    }

    /// a sign b, of numbers of `type`
    [[nodiscard]] value_text infix(value_text a, std::string_view sign, value_text b,
                                   element_type type)
    {
        bool const is_vector = a.is_vector || b.is_vector;
        bool const mixes = type == element_type::f32 || type == element_type::f64;
        if (is_vector && !mixes) {
            a = widened(scope_, std::move(a));
            b = widened(scope_, std::move(b));
        }
        std::string text = a.operand() + ' ' + std::string(sign) + ' ' + b.operand();
        // Whole numbers wrap around; vectors do so by themselves.
        bool const is_truth = sign == "<" || sign == "<=" || sign == "==";
        if (!is_vector && !is_truth && sign != "/" && can_overflow(type))
            return word("vec::wrap(" + a.text + ", '" + std::string(sign) + "', " + b.text + ')',
                        type, false);
        return {std::move(text), type, is_vector, false, is_truth};
    }

    [[nodiscard]] value_text call(std::string_view name, nest_node const& of)
    {
        value_text const a = operand(of.first, of.type);
        std::string const full = "vec::" + std::string(name);
        std::string const type(cpp_name(of.type));
        if (a.is_vector)
            return word(full + '<' + type + ", " + std::to_string(scope_.lane.lanes) + ">(" +
                            a.text + ')',
                        of.type, true);
        bool const is_known = of.type == element_type::f32 || of.type == element_type::f64;
        if (is_known) return word(full + '(' + a.text + ')', of.type, false);
        return word("static_cast<" + type + ">(" + full + "(static_cast<double>(" + a.text + ")))",
                    of.type, false);
    }

    [[nodiscard]] value_text bound(std::string_view name, nest_node const& of)
    {
        value_text a = operand(of.first, of.type);
        value_text b = operand(of.second, of.type);
        std::string type(cpp_name(of.type));
        if (a.is_vector || b.is_vector) {
            a = widened(scope_, std::move(a));
            b = widened(scope_, std::move(b));
            type = lanes_name(of.type, scope_.lane.lanes);
        }
        return word("vec::" + std::string(name) + '<' + type + ">(" + a.text + ", " + b.text + ')',
                    of.type, a.is_vector);
    }

    [[nodiscard]] value_text written(nest_node const& of)
    {
        nest_operation_rules const& rules = rules_of(of.code);
        switch (rules.group) {
        case nest_group::literal:
            return word(literal_text(of.literal, of.type), of.type, false);
        case nest_group::access: {
            nest_access const& access = scope_.program.nest.accesses[of.access];
            element_type const type = scope_.program.nest.arrays[access.array].element;
            element_place const place = place_of_read(scope_, block_, of.access);
            // A buffer may hold wider numbers than the array, which rounds them.
            value_text value = loaded(scope_, place, element_of_read(of.access));
            value = converted(scope_, std::move(value), type);
            return converted(scope_, std::move(value), of.type);
        }
        case nest_group::axis: {
            index_sum const sum = scope_.value_of(of.axis);
            value_text at =
                word("static_cast<" + std::string(cpp_name(of.type)) + ">(" + text_of(sum) + ')',
                     of.type, false);
            if (scope_.lane.axis != of.axis) return at;
            std::string const name = lanes_name(of.type, scope_.lane.lanes);
            return {"vec::iota<" + name + ">() + " + widened(scope_, at).text, of.type, true, false,
                    false};
        }
        case nest_group::input: {
            nest_input const& input = scope_.program.nest.inputs[of.input];
            return converted(scope_, word(input.name, input.type, false), of.type);
        }
        case nest_group::conversion:
            return operand(of.first, of.type);
        case nest_group::negation: {
            value_text const a = operand(of.first, of.type);
            if (!a.is_vector && can_overflow(of.type))
                return word("vec::wrap(0, '-', " + a.text + ')', of.type, false);
            return {'-' + a.operand(), of.type, a.is_vector, false, false};
        }
        case nest_group::magnitude: {
            value_text const a = operand(of.first, of.type);
            if (!a.is_vector &&
                can_overflow(of.type)) // the absolute value of the least number is that number
                return word("vec::max(" + a.text + ", vec::wrap(0, '-', " + a.text + "))", of.type,
                            false);
            std::string const name = a.is_vector ? lanes_name(of.type, scope_.lane.lanes)
                                                 : std::string(cpp_name(of.type));
            return word("vec::absolute<" + name + ">(" + a.text + ')', of.type, a.is_vector);
        }
        case nest_group::function:
            return call(rules.sign, of);
        case nest_group::arithmetic:
        case nest_group::truth:
            return infix(of, rules.sign);
        case nest_group::bound:
            return bound(rules.sign, of);
        case nest_group::choice:
            break;
        }
        value_text const chosen = value_of(of.first);
        value_text a = operand(of.second, of.type);
        value_text b = operand(of.third, of.type);
        if (!chosen.is_vector) {
            if (a.is_vector || b.is_vector) {
                a = widened(scope_, std::move(a));
                b = widened(scope_, std::move(b));
            }
            return {chosen.operand() + " ? " + a.operand() + " : " + b.operand(), of.type,
                    a.is_vector, false, false};
        }
        a = widened(scope_, std::move(a));
        b = widened(scope_, std::move(b));
        bool const is_one_size = element_bytes(chosen.type) == element_bytes(of.type);
        if (is_one_size && chosen.is_truth)
            return {chosen.operand() + " ? " + a.operand() + " : " + b.operand(), of.type, true,
                    false, false};
        return word("vec::select(" + chosen.text + ", " + a.text + ", " + b.text + ')', of.type,
                    true);
    }

    [[nodiscard]] value_text infix(nest_node const& of, std::string_view sign)
    {
        value_text a = operand(of.first, of.type);
        value_text b = operand(of.second, of.type);
        if (may_trap(scope_.program.nest, of)) return quotient(a, b, of.type);
        return infix(std::move(a), sign, std::move(b), of.type);
    }
    [[nodiscard]] value_text quotient(value_text a, value_text b, element_type type)
    {
        std::string const of(cpp_name(type));
        bool const is_vector = a.is_vector || b.is_vector;
        if (!is_vector)
            return word("vec::quotient<" + of + ">(" + a.text + ", " + b.text + ')', type, false);
        a = widened(scope_, std::move(a));
        b = widened(scope_, std::move(b));
        return word("vec::quotients<" + of + ", " + std::to_string(scope_.lane.lanes) + ">(" +
                        a.text + ", " + b.text + ')',
                    type, true);
    }

    nest_scope& scope_;
    program_block const& block_;
    std::vector<value_text> done_; ///< per node; an empty text: not yet
    std::vector<int> uses_;        ///< per node
};

/// The neutral value of a combination.
[[nodiscard]] inline std::string neutral_text(reduction combine, element_type type)
{
    std::string const name(cpp_name(type));
    switch (rules_of(combine).neutral) {
    case neutral_number::zero:
        return literal_text(0, type);
    case neutral_number::one:
        return literal_text(1, type);
    case neutral_number::lowest:
        return "vec::lowest<" + name + ">()";
    case neutral_number::highest:
        break;
    }
    return "vec::highest<" + name + ">()";
}

/// The combination of two numbers, or lanes, of the accumulator's type.
[[nodiscard]] inline value_text combined(nest_scope const& scope, reduction combine, value_text a,
                                         value_text b)
{
    if (a.is_vector || b.is_vector) {
        a = widened(scope, std::move(a));
        b = widened(scope, std::move(b));
    }
    element_type const type = a.type;
    bool const is_vector = a.is_vector;
    std::string const name =
        is_vector ? lanes_name(type, scope.lane.lanes) : std::string(cpp_name(type));
    nest_operation_rules const& step = rules_of(rules_of(combine).step);
    std::string const sign(step.sign);
    if (step.group == nest_group::bound)
        return word("vec::" + sign + '<' + name + ">(" + a.text + ", " + b.text + ')', type,
                    is_vector);
    if (!is_vector && can_overflow(type))
        return word("vec::wrap(" + a.text + ", '" + sign + "', " + b.text + ')', type, false);
    std::string text = a.operand() + ' ' + sign + ' ' + b.operand();
    if (!is_vector && element_bytes(type) < 4) text = "static_cast<" + name + ">(" + text + ')';
    return {std::move(text), type, is_vector, false, false};
}

} // namespace attune::inline ATTUNE_ABI::detail
