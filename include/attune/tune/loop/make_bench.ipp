// attune/tune/loop/make_bench.ipp - which bench a problem needs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/cpu/cpu_bench.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/make_bench.hpp>
#include <attune/tune/options.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::unique_ptr<test_bench> make_test_bench(tuning_problem const& problem,
                                                          tuning_options const& options)
{
    if (problem.compiler.make_bench) return problem.compiler.make_bench(problem, options);
    if (auto const device = problem.compiler.target()) return device->make_bench(problem, options);
    if (!options.device.others.empty() && !problem.predict)
        throw error("the code of kernel '" + problem.kernel.name +
                        "' is for this processor: no device can measure it",
                    "tuning_options::device.others",
                    "leave that empty, or tune with a compiler for a device");
    return std::make_unique<cpu_bench>(problem, options);
}

} // namespace attune::inline ATTUNE_ABI
