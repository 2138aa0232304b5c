// attune/declare/nest/operation_counts.hpp - operations of one iteration of a statement, by kind.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/for_each_node.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/nest/nest_operation.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace attune::inline ATTUNE_ABI::detail {

/// How many operations of each kind: on real numbers, and on whole ones.
struct operation_counts {
    static constexpr auto kinds = static_cast<std::size_t>(operation_kind::none);
    std::array<double, kinds> of_reals{};
    std::array<double, kinds> of_wholes{};

    void add(operation_kind kind, bool is_real) noexcept
    {
        if (kind == operation_kind::none) return;
        (is_real ? of_reals : of_wholes)[static_cast<std::size_t>(kind)] += 1;
    }
    /// Of reals and whole numbers.
    [[nodiscard]] double of(operation_kind kind) const noexcept
    {
        return of_reals[static_cast<std::size_t>(kind)] + of_wholes[static_cast<std::size_t>(kind)];
    }
    /// All, a multiply-add as two.
    [[nodiscard]] double total() const noexcept
    {
        double out = of(operation_kind::multiply_add);
        for (std::size_t k = 0; k < kinds; ++k)
            out += of_reals[k] + of_wholes[k];
        return out;
    }
    /// Those on real numbers, a multiply-add as two; conversions between types are none.
    [[nodiscard]] double real_total() const noexcept
    {
        double out = of_reals[static_cast<std::size_t>(operation_kind::multiply_add)] -
                     of_reals[static_cast<std::size_t>(operation_kind::convert)];
        for (double const n : of_reals)
            out += n;
        return out;
    }
};

/// A sum of products is one multiply-add. Shared parts of the value count once.
[[nodiscard]] inline operation_counts operations_of(nest_description const& nest,
                                                    nest_statement const& statement)
{
    operation_counts out;
    bool const is_real = is_real_type(statement.accumulator);
    std::uint32_t fused = no_index; // the product that a sum adds
    if (statement.combine == reduction::sum && statement.value != no_index &&
        nest.nodes[statement.value].code == nest_op::multiply)
        fused = statement.value;
    if (fused != no_index)
        out.add(operation_kind::multiply_add, is_real);
    else if (statement.combine != reduction::none || statement.continues)
        out.add(rules_of(rules_of(statement.combine).step).kind, is_real);
    if (statement.combine == reduction::argument_of_maximum)
        out.add(operation_kind::selection, false); // of the place
    for_each_node(nest, statement.value, [&](std::uint32_t n, nest_node const& node) {
        if (n != fused) out.add(rules_of(node.code).kind, is_real_type(node.type));
    });
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
