// attune/space/schedule/loop_tree.hpp - questions about the loops of a program, and a hash of its structure.
// SPDX-License-Identifier: MIT
// Source   the structural hash of TVM's MetaSchedule, by which it measures each program once
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The loops around an item, outermost first.
/// Errors   attune::error: the program does not have the item
[[nodiscard]] std::vector<std::uint32_t> loops_around(loop_program const& program,
                                                      program_item item);

/// The blocks inside a loop (no_index: of the program), in order.
[[nodiscard]] std::vector<std::uint32_t> blocks_inside(loop_program const& program,
                                                       std::uint32_t loop);

/// "i_1": the axis, and the number of loops over this axis that are further out.
[[nodiscard]] std::string loop_name(loop_program const& program, std::uint32_t loop);

/// The most iterations of a loop; nothing if they depend on an input.
[[nodiscard]] std::optional<std::int64_t> iterations_of(loop_program const& program,
                                                        std::uint32_t loop);

/// Returns true if a statement combines over `axis`, or has a target for each of its values.
[[nodiscard]] bool is_reduced(nest_statement const& statement, std::uint32_t axis);
[[nodiscard]] bool is_spatial(nest_statement const& statement, std::uint32_t axis);

/// A hash of 64 bits, equal for programs with equal statements, loops (order, steps, kinds, copies
/// of bodies), blocks, buffers, layouts and copies. Names of axes, arrays and buffers, and numbers
/// of loops and buffers, have no effect. A loop of one step has an effect only if a reduction
/// begins at it, or if the compiler may unroll it.
/// Cost     one walk over the program, microseconds
[[nodiscard]] std::uint64_t structure_of(loop_program const& program);

namespace detail {

/// The most remaining steps of an axis inside `loop` (no_index: the whole axis); nothing if they
/// depend on an input.
[[nodiscard]] std::optional<std::int64_t> steps_inside(loop_program const& program,
                                                       std::uint32_t loop, std::uint32_t axis);

/// Throws if the lanes of a statement's innermost loop are parts of a sum.
void refuse_lanes_of_sum(loop_program const& program, std::uint32_t block, std::uint32_t loop);

/// Throws if `loop` (no_index: the program) is a vector loop, which can hold no further item.
void refuse_vector_loop(loop_program const& program, std::uint32_t loop);

/// The list of items that contains `item`, for changes.
[[nodiscard]] std::vector<program_item>& items_with(loop_program& program, program_item item);

/// Accesses that the value of a statement reads, each once.
[[nodiscard]] std::vector<std::uint32_t> accesses_of(nest_description const& nest,
                                                     nest_statement const& statement);
[[nodiscard]] bool reads_array(nest_description const& nest, nest_statement const& statement,
                               std::uint32_t array);

[[nodiscard]] inline bool has_axis(affine_index const& index, std::uint32_t axis)
{
    for (affine_term const& term : index.terms)
        if (term.axis == axis) return true;
    return false;
}
[[nodiscard]] inline bool has_axis(nest_access const& access, std::uint32_t axis)
{
    for (affine_index const& index : access.at)
        if (has_axis(index, axis)) return true;
    return false;
}

/// The constant extent of an axis.
[[nodiscard]] inline std::int64_t steps_of_axis(nest_description const& nest, std::uint32_t axis)
{
    return nest.axes[axis].extent.constant;
}

/// `wish`, followed by a number if the program already has that name.
[[nodiscard]] std::string free_name(loop_program const& program, std::string const& wish);

/// Throws attune::error if the program has no such loop, or the loop is empty.
void require_loop(loop_program const& program, std::uint32_t loop);

/// Throws attune::error with the refused change, its loop, and advice.
[[noreturn]] void refuse(loop_program const& program, std::string const& what, std::uint32_t loop,
                         std::string const& next);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/loop_tree.ipp>
#endif
