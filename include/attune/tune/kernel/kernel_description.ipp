// attune/tune/kernel/kernel_description.ipp - writes the formulas of a launch.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/enum_table.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/posix/machine_figures.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/group.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/tune/kernel/kernel_description.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct named_operation {
    op of{};
    std::string_view name{};
};

/// The functions of ship/baked/device_code.hpp; a leaf has no function.
inline constexpr enum_table<named_operation, op::select> operation_names{{
    {op::integer, ""},
    {op::real, ""},
    {op::text, ""},
    {op::parameter, ""},
    {op::element, ""},
    {op::position, ""},
    {op::input, ""},
    {op::negate, "negate"},
    {op::logical_not, "logical_not"},
    {op::absolute, "absolute"},
    {op::add, "add"},
    {op::subtract, "subtract"},
    {op::multiply, "multiply"},
    {op::divide, "divide"},
    {op::modulo, "modulo"},
    {op::floor_divide, "floor_divide"},
    {op::floor_modulo, "floor_modulo"},
    {op::ceil_divide, "ceil_divide"},
    {op::minimum, "minimum"},
    {op::maximum, "maximum"},
    {op::less, "less"},
    {op::less_equal, "less_equal"},
    {op::greater, "greater"},
    {op::greater_equal, "greater_equal"},
    {op::equal, "equal"},
    {op::not_equal, "not_equal"},
    {op::logical_and, "logical_and"},
    {op::logical_or, "logical_or"},
    {op::select, "select"},
}};

/// Writes formulas, and collects the inputs and parameters that they read.
class formula_writer {
public:
    formula_writer(kernel_description const& kernel, launch_facts& to)
        : kernel_(kernel)
        , space_(kernel.space)
        , out_(to)
    {
    }

    [[nodiscard]] std::string text(std::uint32_t node)
    {
        expression_node const& n = space_.nodes[node];
        return is_leaf(n.code) ? visit_leaf(space_, n, leaf{*this}) : operation(n);
    }

    bool is_written = true; ///< false: a formula has a part without a written form

private:
    struct leaf {
        formula_writer& to;

        [[nodiscard]] std::string constant(number const& v) const
        {
            if (!v.is_real)
                return "integer(" +
                       (v.integer == std::numeric_limits<std::int64_t>::min()
                            ? "-9223372036854775807 - 1"
                            : std::to_string(v.integer)) +
                       ')';
            to.is_written = to.is_written && std::isfinite(v.real);
            return "real(" + hexadecimal_text(v.real) + ')';
        }
        [[nodiscard]] std::string text(std::string const&) const
        {
            to.is_written = false; // a text is only compared with a parameter
            return {};
        }
        [[nodiscard]] std::string input(input_description const& of) const
        {
            return to.input(of.name);
        }
        [[nodiscard]] std::string whole(std::uint32_t parameter) const
        {
            return to.parameter(parameter);
        }
        [[nodiscard]] std::string element(std::uint32_t parameter, std::int64_t place) const
        {
            return to.read("item\t" + std::to_string(place) + '\t' + to.name_of(parameter));
        }
        [[nodiscard]] std::string item_position(std::uint32_t parameter, std::int64_t item) const
        {
            return to.read("place\t" + std::to_string(item) + '\t' + to.name_of(parameter));
        }
    };

    [[nodiscard]] std::string const& name_of(std::uint32_t parameter) const
    {
        return space_.parameters[parameter].name;
    }
    [[nodiscard]] std::string input(std::string const& name)
    {
        is_written =
            is_written && !is_machine_figure(name); // a release also runs on other machines
        for (std::size_t i = 0; i < kernel_.inputs.size(); ++i)
            if (kernel_.inputs[i].input == name) return "in[" + std::to_string(i) + ']';
        return "none()";
    }
    [[nodiscard]] std::string parameter(std::uint32_t index)
    {
        parameter_description const& p = space_.parameters[index];
        if (group_description const* const g = space_.group_of(index)) { // an element
            is_written = is_written && p.type == value_kind::integer;
            return read("item\t" + std::to_string(index - g->first) + '\t' + g->name);
        }
        is_written = is_written && p.type != value_kind::text && p.type != value_kind::list;
        return read((p.type == value_kind::real ? "real\t" : "whole\t") + p.name);
    }
    [[nodiscard]] std::string read(std::string what)
    {
        is_written = is_written && what.find('\n') == std::string::npos &&
                     std::count(what.begin(), what.end(), '\t') <= 2;
        auto const at = std::find(out_.reads.begin(), out_.reads.end(), what);
        std::string const place = std::to_string(at - out_.reads.begin());
        if (at == out_.reads.end()) out_.reads.push_back(std::move(what));
        return "at[" + place + ']';
    }
    [[nodiscard]] bool is_text(expression_node const& n) const
    {
        return n.code == op::text ||
               (n.code == op::parameter && space_.parameters[n.subject].type == value_kind::text);
    }
    [[nodiscard]] std::string operation(expression_node const& n)
    {
        if (is_equality(n.code)) {
            expression_node const* a = &space_.nodes[n.first];
            expression_node const* b = &space_.nodes[n.second];
            if (a->code == op::text) std::swap(a, b);
            if (is_text(*a) && b->code == op::text) {
                is_written = is_written && space_.group_of(a->subject) == nullptr;
                std::string const same =
                    read("text\t" + name_of(a->subject) + '\t' + space_.texts[b->text]);
                return n.code == op::equal ? same : "logical_not(" + same + ')';
            }
        }
        std::string out(operation_names[n.code].name);
        out += '(' + text(n.first);
        if (operand_count(n.code) > 1) out += ", " + text(n.second);
        if (operand_count(n.code) > 2) out += ", " + text(n.third);
        out += ')';
        return n.code == op::select && n.real != 0 ? "to_real(" + out + ')' : out;
    }

    kernel_description const& kernel_;
    description const& space_;
    launch_facts& out_;
};

ATTUNE_INLINE std::optional<launch_facts> launch_facts_of(kernel_description const& kernel,
                                                          description const& declared)
{
    if (!kernel.launch) return {};
    launch_declaration const& launch = *kernel.launch;
    launch_facts out{.arguments = kernel.signature.arguments,
                     .declarations = kernel.signature.declarations,
                     .is_cooperative = launch.is_cooperative};
    formula_writer writer(kernel, out);
    auto const write = [&](std::uint32_t node, std::size_t to) {
        if (node != no_index) out.formulas[to] = writer.text(node);
    };
    for (std::size_t i = 0; i < 3; ++i) {
        write(launch.grid[i], i);
        write(launch.block[i], 3 + i);
        write(launch.cluster[i], 6 + i);
    }
    write(launch.shared_bytes, 9);
    for (named_value const& v : named_values(declared))
        out.defaults.emplace_back(std::string(v.name), default_text_of(declared, v).value_or(""));
    for (auto const& [name, value] : out.defaults)
        writer.is_written = writer.is_written && (name + value).find('\n') == std::string::npos &&
                            name.find('=') == std::string::npos;
    if (!writer.is_written) return {};
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
