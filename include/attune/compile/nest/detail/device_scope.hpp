// attune/compile/nest/detail/device_scope.hpp - indices, extents, elements and values of a program in CUDA text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_values.hpp>
#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Lines of a text, indented by open blocks.
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

/// The name of a type in the text: that of C++, or of the structures of half_text().
[[nodiscard]] inline std::string_view device_name(element_type type) noexcept
{
    return type == element_type::f16    ? "f16_"
           : type == element_type::bf16 ? "bf16_"
                                        : cpp_name(type);
}

/// The infinity or extreme number of `type`, as CUDA text without a header.
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

/// Both are words, because they are written twice.
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

/// Writes the value of a node and of its operands. Parts that are read twice, and operands that are
/// written twice, become constants in lines before.
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
            std::string const b = operand(of.second, of.type);
            if (may_trap(nest_, of))
                return "quotient_<" + std::string(cpp_name(of.type)) + ">(" + a + ", " + b + ')';
            return device_infix(a, rules.sign, b, of.type);
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

/// The facts at one place of a kernel's text.
struct device_scope {
    explicit device_scope(device_program const& of)
        : program(of)
        , nest(of.nest)
        , axis(of.nest.axes.size())
    {
    }

    device_program const& program;
    nest_description const& nest;
    device_lines text{};
    std::vector<std::string> axis;                  ///< text of each axis' value, if it has one
    std::map<std::uint32_t, std::string> word_of{}; ///< arrays that are a variable here
    /// Temporaries in shared memory: the name, and the dimensions in it.
    std::map<std::uint32_t, std::pair<std::string, std::vector<std::size_t>>> shared{};

    [[nodiscard]] std::string extent(nest_extent const& e) const
    {
        return e.input == no_index ? std::to_string(e.constant)
                                   : "static_cast<index_>(" + nest.inputs[e.input].name + ')';
    }
    /// "E0 * E1", the steps of a group of axes.
    [[nodiscard]] std::string steps(std::vector<std::uint32_t> const& axes) const
    {
        std::string out = "static_cast<index_>(1)";
        for (std::uint32_t const a : axes)
            out += " * " + extent(nest.axes[a].extent);
        return out;
    }
    [[nodiscard]] std::string index(affine_index const& of) const
    {
        std::string out;
        for (affine_term const& term : of.terms)
            out += (out.empty() ? "" : " + ") +
                   (term.factor == 1 ? axis[term.axis]
                                     : std::to_string(term.factor) + " * " + axis[term.axis]);
        if (out.empty()) return "static_cast<index_>(" + std::to_string(of.offset) + ')';
        if (of.offset != 0) out += " + " + std::to_string(of.offset);
        return out;
    }
    /// The position of an element among dimensions of its array.
    [[nodiscard]] std::string position(nest_access const& access,
                                       std::vector<std::size_t> const& dimensions) const
    {
        std::string out = "0";
        for (std::size_t const d : dimensions) {
            std::string const one = '(' + index(access.at[d]) + ')';
            out = out == "0" ? one
                             : '(' + out + " * " + extent(nest.arrays[access.array].extents[d]) +
                                   " + " + one + ')';
        }
        return out;
    }
    [[nodiscard]] std::string position(nest_access const& access) const
    {
        std::vector<std::size_t> all;
        for (std::size_t d = 0; d < access.at.size(); ++d)
            all.push_back(d);
        return position(access, all);
    }
    /// Condition that a padded access is inside of its array; empty: it always is.
    [[nodiscard]] std::string guard(nest_access const& access) const
    {
        std::string out;
        if (!access.is_padded) return out;
        for (std::size_t d = 0; d < access.at.size(); ++d) {
            std::string const at = index(access.at[d]);
            out += (out.empty() ? "" : " && ") + ("0 <= " + at) + " && " + at + " < " +
                   extent(nest.arrays[access.array].extents[d]);
        }
        return out;
    }
    /// The element itself, for a store.
    [[nodiscard]] std::string element(nest_access const& access) const
    {
        auto const found = shared.find(access.array);
        if (found != shared.end())
            return found->second.first + '[' + position(access, found->second.second) + ']';
        return nest.arrays[access.array].name + '[' + position(access) + ']';
    }
    /// The element's value; 0 outside of the array.
    [[nodiscard]] std::string read(std::uint32_t a) const
    {
        nest_access const& access = nest.accesses[a];
        if (auto const word = word_of.find(access.array); word != word_of.end())
            return word->second;
        std::string const inside = guard(access);
        if (inside.empty()) return element(access);
        return '(' + inside + " ? " + element(access) + " : " + "static_cast<" +
               std::string(device_name(nest.arrays[access.array].element)) + ">(0))";
    }
    /// Names the axes of a group, from the number `at` that counts through it.
    void take_apart(std::vector<std::uint32_t> const& axes, std::string const& at)
    {
        if (axes.size() == 1) {
            axis[axes.front()] = at;
            return;
        }
        std::string rest = at;
        for (std::size_t i = axes.size(); i-- > 0;) {
            std::string const name = "x" + std::to_string(axes[i]) + '_';
            std::string const steps_here = extent(nest.axes[axes[i]].extent);
            text.line("index_ const " + name + " = " +
                      (i == 0 ? rest : '(' + rest + ") % " + steps_here) + ';');
            rest = '(' + rest + ") / " + steps_here;
            axis[axes[i]] = name;
        }
    }
    /// Writes a word of `type` with the value of a statement.
    [[nodiscard]] std::string value(nest_statement const& s, element_type type,
                                    std::string const& name)
    {
        device_value_writer writer(nest, text, axis, [this](std::uint32_t a) { return read(a); });
        return writer.value(s.value, type, name);
    }
    [[nodiscard]] element_type element_of(nest_statement const& s) const
    {
        return nest.arrays[s.target.array].element;
    }
    [[nodiscard]] bool is_temporary(nest_statement const& s) const
    {
        return nest.arrays[s.target.array].role == nest_role::temporary;
    }
    /// The value of a statement without reduction axes, combined with the target's value, in the
    /// target's type.
    [[nodiscard]] std::string single_value(nest_statement const& s, std::string const& name)
    {
        element_type const type = element_of(s);
        if (!s.continues) return value(s, type, name);
        std::string const added = value(s, s.accumulator, name + "added_");
        std::string const old = name + "old_";
        text.line(std::string(cpp_name(s.accumulator)) + " const " + old + " = " +
                  device_converted(element(s.target), type, s.accumulator) + ';');
        text.line(std::string(device_name(type)) + " const " + name + " = " +
                  device_converted(device_combined(s.combine, old, added, s.accumulator),
                                   s.accumulator, type) +
                  ';');
        return name;
    }
};

} // namespace attune::inline ATTUNE_ABI::detail
