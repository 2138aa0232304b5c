// attune/measure/energy.ipp - offers the counters of this machine as the energy source.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/offer.hpp>
#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/energy.hpp>

#include <memory>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void measure_energy() noexcept
{
    keep_this_library_loaded();
    static constexpr energy_maker counted{[](std::string const& folder) {
        return std::shared_ptr<energy_source const>(std::make_shared<counted_energy>(
            energy_counters::in(folder.empty() ? powercap_folder : folder)));
    }};
    exchange_offer(&counted);
}

} // namespace attune::inline ATTUNE_ABI::detail
