// attune/declare/expression/evaluate.hpp - the value of an expression at one configuration, checked.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/expression/operation.hpp>
#include <attune/declare/expression/visit_leaf.hpp>
#include <attune/declare/table.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Evaluates expressions of one description; holds only a reference.
class evaluator {
public:
    /// @param space  bound description; must outlive this object
    explicit evaluator(description const& space) noexcept
        : space_(space)
    {
    }

    /// The value of `node` where parameter i stands at `at[i]`; nothing when it has none.
    /// `&&`, `||` and `select` evaluate only what C++ would. Cost: one visit per node reached.
    [[nodiscard]] std::optional<number> value(std::uint32_t node,
                                              std::span<coordinate const> at) const
    {
        expression_node const& n = space_.nodes[node];
        if (is_leaf(n.code)) return visit_leaf(space_, n, leaf_reader{space_, at});
        return operation(n, at);
    }

    /// True when the constraint has a value at `at` and that value is not zero.
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
    /// The number that a leaf stands for; nothing for a text and for an input without a value.
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
