// attune/space/schedule/detail/operation_counts.hpp - operations of one iteration of a statement, by kind.
// SPDX-License-Identifier: MIT
// tested by space/schedule/program_features.cpp
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>
#include <attune/declare/nest/nest_operation.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Kinds of reals, then of whole numbers, then truths and selections.
struct operation_counts {
    static constexpr auto kinds = static_cast<std::size_t>(operation_kind::truth);
    std::array<double, 2 * kinds + 2> by_kind{};

    void add(operation_kind kind, bool is_real) noexcept
    {
        if (kind == operation_kind::none) return;
        auto const k = static_cast<std::size_t>(kind);
        by_kind[k < kinds && is_real ? k : k + kinds] += 1;
    }
    /// All, a multiply-add as two.
    [[nodiscard]] double total() const noexcept
    {
        double out = by_kind[0] + by_kind[kinds];
        for (double const n : by_kind)
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
        out.add(operation_kind::selection, is_real); // of the place
    std::vector<bool> seen(nest.nodes.size(), false);
    std::vector<std::uint32_t> open{statement.value};
    while (!open.empty()) {
        std::uint32_t const n = open.back();
        open.pop_back();
        if (n == no_index || seen[n]) continue;
        seen[n] = true;
        nest_node const& node = nest.nodes[n];
        open.insert(open.end(), {node.third, node.second, node.first});
        if (n != fused) out.add(rules_of(node.code).kind, is_real_type(node.type));
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
