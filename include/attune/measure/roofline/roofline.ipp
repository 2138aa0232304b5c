// attune/measure/roofline/roofline.ipp - a roofline in words.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/roofline/roofline.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::string text_of(roofline const& where)
{
    return detail::formatted("%.2f of the roofline (", where.fraction) +
           (where.memory_bound ? "memory" : "compute") + " bound)";
}

} // namespace attune::inline ATTUNE_ABI
