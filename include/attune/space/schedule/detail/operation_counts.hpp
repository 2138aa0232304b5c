// attune/space/schedule/detail/operation_counts.hpp - operations of one iteration of a statement, by kind.
// SPDX-License-Identifier: MIT
// tested by space/schedule/program_features.cpp
#pragma once

#include <attune/core/element.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/nest/nest_description.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

enum class operation_kind : std::uint8_t {
    multiply_add,
    add,
    multiply,
    divide,
    compare,
    function,
    other
};

/// Kinds of reals, then of whole numbers, then truths and selections.
struct operation_counts {
    static constexpr std::size_t kinds = 7;
    std::array<double, 2 * kinds + 2> by_kind{};

    void add(operation_kind kind, bool is_real) noexcept
    {
        by_kind[static_cast<std::size_t>(kind) + (is_real ? 0 : kinds)] += 1;
    }
    void add_truth() noexcept { by_kind[2 * kinds] += 1; }
    void add_selection() noexcept { by_kind[2 * kinds + 1] += 1; }
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
    switch (statement.combine) {
    case reduction::none:
        if (statement.continues) out.add(operation_kind::add, is_real);
        break;
    case reduction::sum:
        if (statement.value != no_index && nest.nodes[statement.value].code == nest_op::multiply)
            fused = statement.value;
        out.add(fused == no_index ? operation_kind::add : operation_kind::multiply_add, is_real);
        break;
    case reduction::product:
        out.add(operation_kind::multiply, is_real);
        break;
    case reduction::maximum:
    case reduction::minimum:
        out.add(operation_kind::compare, is_real);
        break;
    case reduction::argument_of_maximum:
        out.add(operation_kind::compare, is_real);
        out.add_selection();
        break;
    }
    std::vector<bool> seen(nest.nodes.size(), false);
    std::vector<std::uint32_t> open{statement.value};
    while (!open.empty()) {
        std::uint32_t const n = open.back();
        open.pop_back();
        if (n == no_index || seen[n]) continue;
        seen[n] = true;
        nest_node const& node = nest.nodes[n];
        open.insert(open.end(), {node.third, node.second, node.first});
        bool const real = is_real_type(node.type);
        switch (node.code) {
        case nest_op::literal:
        case nest_op::access:
        case nest_op::axis:
        case nest_op::input:
            break;
        case nest_op::convert:
        case nest_op::negate:
        case nest_op::absolute:
            out.add(operation_kind::other, real);
            break;
        case nest_op::exponential:
        case nest_op::logarithm:
        case nest_op::square_root:
        case nest_op::hyperbolic_tangent:
        case nest_op::error_function:
            out.add(operation_kind::function, real);
            break;
        case nest_op::add:
        case nest_op::subtract:
            out.add(operation_kind::add, real);
            break;
        case nest_op::multiply:
            if (n != fused) out.add(operation_kind::multiply, real);
            break;
        case nest_op::divide:
            out.add(operation_kind::divide, real);
            break;
        case nest_op::minimum:
        case nest_op::maximum:
            out.add(operation_kind::compare, real);
            break;
        case nest_op::less:
        case nest_op::less_equal:
        case nest_op::equal:
            out.add_truth();
            break;
        case nest_op::select:
            out.add_selection();
            break;
        }
    }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
