// attune/tune/program/program_facts.ipp - counts what statements do.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/nest/for_each_node.hpp>
#include <attune/declare/nest/operation_counts.hpp>
#include <attune/tune/program/program_facts.hpp>
#include <attune/tune/roofline.hpp> // programs state their work

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// What the value of a statement is made of.
struct value_parts {
    bool has_double = false;
    bool has_single = false;
    bool has_real = false;
    std::vector<std::uint32_t> reads; ///< arrays
};

[[nodiscard]] inline value_parts parts_of(nest_description const& nest, std::uint32_t value)
{
    value_parts out;
    for_each_node(nest, value, [&](std::uint32_t, nest_node const& node) {
        out.has_double = out.has_double || node.type == element_type::f64;
        out.has_single = out.has_single || node.type == element_type::f32;
        out.has_real = out.has_real || is_real_type(node.type);
        if (node.code == nest_op::access) out.reads.push_back(nest.accesses[node.access].array);
    });
    return out;
}

/// The value of an extent in a call.
[[nodiscard]] inline double size_of(nest_extent const& extent, std::span<std::int64_t const> inputs)
{
    return static_cast<double>(extent.input == no_index ? extent.constant : inputs[extent.input]);
}

/// How often a statement's value is computed.
[[nodiscard]] inline double times_of(nest_description const& nest, nest_statement const& statement,
                                     std::span<std::int64_t const> inputs)
{
    double out = 1;
    for (std::uint32_t const axis : statement.axes)
        out *= size_of(nest.axes[axis].extent, inputs);
    return out;
}

ATTUNE_INLINE double program_operations(nest_description const& nest,
                                        std::span<std::int64_t const> inputs)
{
    double out = 0;
    for (nest_statement const& statement : nest.statements)
        out += times_of(nest, statement, inputs) * operations_of(nest, statement).total();
    return out;
}

ATTUNE_INLINE work program_work(nest_description const& nest, std::span<std::int64_t const> inputs)
{
    work out;
    for (nest_statement const& statement : nest.statements) {
        out.flops +=
            times_of(nest, statement, inputs) * operations_of(nest, statement).real_total();
        out.double_precision = out.double_precision || parts_of(nest, statement.value).has_double;
    }
    for (nest_array const& array : nest.arrays) {
        if (array.role == nest_role::temporary) continue;
        double bytes = static_cast<double>(element_bytes(array.element));
        for (nest_extent const& extent : array.extents)
            bytes *= size_of(extent, inputs);
        out.bytes += array.role == nest_role::updated ? 2 * bytes : bytes;
    }
    return out;
}

/// How many values are summed on the way to an element, and whether float takes part.
struct summed_values {
    double count = 0;
    bool in_single = false;
};

/// Of each array; statements run in order.
[[nodiscard]] inline std::vector<summed_values> values_summed(nest_description const& nest)
{
    constexpr double extent_of_input = 65536;
    std::vector<summed_values> out(nest.arrays.size());
    for (nest_statement const& statement : nest.statements) {
        summed_values made;
        if (statement.combine == reduction::sum || statement.combine == reduction::product) {
            made.count = 1;
            for (std::size_t i = statement.spatial_count; i < statement.axes.size(); ++i) {
                nest_extent const& extent = nest.axes[statement.axes[i]].extent;
                made.count *= extent.input == no_index ? static_cast<double>(extent.constant)
                                                       : extent_of_input;
            }
        }
        value_parts const parts = parts_of(nest, statement.value);
        made.in_single = parts.has_single || statement.accumulator == element_type::f32;
        double before = 0;
        for (std::uint32_t const read : parts.reads) {
            before = std::max(before, out[read].count);
            made.in_single = made.in_single || out[read].in_single;
        }
        made.count += before;
        out[statement.target.array] = made;
    }
    return out;
}

ATTUNE_INLINE tolerance program_tolerance(nest_description const& nest, std::uint32_t array)
{
    tolerance out = default_tolerance(nest.arrays[array].element);
    if (out.relative > 0) {
        summed_values const sums = values_summed(nest)[array];
        double const roundoff = sums.in_single ? 0x1p-24 : 0x1p-53;
        if (sums.in_single)
            out.relative = std::max(out.relative, default_tolerance(element_type::f32).relative);
        out.relative = std::max(out.relative, 8 * std::sqrt(sums.count) * roundoff);
        return out;
    }
    for (nest_statement const& statement : nest.statements)
        if (statement.target.array == array &&
            statement.combine != reduction::argument_of_maximum &&
            parts_of(nest, statement.value).has_real)
            out.absolute = 1;
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
