// attune/tune/device/cuda/cuda_device.ipp - implements device_target with the CUDA folders.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/occupancy.hpp>
#include <attune/measure/cuda/worker/worker_door.hpp>
#include <attune/tune/device/cuda/cuda_bench.hpp>
#include <attune/tune/device/cuda/cuda_device.hpp>
#include <attune/tune/device/cuda/cuda_kernel.hpp>
#include <attune/tune/device/cuda/device_call.hpp>
#include <attune/tune/device/cuda/launch_limits.hpp>
#include <attune/tune/device/cuda/more_devices.hpp>
#include <attune/tune/device/cuda/predicted_bench.hpp>
#include <attune/tune/device/cuda/program_ptx.hpp>
#include <attune/tune/kernel/code_rules.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string device_name(device_limits const& device)
{
    std::string const architecture = "sm_" + std::to_string(device.architecture);
    return device.name == architecture ? architecture : device.name + " (" + architecture + ')';
}

ATTUNE_INLINE void cuda_device::require_device(std::string const& kernel) const
{
    if (target_.can_run()) return;
    throw error("there is no device to run kernel '" + kernel + "' on",
                target_.why_no_device.empty() ? "compiled for " + target_.limits.name
                                              : target_.why_no_device,
                "tuned.predict(arguments...) chooses a configuration for " + target_.limits.name +
                    " by its code, without running any");
}

ATTUNE_INLINE void cuda_device::add_limits(description& bound,
                                           kernel_description const& kernel) const
{
    add_launch_limits(bound, kernel.launch.value_or(launch_declaration{}), target_.limits);
}

ATTUNE_INLINE code_review cuda_device::review(kernel_description const& kernel,
                                              description const& bound, point const& at,
                                              callable const& code) const
{
    device_variant const& ready = device_variant_of(code);
    code_resources const& takes = ready.code.resources;
    residency const resident = occupancy_of(target_.limits, takes, ready.launch);
    code_numbers const known = numbers_of(takes, resident);
    code_review out{.features = code_metrics_at(kernel, bound, at, known),
                    .objection = launch_objection(target_.limits, takes, ready.launch)};
    if (out.objection.empty()) out.objection = broken_rule(kernel, bound, at, known);
    return out;
}

ATTUNE_INLINE std::unique_ptr<loaded_kernel const> cuda_device::load(callable code,
                                                                     std::string kernel) const
{
    return std::make_unique<cuda_kernel const>(target_, std::move(code), std::move(kernel));
}

ATTUNE_INLINE std::optional<callable> cuda_device::code_in_program(kernel_description const& kernel,
                                                                   description const& bound,
                                                                   point const& at) const
{
    return find_fallback_on_device(kernel, bound, at).code;
}

ATTUNE_INLINE void cuda_device::wait_for_caller(void* stream) const
{
    attune::detail::wait_for_caller(target_, stream);
}

ATTUNE_INLINE void cuda_device::require_arrays(call_frame const& frame) const
{
    require_on_device(target_, frame);
}

ATTUNE_INLINE std::unique_ptr<bench> cuda_device::make_bench(tuning_problem const& problem,
                                                             tuning_options const& options) const
{
    if (problem.predict) return std::make_unique<predicted_bench>(target_.limits);
    require_usable_devices(target_, options);
    require_device(problem.kernel.name);
    return make_cuda_bench(problem, options, target_);
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::shared_ptr<device_target const> make_device_target(cuda_target const& target)
{
    hold_worker_door();
    return std::make_shared<detail::cuda_device>(target);
}

} // namespace attune::inline ATTUNE_ABI
