// attune/tune/loop/make_bench.ipp - which bench a problem needs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/cpu/cpu_bench.hpp>
#include <attune/tune/device/cuda_bench.hpp>
#include <attune/tune/device/loaded_kernel.hpp>
#include <attune/tune/device/more_devices.hpp>
#include <attune/tune/device/predicted_bench.hpp>
#include <attune/tune/loop/make_bench.hpp>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::unique_ptr<test_bench> make_test_bench(tuning_problem const& problem,
                                                          tuning_options const& options)
{
    if (problem.compiler.make_bench) return problem.compiler.make_bench(problem, options);
    require_usable_devices(problem, options);
    cuda_target const* const target = problem.compiler.target();
    if (target == nullptr) return std::make_unique<cpu_bench>(problem, options);
    if (problem.predict) return std::make_unique<predicted_bench>(problem);
    require_device(*target, problem.kernel.name);
    return std::make_unique<cuda_bench>(problem, options);
}

} // namespace attune::inline ATTUNE_ABI
