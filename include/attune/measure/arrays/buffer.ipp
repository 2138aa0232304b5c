// attune/measure/arrays/buffer.ipp - checks and names of a buffer.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string owner_text(std::size_t argument, std::size_t target)
{
    if (argument == buffer::result) return "the result";
    std::string text = "argument " + std::to_string(argument);
    if (target != buffer::none) text += ", array " + std::to_string(target);
    return text;
}

ATTUNE_INLINE void tolerate(buffer& b, tolerance within) noexcept
{
    b.within = within;
    for (element_run& run : b.runs)
        run.within = within;
}

ATTUNE_INLINE bool is_sound(buffer const& b) noexcept
{
    if (b.type > element_type::extended || b.run_count > b.runs.size()) return false;
    if (b.run_count == 0) return true;
    if (b.structure == 0 || b.bytes % b.structure != 0) return false;
    for (std::size_t i = 0; i < b.run_count; ++i) {
        element_run const& run = b.runs[i];
        if (run.type > element_type::extended || run.offset > b.structure ||
            run.count > (b.structure - run.offset) / element_bytes(run.type))
            return false;
    }
    return true;
}

} // namespace attune::inline ATTUNE_ABI::detail
