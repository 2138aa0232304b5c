// attune/core/quantity_text.ipp - three digits and the unit that suits them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/quantity_text.hpp>
#include <attune/core/version.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::string text_of_quantity(double value, bool is_seconds)
{
    if (!is_seconds) return detail::formatted("%.6g", value);
    // A value that three digits would round to 1000 takes the next unit.
    if (value >= 999.5) return detail::formatted("%.0f s", value);
    if (value >= 0.9995) return detail::formatted("%.3g s", value);
    if (value >= 0.9995e-3) return detail::formatted("%.3g ms", value * 1e3);
    if (value >= 0.9995e-6) return detail::formatted("%.3g us", value * 1e6);
    return detail::formatted("%.3g ns", value * 1e9);
}

} // namespace attune::inline ATTUNE_ABI
