// attune/space/schedule/loop_tree.hpp - questions about the loops of a program.
// SPDX-License-Identifier: MIT
// tested by tune/schedule_programs.cpp
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

/// "i_1": the axis, and how many loops over it are further out.
[[nodiscard]] std::string loop_name(loop_program const& program, std::uint32_t loop);

/// The most iterations of a loop; nothing where they depend on an input.
[[nodiscard]] std::optional<std::int64_t> iterations_of(loop_program const& program,
                                                        std::uint32_t loop);

/// Whether a statement combines over `axis`, or has a target for each of its values.
[[nodiscard]] bool is_reduced(nest_statement const& statement, std::uint32_t axis);
[[nodiscard]] bool is_spatial(nest_statement const& statement, std::uint32_t axis);

namespace detail {

/// The most steps of an axis that are left inside of `loop` (no_index: the whole axis); nothing
/// where it depends on an input.
[[nodiscard]] std::optional<std::int64_t> steps_inside(loop_program const& program,
                                                       std::uint32_t loop, std::uint32_t axis);

/// Refuses where the lanes of a statement's innermost loop are parts of a sum.
void refuse_lanes_of_sum(loop_program const& program, std::uint32_t block, std::uint32_t loop);

/// Refuses to put anything beside the statements of a vector loop. no_index: the program itself.
void refuse_vector_loop(loop_program const& program, std::uint32_t loop);

/// The items that hold `item` itself, for a change.
[[nodiscard]] std::vector<program_item>& items_with(loop_program& program, program_item item);

/// Accesses that the value of a statement reads, each once.
[[nodiscard]] std::vector<std::uint32_t> accesses_of(nest_description const& nest,
                                                     nest_statement const& statement);
[[nodiscard]] bool reads_array(nest_description const& nest, nest_statement const& statement,
                               std::uint32_t array);

/// Throws attune::error: what is refused, at which loop, what to do.
[[noreturn]] void refuse(loop_program const& program, std::string const& what, std::uint32_t loop,
                         std::string const& next);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/loop_tree.ipp>
#endif
