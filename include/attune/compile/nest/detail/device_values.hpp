// attune/compile/nest/detail/device_values.hpp - the CUDA text of a statement's value, of one number.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_values.hpp>
#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/nest/nest_operation.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Lines of a text, indented by what is open.
struct device_lines {
    std::string out{};
    int depth = 0;

    void line(std::string const& text)
    {
        out += (text.empty() ? "" : std::string(static_cast<std::size_t>(depth) * 4, ' ')) + text +
               '\n';
    }
    void open(std::string const& text)
    {
        line(text + (text.empty() ? "{" : " {"));
        ++depth;
    }
    void close(std::string const& end = "}")
    {
        --depth;
        line(end);
    }
};

[[nodiscard]] constexpr bool is_half_type(element_type type) noexcept
{
    return type == element_type::f16 || type == element_type::bf16;
}

/// The name of a type in the text: that of C++, or of the structures that half_text() defines.
[[nodiscard]] inline std::string_view device_name(element_type type) noexcept
{
    return type == element_type::f16    ? "f16_"
           : type == element_type::bf16 ? "bf16_"
                                        : cpp_name(type);
}

/// A number of `type` without an end, or beyond all others, as CUDA text without a header has it.
[[nodiscard]] inline std::string extreme_text(bool is_highest, element_type type)
{
    std::string const sign = is_highest ? "" : "-";
    if (type == element_type::f32) return sign + "__int_as_float(0x7f800000)";
    if (type == element_type::f64) return sign + "static_cast<double>(__int_as_float(0x7f800000))";
    std::string const name(cpp_name(type));
    if (!element_types[type].is_signed)
        return is_highest ? "static_cast<" + name + ">(-1)" : "static_cast<" + name + ">(0)";
    std::string const highest = type == element_type::i32 ? "2147483647" : "9223372036854775807LL";
    return "static_cast<" + name + ">(" + (is_highest ? highest : '-' + highest + " - 1") + ')';
}

[[nodiscard]] inline std::string device_literal(double value, element_type type)
{
    if (is_real_type(type) && std::isinf(value)) return extreme_text(value > 0, type);
    if (is_real_type(type) && std::isnan(value))
        return "static_cast<" + std::string(cpp_name(type)) + ">(__int_as_float(0x7fffffff))";
    return literal_text(value, type);
}

/// Numbers of 16 bits pass through float.
[[nodiscard]] inline std::string device_converted(std::string const& text, element_type from,
                                                  element_type to)
{
    if (from == to) return text;
    std::string const number =
        is_half_type(from) && to != element_type::f32 ? "static_cast<float>(" + text + ')' : text;
    return "static_cast<" + std::string(device_name(to)) + ">(" + number + ')';
}

/// a sign b; signed whole numbers wrap around.
[[nodiscard]] inline std::string device_infix(std::string const& a, std::string_view sign,
                                              std::string const& b, element_type type)
{
    std::string const between = ' ' + std::string(sign) + ' ';
    if (can_overflow(type) && (sign == "+" || sign == "-" || sign == "*")) {
        std::string const name(cpp_name(type));
        std::string const plain = type == element_type::i32 ? "unsigned" : "unsigned long long";
        return "static_cast<" + name + ">(static_cast<" + plain + ">(" + a + ')' + between +
               "static_cast<" + plain + ">(" + b + "))";
    }
    return '(' + a + between + b + ')';
}

/// Both are words: they are written twice.
[[nodiscard]] inline std::string device_bound(bool is_maximum, std::string const& a,
                                              std::string const& b)
{
    return is_maximum ? '(' + a + " < " + b + " ? " + b + " : " + a + ')'
                      : '(' + b + " < " + a + " ? " + b + " : " + a + ')';
}

[[nodiscard]] inline std::string device_neutral(reduction combine, element_type type)
{
    neutral_number const neutral = rules_of(combine).neutral;
    if (neutral == neutral_number::lowest) return extreme_text(false, type);
    if (neutral == neutral_number::highest) return extreme_text(true, type);
    return device_literal(neutral == neutral_number::one ? 1 : 0, type);
}

/// The combination of two words of the accumulator's type.
[[nodiscard]] inline std::string device_combined(reduction combine, std::string const& a,
                                                 std::string const& b, element_type type)
{
    nest_operation_rules const& step = rules_of(rules_of(combine).step);
    if (step.group == nest_group::bound) return device_bound(step.of == nest_op::maximum, a, b);
    return device_infix(a, step.sign, b, type);
}

/// Writes the value of one node and of what it reads. Parts that are read twice, and operands that
/// are written twice, become constants in lines before.
class device_value_writer {
public:
    /// @param read     (access) -> text of the element, of its array's type
    /// @param axis     text of each axis' value
    device_value_writer(nest_description const& nest, device_lines& lines,
                        std::vector<std::string> const& axis,
                        std::function<std::string(std::uint32_t)> read)
        : nest_(nest)
        , lines_(lines)
        , axis_(axis)
        , read_(std::move(read))
        , uses_(nest.nodes.size(), 0)
        , done_(nest.nodes.size())
    {
    }

