// attune/measure/call_energy.ipp - the notice in a program that measures no energy.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/call_energy.hpp>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string why_no_energy(std::shared_ptr<energy_source const> const& source)
{
    if (source) return source->why_none();
    return "this program measures no energy: include <attune/measure/energy.hpp> and link "
           "attune::energy";
}

} // namespace attune::inline ATTUNE_ABI::detail
