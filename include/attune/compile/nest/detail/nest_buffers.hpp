// attune/compile/nest/detail/nest_buffers.hpp - declares the buffers of a program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/nest/detail/nest_address.hpp>
#include <attune/compile/nest/detail/nest_paths.hpp>
#include <attune/compile/nest/detail/nest_scope.hpp>
#include <attune/compile/nest/detail/nest_values.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Larger buffers are taken from the heap.
inline constexpr std::int64_t most_stack_bytes = 32768;

/// The counts at each buffer's loop as far as the steps alone tell them: sizes are known before
/// the loop is written.
inline void size_buffers(nest_scope& scope, std::uint32_t loop,
                         std::vector<program_item> const& items,
                         std::vector<axis_count> const& counts)
{
    for (std::uint32_t b = 0; b < scope.program.buffers.size(); ++b)
        if (scope.program.buffers[b].loop == loop) scope.buffers[b].counts = counts;
    for (program_item const item : items) {
        if (item.kind != item_kind::loop) continue;
        program_loop const& inner = scope.program.loops[item.index];
        std::vector<axis_count> deeper = counts;
        for (loop_range const& range : inner.over)
            deeper[range.axis] = inner_count(counts[range.axis], range.step, "?");
        size_buffers(scope, item.index, inner.body, deeper);
    }
}

[[nodiscard]] inline bool is_on_stack(nest_scope const& scope, std::uint32_t b)
{
    program_buffer const& buffer = scope.program.buffers[b];
    nest_size const size = buffer_size(scope, buffer, b);
    return size.is_known() &&
           size.constant * static_cast<std::int64_t>(element_bytes(buffer.element)) <=
               most_stack_bytes;
}

inline void declare_buffer(nest_scope& scope, std::uint32_t b)
{
    program_buffer const& buffer = scope.program.buffers[b];
    std::string const type(cpp_name(buffer.element));
    std::string size = text_of(buffer_size(scope, buffer, b));
    if (is_on_stack(scope, b)) {
        if (size == "0") size = "1"; // C++ has no arrays without elements
        scope.line("alignas(64) " + type + ' ' + buffer.name + '[' + size + "];");
        return;
    }
    scope.line("vec::memory<" + type + "> const " + buffer.name + "_memory(1L * " + size + ");");
    scope.line(type + "* __restrict const " + buffer.name + " = " + buffer.name +
               "_memory.data();");
}

/// The large buffers of `loop` and of the loops inside it, down to parallel ones: memory is
/// taken once a thread, or once a call.
inline void declare_on_heap(nest_scope& scope, std::vector<program_item> const& items,
                            std::uint32_t loop)
{
    for (std::uint32_t b = 0; b < scope.program.buffers.size(); ++b)
        if (scope.program.buffers[b].loop == loop && !keeps_form(scope.program, b) &&
            !is_on_stack(scope, b))
            declare_buffer(scope, b);
    for (program_item const item : items)
        if (item.kind == item_kind::loop &&
            scope.program.loops[item.index].kind != loop_kind::parallel)
            declare_on_heap(scope, scope.program.loops[item.index].body, item.index);
}

/// The buffers of a loop whose body begins here.
/// @param declares  those on the stack; a function that only fills a form reads none
inline void enter_buffers(nest_scope& scope, std::uint32_t loop, bool declares = true)
{
    for (std::uint32_t b = 0; b < scope.program.buffers.size(); ++b) {
        if (scope.program.buffers[b].loop != loop) continue;
        buffer_place& place = scope.buffers[b];
        place.offsets.clear();
        place.counts.clear();
        for (axis_place const& axis : scope.axes) {
            place.offsets.push_back(axis.offsets.size());
            place.counts.push_back(axis.count);
        }
        if (declares && !keeps_form(scope.program, b) && is_on_stack(scope, b))
            declare_buffer(scope, b);
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