    /// A word of `type`. Names of parts begin with `name`: several writers share a scope.
    [[nodiscard]] std::string value(std::uint32_t node, element_type type, std::string const& name)
    {
        count(node);
        prefix_ = name;
        std::string const text = device_converted(text_of(node), nest_.nodes[node].type, type);
        lines_.line(std::string(device_name(type)) + " const " + name + " = " + text + ';');
        return name;
    }

private:
    void count(std::uint32_t n)
    {
        if (n == no_index || ++uses_[n] > 1) return;
        nest_node const& node = nest_.nodes[n];
        nest_group const group = rules_of(node.code).group;
        bool const twice = group == nest_group::bound || group == nest_group::magnitude;
        for (std::uint32_t const operand : {node.first, node.second, node.third}) {
            count(operand);
            if (twice && operand != no_index) ++uses_[operand];
        }
    }

    [[nodiscard]] std::string text_of(std::uint32_t n)
    {
        if (!done_[n].empty()) return done_[n];
        nest_node const& node = nest_.nodes[n];
        std::string text = written(node);
        bool const is_truth = rules_of(node.code).group == nest_group::truth;
        if (uses_[n] > 1 && node.code != nest_op::literal) {
            std::string const name = prefix_ + "t" + std::to_string(n) + '_';
            lines_.line((is_truth ? "bool" : std::string(cpp_name(node.type))) + " const " + name +
                        " = " + text + ';');
            text = name;
        }
        return done_[n] = text;
    }

    [[nodiscard]] std::string operand(std::uint32_t n, element_type type)
    {
        std::string const text = text_of(n);
        element_type const from = nest_.nodes[n].type;
        if (from == type) return text;
        // A converted operand may be written twice, too: it stays a word by its cast.
        return device_converted(text, from, type);
    }

    [[nodiscard]] std::string call(std::string_view name, nest_node const& of)
    {
        std::string const a = operand(of.first, of.type);
        if (of.type == element_type::f32) return std::string(name) + "f(" + a + ')';
        std::string const text = std::string(name) + "(static_cast<double>(" + a + "))";
        return device_converted(text, element_type::f64, of.type);
    }

    [[nodiscard]] std::string written(nest_node const& of)
    {
        nest_operation_rules const& rules = rules_of(of.code);
        switch (rules.group) {
        case nest_group::literal:
            return device_literal(of.literal, of.type);
        case nest_group::access:
            return device_converted(read_(of.access),
                                    nest_.arrays[nest_.accesses[of.access].array].element, of.type);
        case nest_group::axis:
            return "static_cast<" + std::string(cpp_name(of.type)) + ">(" + axis_[of.axis] + ')';
        case nest_group::input:
            return device_converted(nest_.inputs[of.input].name, nest_.inputs[of.input].type,
                                    of.type);
        case nest_group::conversion:
            return operand(of.first, of.type);
        case nest_group::negation: {
            std::string const a = operand(of.first, of.type);
            return can_overflow(of.type) ? device_infix(device_literal(0, of.type), "-", a, of.type)
                                         : "(-" + a + ')';
        }
        case nest_group::magnitude: {
            std::string const a = operand(of.first, of.type);
            if (is_real_type(of.type))
                return (of.type == element_type::f32 ? "fabsf(" : "fabs(") + a + ')';
            if (!element_types[of.type].is_signed) return a;
            std::string const zero = device_literal(0, of.type);
            return '(' + a + " < " + zero + " ? " + device_infix(zero, "-", a, of.type) + " : " +
                   a + ')';
        }
        case nest_group::function:
            return call(rules.sign, of);
        case nest_group::arithmetic:
        case nest_group::truth: {
            std::string const a = operand(of.first, of.type);
            return device_infix(a, rules.sign, operand(of.second, of.type), of.type);
        }
        case nest_group::bound: {
            std::string const a = operand(of.first, of.type);
            return device_bound(of.code == nest_op::maximum, a, operand(of.second, of.type));
        }
        case nest_group::choice:
            break;
        }
        std::string const chosen = text_of(of.first);
        std::string const a = operand(of.second, of.type);
        return '(' + chosen + " ? " + a + " : " + operand(of.third, of.type) + ')';
    }

    nest_description const& nest_;
    device_lines& lines_;
    std::vector<std::string> const& axis_;
    std::function<std::string(std::uint32_t)> read_;
    std::string prefix_{}; ///< of names of parts
    std::vector<int> uses_;
    std::vector<std::string> done_;
};

} // namespace attune::inline ATTUNE_ABI::detail
