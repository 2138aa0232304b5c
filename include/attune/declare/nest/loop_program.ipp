// attune/declare/nest/loop_program.ipp - the definitions of loop_program.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/nest/loop_program.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline void require_consistent(nest_description const& nest, nest_access const& access)
{
    bool good = access.array < nest.arrays.size() &&
                access.at.size() == nest.arrays[access.array].extents.size();
    for (affine_index const& index : access.at)
        for (affine_term const& term : index.terms)
            good = good && term.axis < nest.axes.size();
    if (!good)
        throw error("an access of the program names an array or an axis that does not exist",
                    nest.name, "make the description with attune::nest");
}

ATTUNE_INLINE bool keeps_form(loop_program const& program, std::uint32_t buffer)
{
    program_buffer const& of = program.buffers[buffer];
    return of.loop == no_index && program.nest.arrays[of.array].is_constant;
}

ATTUNE_INLINE bool holds_parts(nest_description const& nest, nest_statement const& statement)
{
    element_type const element = nest.arrays[statement.target.array].element;
    element_type const kept = statement.accumulator;
    if (element == kept) return true;
    if (is_real_type(element) || is_real_type(kept))
        return is_real_type(element) && is_real_type(kept) &&
               element_bytes(element) > element_bytes(kept);
    return statement.combine == reduction::sum || statement.combine == reduction::product;
}

ATTUNE_INLINE bool append_path(loop_program const& program, std::vector<program_item> const& items,
                               program_item wanted, std::vector<std::uint32_t>& path)
{
    for (program_item const item : items) {
        if (item == wanted) return true;
        if (item.kind != item_kind::loop) continue;
        path.push_back(item.index);
        if (append_path(program, program.loops[item.index].body, wanted, path)) return true;
        path.pop_back();
    }
    return false;
}

} // namespace detail

ATTUNE_INLINE loop_program plain_program(nest_description nest)
{
    for (nest_access const& access : nest.accesses)
        detail::require_consistent(nest, access);
    loop_program out;
    for (std::uint32_t s = 0; s < nest.statements.size(); ++s) {
        nest_statement const& statement = nest.statements[s];
        detail::require_consistent(nest, statement.target);
        for (std::uint32_t const axis : statement.axes)
            if (axis >= nest.axes.size())
                throw error("a statement of the program names an axis that does not exist",
                            nest.name, "make the description with attune::nest");
        out.blocks.push_back({s, no_index, {}});
        auto const first = static_cast<std::uint32_t>(out.loops.size());
        auto const count = static_cast<std::uint32_t>(statement.axes.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            program_loop loop;
            loop.over.push_back({statement.axes[i], 1});
            loop.body.push_back(i + 1 < count ? program_item{item_kind::loop, first + i + 1}
                                              : program_item{item_kind::block, s});
            out.loops.push_back(std::move(loop));
        }
        out.body.push_back(count > 0 ? program_item{item_kind::loop, first}
                                     : program_item{item_kind::block, s});
    }
    out.nest = std::move(nest);
    return out;
}

} // namespace attune::inline ATTUNE_ABI
