// attune/tune/test_bench.ipp - which bench a problem needs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/cpu_bench.ipp>
#include <attune/tune/cuda_bench.ipp>
#include <attune/tune/loaded_kernel.hpp>
#include <attune/tune/more_devices.hpp>
#include <attune/tune/predicted_bench.ipp>
#include <attune/tune/test_bench.hpp>

namespace attune::inline ATTUNE_ABI {

std::unique_ptr<test_bench> make_test_bench(tuning_problem const& problem,
                                            tuning_options const& options)
{
    require_usable_devices(problem, options);
    cuda_target const* const target = problem.compiler.target();
    if (target == nullptr) return std::make_unique<cpu_bench>(problem, options);
    if (problem.predict) return std::make_unique<predicted_bench>(problem);
    require_device(*target, problem.kernel.name);
    return std::make_unique<cuda_bench>(problem, options);
}

} // namespace attune::inline ATTUNE_ABI
