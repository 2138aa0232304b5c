// attune/tune/kernel/stated_memory.ipp - evaluates the formula of memory and asks what is free.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/posix/memory.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/expression/evaluate.hpp>
#include <attune/declare/expression/lower_code.hpp>
#include <attune/declare/expression/walk.hpp>
#include <attune/declare/machine.hpp>
#include <attune/tune/kernel/stated_memory.hpp>

#include <cstdint>
#include <optional>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void limit_memory(description& space, lowered_formula const& memory)
{
    if (memory.root == no_index) return;
    std::uint32_t const all = intern_node(
        space, {.code = op::input,
                .subject = intern_input(space, machine::memory_bytes.name, value_kind::integer)});
    expression_node const fits{.code = op::less_equal, .first = memory.root, .second = all};
    constraint_description made;
    made.root = intern_node(space, fits);
    made.scope = parameters_read(space, made.root);
    made.text = text_of_node(space, fits);
    space.constraints.push_back(std::move(made));
}

ATTUNE_INLINE std::string memory_objection(kernel_description const& kernel,
                                           description const& bound, point const& at, double free)
{
    if (kernel.memory.root == no_index) return {};
    std::optional<number> const needed = evaluator{bound}.value(kernel.memory.root, at);
    if (!needed) return "the bytes of kernel.memory(...) have no value: " + kernel.memory.text;
    if (free < 0) free = spare_memory_bytes();
    double const most = 0.75 * free;
    if (needed->as_real() <= most) return {};
    return "it needs " + text_of_bytes(needed->as_real()) + ", " + kernel.memory.text +
           " bytes of kernel.memory(...), and of the " + text_of_bytes(free) +
           " that are free it may take " + text_of_bytes(most);
}

} // namespace attune::inline ATTUNE_ABI::detail
