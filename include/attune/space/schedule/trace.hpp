// attune/space/schedule/trace.hpp - the list of changes that made a program, as text and for replay.
// SPDX-License-Identifier: MIT
// tested by tune/schedule_programs.cpp
// Source   traces of TVM MetaSchedule (Shao et al. 2022)
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

enum class schedule_action : std::uint8_t {
    split,       ///< loop, factor
    split_whole, ///< loop, factor: a divisor
    reorder,     ///< loops, outermost first
    fuse,        ///< outer loop, inner loop
    parallelize, ///< loop
    vectorize,   ///< loop
    unroll,      ///< loop, copies
    cache_read,  ///< block, access, loop or -1, form; then coordinate and step of each digit
    cache_write, ///< block, loop or -1, 1 for registers
    compute_at,  ///< block, loop
    inlined,     ///< block
    rfactor,     ///< block, loop
    stream,      ///< block
    slice,       ///< axis, step, 1 for threads
};

/// A call of a function of transform.hpp, placement.hpp or rewrite.hpp.
struct schedule_step {
    schedule_action action{};
    std::vector<std::int64_t> numbers; ///< in the order of the action's comment

    [[nodiscard]] friend bool operator==(schedule_step const&, schedule_step const&) = default;
};

/// The steps of a program. Equal traces of equal programs give equal programs.
using schedule_trace = std::vector<schedule_step>;

/// Applies one step.
/// @return  the loop, buffer or block that it makes; else no_index
/// Errors   attune::error: missing numbers, or those of the function
std::uint32_t apply_step(loop_program& program, schedule_step const& step);

/// The plain program, changed step by step.
/// Errors   attune::error, which names the step
[[nodiscard]] loop_program replay_trace(nest_description const& nest, schedule_trace const& trace);

/// One line per step: "split 3 8".
[[nodiscard]] std::string text_of(schedule_trace const& trace);

/// Errors   attune::error, which names the line
[[nodiscard]] schedule_trace read_trace(std::string_view text);

/// A program, and the trace that made it.
struct traced_program {
    loop_program program;
    schedule_trace trace;

    /// Calls apply_step(), and appends the step to the trace.
    std::uint32_t apply(schedule_action action, std::vector<std::int64_t> numbers);
};

namespace detail {

/// Inlines temporaries that are cheap, or that only one statement without reduction reads.
/// @param may  returns true if the statement `reader` may compute the node `value`; empty: always
void inline_cheap(traced_program& p,
                  std::function<bool(nest_description const& in, std::uint32_t reader,
                                     std::uint32_t value)> const& may = {});

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/space/schedule/trace.ipp>
#endif
