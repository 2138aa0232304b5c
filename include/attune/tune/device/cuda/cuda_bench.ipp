// attune/tune/device/cuda/cuda_bench.ipp - makes a device's bench from kernel, options and target.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/measure/cuda/device_compare_text.hpp>
#include <attune/measure/cuda/worker/worker_bench.hpp>
#include <attune/tune/device/cuda/cuda_bench.hpp>
#include <attune/tune/device/cuda/device_call.hpp>
#include <attune/tune/device/cuda/more_devices.hpp>
#include <attune/tune/loop/make_bench.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The comparison of results, compiled for the device; empty if that fails: the host compares then.
[[nodiscard]] inline device_code compile_comparison(any_compiler const& compiler)
{
    compile_request wanted;
    wanted.function = "attune_compare";
    wanted.arguments = device_compare_arguments();
    compile_result const made = compiler.compile(
        kernel_source{std::string(device_compare_text), "device_compare.cu"}, wanted);
    auto const* const code = std::get_if<callable>(&made);
    return code == nullptr ? device_code{} : device_variant_of(*code).code;
}

[[nodiscard]] inline device_bench_options device_options_of(tuning_problem const& problem,
                                                            tuning_options const& options)
{
    device_bench_options how;
    how.cache = options.measuring.cache;
    how.precision = options.measuring.precision;
    how.timing_limit_s = std::min(how.timing_limit_s, bench_options_of(options).timing_limit_s);
    how.as_graph = options.device.as_graph;
    how.compare_results = !problem.kernel.check;
    how.repeat_default = !problem.only_verifies;
    if (how.compare_results) how.comparison = compile_comparison(problem.compiler);
    return how;
}

ATTUNE_INLINE std::unique_ptr<bench> make_cuda_bench(tuning_problem const& problem,
                                                     tuning_options const& options,
                                                     cuda_target const& target)
{
    device_call call = make_device_call(target, problem.frame);
    device_bench_options const how = device_options_of(problem, options);
    std::unique_ptr<device_bench> made;
    if (runs_in_process(options.measuring.protect)) {
        made = make_local_bench(target.driver, call, how);
    } else {
        worker::worker_options workers;
        workers.is_required = options.measuring.protect == isolation::fork;
        made = worker::make_worker_bench(target.driver, call, how, workers);
    }
    made->set_host_check(
        std::make_shared<host_check>(target.driver, std::move(call), trial_call_of(problem)));
    return made;
}

} // namespace attune::inline ATTUNE_ABI::detail
