// attune/tune/device/cuda/cuda_bench.ipp - gives calls to the benches of measure/device/, checks devices, predicts.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/measure/device/device_compare.hpp>
#include <attune/measure/device/worker/worker_bench.hpp>
#include <attune/tune/device/cuda/cuda_bench.hpp>
#include <attune/tune/device/cuda/cuda_device.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/loop/make_bench.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

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
    constexpr int rounds = 32; // any number gives an interval: all times are equal
    round_times out{tried.size()};
    for (std::size_t i = 0; i < tried.size(); ++i)
        for (int round = 0; round < rounds; ++round)
            out.add(i, predicted_objective(device_, device_variant_of(tried[i])));
    return out;
}

inline constexpr char const devices_option[] = "tuning_options::device.others";

/// Returns "device 1: NVIDIA H200 (sm_90), 132 multiprocessors, 143771 MiB".
[[nodiscard]] inline std::string device_text(int ordinal, device_limits const& limits)
{
    return "device " + std::to_string(ordinal) + ": " + device_name(limits) + ", " +
           std::to_string(limits.multiprocessors) +
           (limits.architecture > 0 ? " multiprocessors, " : " compute units, ") +
           std::to_string(limits.global_bytes / (1024 * 1024)) + " MiB";
}

ATTUNE_INLINE void require_usable_devices(cuda_target const& own, tuning_options const& options)
{
    std::vector<int> const& named = options.device.others;
    if (named.empty() || !own.can_run()) return; // require_device() reports that nothing can run
    if (runs_in_process(options.measuring.protect))
        throw error("variants that run in this process are measured on one device only",
                    std::string(devices_option) +
                        ", with isolation::" + std::string(describe(options.measuring.protect)),
                    "run them in workers: isolation::automatic");
    for (std::size_t i = 0; i < named.size(); ++i) {
        std::string const device = "device " + std::to_string(named[i]);
        if (named[i] == own.ordinal)
            throw error(device + " is the compiler's own, which always measures", devices_option,
                        "name only other devices");
        auto const here = named.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::find(named.begin(), here, named[i]) != here)
            throw error(device + " is named twice", devices_option, "name it once");
        device_limits const limits = limits_of_device(*own.driver, named[i]);
        if (limits != own.limits)
            throw error(device + " is another kind than device " + std::to_string(own.ordinal) +
                            ", for which the kernel is tuned",
                        device_text(named[i], limits) + "; " + device_text(own.ordinal, own.limits),
                        "leave it out, and tune for it separately");
    }
}

[[nodiscard]] inline cuda::device_pointer device_address(buffer const& b)
{
    return static_cast<cuda::device_pointer>(reinterpret_cast<std::uintptr_t>(b.data));
}

inline void require_array_on_device(cuda_target const& target, buffer const& b)
{
    cuda::driver const& driver = *target.driver;
    std::string const argument = "argument " + std::to_string(b.argument);
    int ordinal = -1;
    if (driver.pointer_get_attribute(&ordinal, cuda::of_pointer::device_ordinal,
                                     device_address(b)) != cuda::success)
        throw error("an array of a kernel is not in the memory of the device", argument,
                    "pass memory of the device, or declare the argument as a std::span: attune "
                    "then copies the array");
    if (ordinal != target.ordinal && is_bound_to_device(driver, device_address(b)))
        throw error("an array of a kernel is in the memory of another device",
                    argument + " is on device " + std::to_string(ordinal) +
                        ", the kernel is compiled for device " + std::to_string(target.ordinal),
                    "copy the array, or name device " + std::to_string(ordinal) +
                        " in the options of the compiler");
    std::optional<std::size_t> const left = cuda::bytes_from(driver, device_address(b), b.bytes);
    if (left && b.bytes > *left)
        throw error("an array of a kernel is longer than its memory on the device",
                    argument + " has " + std::to_string(b.bytes) + " bytes, the allocation ends " +
                        "after " + std::to_string(*left),
                    "correct the size of the span, or the extent of the pointer");
}

ATTUNE_INLINE device_call make_device_call(cuda_target const& target, call_frame const& frame)
{
    device_call out;
    out.ordinal = target.ordinal;
    for (call_argument const& given : frame.arguments) {
        device_argument passed;
        if (given.buffer == call_argument::by_value) {
            passed.value = given.value;
        } else {
            passed.buffer = given.buffer;
            out.buffers.push_back({frame.buffers[given.buffer],
                                   given.on_device ? memory_place::device : memory_place::host});
        }
        out.arguments.push_back(std::move(passed));
    }
    return out;
}

ATTUNE_INLINE void require_on_device(cuda_target const& target, call_frame const& frame)
{
    bool has_device_arrays = false;
    for (call_argument const& a : frame.arguments)
        has_device_arrays = has_device_arrays || a.on_device;
    if (!has_device_arrays) return;
    cuda::primary_context const context{target.driver, target.ordinal};
    cuda::context_scope const inside{context};
    for (call_argument const& a : frame.arguments)
        if (a.on_device && frame.buffers[a.buffer].bytes > 0)
            require_array_on_device(target, frame.buffers[a.buffer]);
}

/// Returns the compiled comparison of results; empty: the host compares.
[[nodiscard]] inline device_code compile_comparison(any_compiler const& compiler,
                                                    kernel_source const& comparison)
{
    compile_request wanted;
    wanted.function = std::string(device_compare_entry);
    wanted.arguments = device_compare_arguments();
    compile_result const made = compiler.compile(comparison, wanted);
    auto const* const code = std::get_if<callable>(&made);
    return code == nullptr ? device_code{} : device_variant_of(*code).code;
}

[[nodiscard]] inline device_bench_options device_options_of(tuning_problem const& problem,
                                                            tuning_options const& options,
                                                            kernel_source const& comparison)
{
    device_bench_options how;
    how.cache = options.measuring.cache;
    how.precision = options.measuring.precision;
    how.timing_limit_s = std::min(how.timing_limit_s, bench_options_of(options).timing_limit_s);
    how.as_graph = options.device.as_graph;
    how.compare_results = !problem.kernel.check;
    how.repeat_default = !problem.only_verifies;
    if (how.compare_results) how.comparison = compile_comparison(problem.compiler, comparison);
    return how;
}

ATTUNE_INLINE std::unique_ptr<bench> make_cuda_bench(tuning_problem const& problem,
                                                     tuning_options const& options,
                                                     cuda_target const& target)
{
    return make_device_bench(problem, options, target,
                             kernel_source{std::string(device_compare_text), "device_compare.cu"},
                             0);
}

ATTUNE_INLINE std::unique_ptr<bench>
make_device_bench(tuning_problem const& problem, tuning_options const& options,
                  cuda_target const& target, kernel_source const& comparison, double start_limit_s)
{
    device_call call = make_device_call(target, problem.frame);
    device_bench_options const how = device_options_of(problem, options, comparison);
    std::unique_ptr<device_bench> made;
    if (runs_in_process(options.measuring.protect)) {
        made = make_local_bench(target.driver, call, how);
    } else {
        worker::worker_options workers;
        workers.grace_s += start_limit_s;
        // Where the device is this processor, a fault of a variant would end this process.
        workers.is_required = options.measuring.protect == isolation::fork ||
                              (problem.device != nullptr && problem.device->is_on_processor());
        made = worker::make_worker_bench(target.driver, call, how, workers);
    }
    made->set_host_check(
        std::make_shared<host_check>(target.driver, std::move(call), trial_call_of(problem)));
    return made;
}

} // namespace attune::inline ATTUNE_ABI::detail
