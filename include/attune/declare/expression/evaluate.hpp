// attune/declare/expression/evaluate.hpp - the value of an expression at one configuration, checked; its nodes, and what it reads.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Calls the member function of `visitor` for the kind of the leaf `n`, and returns its result:
///   constant(number)
///   text(std::string const&)
///   input(input_description const&)
///   whole(parameter), element(parameter, place) or item_position(parameter, item), where parameter
///   is an index into space.parameters
/// @pre  is_leaf(n.code)
template <class Visitor>
[[nodiscard, gnu::always_inline]] inline auto
visit_leaf(description const& space, expression_node const& n, Visitor const& visitor)
{
    switch (n.code) {
    case op::integer:
        return visitor.constant(number::of(n.integer));
    case op::real:
        return visitor.constant(number::of(n.real));
    case op::text:
        return visitor.text(space.texts[n.text]);
    case op::input:
        return visitor.input(space.inputs[n.subject]);
    case op::element:
        return visitor.element(n.subject, n.integer);
    case op::position:
        return visitor.item_position(n.subject, n.integer);
    default:
        return visitor.whole(n.subject);
    }
}

/// Calls `visit(node)` for `root` and each node below it; for a shared node, once per use.
template <class Visit>
void walk_expression(description const& space, std::uint32_t root, Visit const& visit)
{
    std::vector<std::uint32_t> open{root};
    while (!open.empty()) {
        expression_node const& n = space.nodes[open.back()];
        open.pop_back();
        visit(n);
        int const operands = operand_count(n.code);
        if (operands > 0) open.push_back(n.first);
        if (operands > 1) open.push_back(n.second);
        if (operands > 2) open.push_back(n.third);
    }
}

inline void sort_unique(std::vector<std::uint32_t>& items)
{
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
}

/// The parameters that the expression at `root` reads, ascending and unique.
[[nodiscard]] inline std::vector<std::uint32_t> parameters_read(description const& space,
                                                                std::uint32_t root)
{
    std::vector<std::uint32_t> scope;
    walk_expression(space, root, [&](expression_node const& n) {
        if (names_parameter(n.code)) scope.push_back(n.subject);
    });
    sort_unique(scope);
    return scope;
}

/// The inputs that the expression at `root` reads, ascending and unique.
[[nodiscard]] inline std::vector<std::uint32_t> inputs_read(description const& space,
                                                            std::uint32_t root)
{
    std::vector<std::uint32_t> out;
    walk_expression(space, root, [&](expression_node const& n) {
        if (n.code == op::input) out.push_back(n.subject);
    });
    sort_unique(out);
    return out;
}

/// Evaluates expressions of one description. Has only a reference to it.
class evaluator {
public:
    /// @param space  bound description; must outlive this object
    explicit evaluator(description const& space) noexcept
        : space_(space)
    {
    }

    /// The value of `node` where parameter i is at `at[i]`; nothing if it has no value.
    /// `&&`, `||` and `select` evaluate the same operands as in C++. Cost: one visit per evaluated
    /// node.
    [[nodiscard]] std::optional<number> value(std::uint32_t node,
                                              std::span<coordinate const> at) const
    {
        expression_node const& n = space_.nodes[node];
        if (is_leaf(n.code)) return visit_leaf(space_, n, leaf_reader{space_, at});
        return operation(n, at);
    }

    /// Returns true if the constraint has a value at `at` and that value is not zero.
    [[nodiscard]] bool holds(constraint_description const& constraint,
                             std::span<coordinate const> at) const
    {
        if (constraint.test) {
            std::vector<coordinate> arguments;
            arguments.reserve(constraint.scope.size());
            for (std::uint32_t const i : constraint.scope)
                arguments.push_back(at[i]);
            return constraint.test(space_, arguments);
        }
        std::optional<number> const v = value(constraint.root, at);
        return v && v->as_real() != 0;
    }

private:
    /// The number of a leaf; nothing for a text and for an input without a value.
    struct leaf_reader {
        description const& space;
        std::span<coordinate const> at;

        using result = std::optional<number>;

        [[nodiscard]] result constant(number v) const { return v; }
        [[nodiscard]] result text(std::string const&) const { return {}; }
        [[nodiscard]] result input(input_description const& of) const { return of.value; }
        [[nodiscard]] result whole(std::uint32_t parameter) const
        {
            return number_at(space.parameters[parameter], at[parameter]);
        }
        [[nodiscard]] result element(std::uint32_t parameter, std::int64_t place) const
        {
            return number::of(elements(parameter)[static_cast<std::size_t>(place)]);
        }
        [[nodiscard]] result item_position(std::uint32_t parameter, std::int64_t item) const
        {
            std::vector<std::int64_t> const order = elements(parameter);
            for (std::size_t i = 0; i < order.size(); ++i)
                if (order[i] == item) return number::of(static_cast<std::int64_t>(i));
            return {};
        }
        [[nodiscard]] std::vector<std::int64_t> elements(std::uint32_t parameter) const
        {
            return elements_at(space.parameters[parameter], at[parameter].index);
        }
    };

    [[nodiscard]] std::optional<number> operation(expression_node const& n,
                                                  std::span<coordinate const> at) const
    {
        if (is_equality(n.code))
            if (std::optional<bool> const same = same_text(n, at))
                return number::of(std::int64_t{*same == (n.code == op::equal)});
        return apply_operation(
            n.code, n.real != 0, [&] { return value(n.first, at); },
            [&] { return value(n.second, at); }, [&] { return value(n.third, at); });
    }

    /// The text of `node`, if it is a text.
    [[nodiscard]] std::optional<std::string_view> text(std::uint32_t node,
                                                       std::span<coordinate const> at) const
    {
        expression_node const& n = space_.nodes[node];
        if (n.code == op::text) return space_.texts[n.text];
        if (n.code == op::parameter && space_.parameters[n.subject].type == value_kind::text)
            return space_.parameters[n.subject].labels[at[n.subject].index];
        return {};
    }
    [[nodiscard]] std::optional<bool> same_text(expression_node const& n,
                                                std::span<coordinate const> at) const
    {
        std::optional<std::string_view> const a = text(n.first, at);
        std::optional<std::string_view> const b = text(n.second, at);
        if (!a || !b) return {};
        return *a == *b;
    }

    description const& space_;
};

} // namespace attune::inline ATTUNE_ABI::detail
