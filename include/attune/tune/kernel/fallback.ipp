// attune/tune/kernel/fallback.ipp - looks for a fallback in the kernel, then in the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/tune/kernel/fallback.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE wanted_ahead wanted_of(kernel_description const& kernel)
{
    wanted_ahead wanted{kernel.signature.function, kernel.type, kernel.source, {}, kernel.linked};
    // A parameter that is only in the name, as in scale<TILE>, has its default in the declaration.
    for (named_value const& v : named_values(kernel.space)) {
        if (kernel.space.parameters[v.first].role != parameter_role::macro) continue;
        if (auto const text = default_text_of(kernel.space, v))
            wanted.macros.push_back(std::string(v.name) + '=' + *text);
    }
    return wanted;
}

ATTUNE_INLINE found_ahead find_fallback(kernel_description const& kernel)
{
    if (kernel.fallback != nullptr) return {kernel.fallback, {}};
    return find_ahead(wanted_of(kernel));
}

ATTUNE_INLINE void* fallback_of(kernel_description const& kernel)
{
    return find_fallback(kernel).address;
}

} // namespace attune::inline ATTUNE_ABI::detail
