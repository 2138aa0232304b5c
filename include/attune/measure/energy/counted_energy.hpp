// attune/measure/energy/counted_energy.hpp - energy by the counters of a machine.
// SPDX-License-Identifier: MIT
// tested by measure/cpu/cpu_bench.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/call_energy.hpp>
#include <attune/measure/energy/energy_counters.hpp>
#include <attune/measure/energy/joules_per_call.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

class counted_energy final : public energy_source {
public:
    explicit counted_energy(energy_counters counters)
        : counters_(std::move(counters))
    {
    }
    [[nodiscard]] std::string why_none() const override { return counters_.why_none(); }
    [[nodiscard]] std::string text() const override { return counters_.text(); }
    [[nodiscard]] call_energy measure(std::function<void(std::uint64_t)> const& calls,
                                      std::function<void(std::uint64_t)> const& beside,
                                      double limit_s,
                                      std::function<void()> const& between) const override
    {
        energy_options how;
        how.limit_s = std::min(how.limit_s, limit_s);
        machine_energy meter{counters_};
        return energy_by(meter, calls, beside, how, between);
    }

private:
    energy_counters counters_;
};

} // namespace attune::inline ATTUNE_ABI::detail
