// attune/tune/device/cuda/predicted_bench.ipp - the heuristic behind predicted_bench.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/occupancy.hpp>
#include <attune/tune/device/cuda/predicted_bench.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE double predicted_objective(device_limits const& device, device_variant const& code)
{
    code_resources const& takes = code.code.resources;
    residency const resident = occupancy_of(device, takes, code.launch);
    std::int64_t const at_once = resident.blocks * device.multiprocessors;
    if (at_once <= 0 || code.launch.blocks() <= 0) return std::numeric_limits<double>::infinity();
    double const waves = static_cast<double>(code.launch.blocks()) / static_cast<double>(at_once);
    double const of_thread = static_cast<double>(std::max<std::int64_t>(takes.registers, 1));
    double const spilled = static_cast<double>(takes.spill_bytes) / (4 * of_thread);
    return std::ceil(waves) / waves / resident.fraction * (1 + spilled);
}

ATTUNE_INLINE first_run_result predicted_bench::establish(callable const& trusted, double limit_s)
{
    return first_run(trusted, limit_s);
}

ATTUNE_INLINE first_run_result predicted_bench::first_run(callable const& tried, double)
{
    device_variant const& code = device_variant_of(tried);
    std::string const said = launch_objection(device_, code.code.resources, code.launch);
    if (!said.empty()) return failure{failure_stage::launch, said};
    return 0.0;
}

ATTUNE_INLINE outcome predicted_bench::time(callable const& tried, double, double, timing_record&)
{
    double const value = predicted_objective(device_, device_variant_of(tried));
    if (value < std::numeric_limits<double>::infinity()) return measurement::exact(value);
    return failure{failure_stage::launch, "no block fits on a multiprocessor"};
}

ATTUNE_INLINE std::variant<round_times, std::size_t>
predicted_bench::compare(std::span<callable const> tried, double)
{
    constexpr int rounds = 32; // enough for any interval: all times are equal
    round_times out{tried.size()};
    for (std::size_t i = 0; i < tried.size(); ++i)
        for (int round = 0; round < rounds; ++round)
            out.add(i, predicted_objective(device_, device_variant_of(tried[i])));
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
