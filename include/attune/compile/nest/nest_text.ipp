// attune/compile/nest/nest_text.ipp - writes formulas with as few parentheses as they need.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_values.hpp>
#include <attune/compile/nest/nest_text.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

namespace detail {

class nest_formulas {
public:
    explicit nest_formulas(nest_description const& nest)
        : nest_(nest)
    {
    }

    [[nodiscard]] std::string extent(nest_extent const& of) const
    {
        return of.input == no_index ? std::to_string(of.constant) : nest_.inputs[of.input].name;
    }
    [[nodiscard]] std::string array(nest_array const& of) const
    {
        std::string out = of.is_constant                    ? "constant "
                          : of.role == nest_role::temporary ? "temporary "
                          : of.role == nest_role::updated   ? "updated "
                                                            : "";
        out += std::string(cpp_name(of.element)) + (of.role == nest_role::read ? " const " : " ") +
               of.name;
        for (nest_extent const& one : of.extents)
            out += '[' + extent(one) + ']';
        return of.has_row_stride ? out + " with row stride" : out;
    }
    [[nodiscard]] std::string access(nest_access const& of) const
    {
        std::string const name = nest_.arrays[of.array].name;
        std::string out = of.is_padded ? "padded(" + name + ')' : name;
        for (affine_index const& one : of.at)
            out += '[' + index(one) + ']';
        return out;
    }
    /// The statement, after the values that it reads several times.
    [[nodiscard]] std::string statement(nest_statement const& of, std::string_view indent)
    {
        std::string out;
        uses_.assign(nest_.nodes.size(), 0);
        names_.assign(nest_.nodes.size(), "");
        named_ = 0;
        count(of.value);
        name_shared(of.value, indent, out);
        out += std::string(indent) + access(of.target) + ' ';
        if (of.continues) out += of.combine == reduction::product ? '*' : '+';
        out += "= ";
        std::string const body = value(of.value, 0);
        if (of.combine == reduction::none) return out + body + '\n';
        out += rules_of(of.combine).name;
        for (std::size_t i = of.spatial_count; i < of.axes.size(); ++i)
            out += (i == of.spatial_count ? "(" : ", ") + nest_.axes[of.axes[i]].name;
        if (of.axes.size() == of.spatial_count) out += '(';
        return out + ")(" + body + ")\n";
    }

private:
    [[nodiscard]] std::string index(affine_index const& of) const
    {
        std::string out;
        for (affine_term const& term : of.terms) {
            std::int64_t const size = term.factor < 0 ? -term.factor : term.factor;
            if (out.empty())
                out = term.factor < 0 ? "-" : "";
            else
                out += term.factor < 0 ? " - " : " + ";
            if (size != 1) out += std::to_string(size) + " * ";
            out += nest_.axes[term.axis].name;
        }
        if (out.empty()) return std::to_string(of.offset);
        if (of.offset != 0)
            out += (of.offset < 0 ? " - " : " + ") +
                   std::to_string(of.offset < 0 ? -of.offset : of.offset);
        return out;
    }

    void count(std::uint32_t n)
    {
        if (n == no_index || ++uses_[n] > 1) return;
        for (std::uint32_t const operand :
             {nest_.nodes[n].first, nest_.nodes[n].second, nest_.nodes[n].third})
            count(operand);
    }
    void name_shared(std::uint32_t n, std::string_view indent, std::string& out)
    {
        if (n == no_index) return;
        nest_node const& node = nest_.nodes[n];
        if (node.first == no_index || !names_[n].empty()) return;
        for (std::uint32_t const operand : {node.first, node.second, node.third})
            name_shared(operand, indent, out);
        if (uses_[n] < 2) return;
        std::string const text = value(n, 0);
        names_[n] = '$' + std::to_string(++named_);
        out += std::string(indent) + names_[n] + " = " + text + '\n';
    }

    [[nodiscard]] std::string of_two(nest_node const& node, int outside)
    {
        nest_operation_rules const& rules = rules_of(node.code);
        std::string out = value(node.first, rules.rank) + ' ' + std::string(rules.sign) + ' ';
        out += value(node.second, rules.rank + 1);
        return rules.rank < outside ? '(' + out + ')' : out;
    }
    [[nodiscard]] std::string call(std::string const& name, nest_node const& node)
    {
        std::string out = name + '(' + value(node.first, 0);
        for (std::uint32_t const operand : {node.second, node.third})
            if (operand != no_index) out += ", " + value(operand, 0);
        return out + ')';
    }
    /// @param outside  rank of the surrounding operation; a value of a lower rank gets parentheses
    [[nodiscard]] std::string value(std::uint32_t n, int outside)
    {
        if (!names_[n].empty()) return names_[n];
        nest_node const& node = nest_.nodes[n];
        nest_operation_rules const& rules = rules_of(node.code);
        switch (rules.group) {
        case nest_group::literal:
            return node.literal < 0 ? '(' + literal_text(node.literal, node.type) + ')'
                                    : literal_text(node.literal, node.type);
        case nest_group::access:
            return access(nest_.accesses[node.access]);
        case nest_group::axis:
            return nest_.axes[node.axis].name;
        case nest_group::input:
            return nest_.inputs[node.input].name;
        case nest_group::conversion:
            return call("cast<" + std::string(cpp_name(node.type)) + '>', node);
        case nest_group::negation: {
            std::string const out = '-' + value(node.first, rules.rank);
            return outside >= rules.rank ? '(' + out + ')' : out;
        }
        case nest_group::arithmetic:
        case nest_group::truth:
            return of_two(node, outside);
        case nest_group::magnitude:
        case nest_group::function:
        case nest_group::bound:
        case nest_group::choice:
            break;
        }
        return call(std::string(rules.sign), node);
    }

    nest_description const& nest_;
    // Uses of the statement's values, by node.
    std::vector<int> uses_;
    std::vector<std::string> names_; ///< names of values that are read several times
    int named_ = 0;
};

} // namespace detail

ATTUNE_INLINE std::string text_of(nest_description const& nest)
{
    detail::nest_formulas formulas(nest);
    std::string arguments;
    std::string temporaries;
    for (nest_array const& array : nest.arrays)
        if (array.role == nest_role::temporary)
            temporaries += "    " + formulas.array(array) + '\n';
        else
            arguments += (arguments.empty() ? "" : ", ") + formulas.array(array);
    for (nest_input const& input : nest.inputs)
        arguments += (arguments.empty() ? "" : ", ") + std::string(detail::cpp_name(input.type)) +
                     ' ' + input.name;
    std::string axes;
    for (nest_axis const& axis : nest.axes)
        axes += (axes.empty() ? "    " : ", ") + axis.name + " < " + formulas.extent(axis.extent);
    std::string out = nest.name + '(' + arguments + ")\n" + temporaries + axes + '\n';
    for (nest_statement const& statement : nest.statements)
        out += formulas.statement(statement, "    ");
    return out;
}

} // namespace attune::inline ATTUNE_ABI
