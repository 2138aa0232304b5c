// attune/tune/known_choice.ipp - writes it as one line.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/known_choice.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::string known_choice::text() const
{
    std::string out = kernel + ": " + configuration + " (" + std::string(describe(how));
    if (distance > 0) out += detail::formatted(", distance %.2f", distance);
    out += "): " + why;
    if (!serves && how != choice_match::by_default) out += "; it has not served this shape so far";
    return out;
}

} // namespace attune::inline ATTUNE_ABI
