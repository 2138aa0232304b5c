// attune/measure/call_energy.ipp - the part that measures energy, set before static objects are made.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/call_energy.hpp>

#include <atomic>

namespace attune::inline ATTUNE_ABI::detail {

inline constinit std::atomic<energy_maker> maker_of_energy = nullptr;

ATTUNE_INLINE energy_maker exchange_energy_maker(energy_maker make) noexcept
{
    return maker_of_energy.exchange(make);
}

ATTUNE_INLINE energy_maker energy_maker_of_program() noexcept { return maker_of_energy.load(); }

ATTUNE_INLINE std::string why_no_energy(std::shared_ptr<energy_source const> const& source)
{
    if (source) return source->why_none();
    return "this program measures no energy: include <attune/measure/energy.hpp> and link "
           "attune::energy";
}

} // namespace attune::inline ATTUNE_ABI::detail
