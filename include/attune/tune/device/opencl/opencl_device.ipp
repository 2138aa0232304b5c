// attune/tune/device/opencl/opencl_device.ipp - limits, facts and benches of an OpenCL device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/opencl/arguments.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/primary_context.hpp>
#include <attune/declare/expression/expression.hpp>
#include <attune/measure/device/worker/driver_opener.hpp>
#include <attune/measure/device/worker/worker_door.hpp>
#include <attune/opencl/driver.hpp>
#include <attune/tune/device/cuda/cuda_bench.hpp>
#include <attune/tune/device/opencl/opencl_device.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/launch_declaration.hpp>
#include <attune/tune/kernel/problem.hpp>

#include <memory>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE std::string_view opencl_compare_text() noexcept
{
    return R"cl(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
int attune_near(double got, double want, double distance, double absolute, double relative,
                double rms)
{
    double const size = fabs(want);
    return distance <= absolute + relative * (size < rms ? rms : size);
}
#define ATTUNE_FLOATS(T)                                                                           \
    int attune_agree_##T(T got, T want, double absolute, double relative, double rms)              \
    {                                                                                              \
        if (got == want) return 1;                                                                 \
        if (isnan(got) || isnan(want)) return isnan(got) && isnan(want);                           \
        if (isinf(got) || isinf(want)) return 0;                                                   \
        return attune_near(got, want, fabs((double)got - (double)want), absolute, relative, rms);  \
    }
#define ATTUNE_INTEGERS(T)                                                                         \
    int attune_agree_##T(T got, T want, double absolute, double relative, double rms)              \
    {                                                                                              \
        if (got == want) return 1;                                                                 \
        ulong const a = (ulong)got;                                                                \
        ulong const b = (ulong)want;                                                               \
        return attune_near((double)got, (double)want, (double)(got < want ? b - a : a - b),        \
                           absolute, relative, rms);                                               \
    }
ATTUNE_FLOATS(float)
ATTUNE_FLOATS(double)
ATTUNE_INTEGERS(char)
ATTUNE_INTEGERS(uchar)
ATTUNE_INTEGERS(short)
ATTUNE_INTEGERS(ushort)
ATTUNE_INTEGERS(int)
ATTUNE_INTEGERS(uint)
ATTUNE_INTEGERS(long)
ATTUNE_INTEGERS(ulong)
kernel void attune_compare(global uchar const* got, global uchar const* want, ulong count, int type,
                           double absolute, double relative, double rms, global ulong* first,
                           global ulong* differing)
{
    ulong const me = get_global_id(0);
    ulong at = count;
    ulong differ = 0;
    if (type < 1 || type > 10) {
        type = 4;
        absolute = relative = rms = 0;
    }
#define ATTUNE_LOOK(number, T)                                                                     \
    if (type == number)                                                                            \
        for (ulong i = me; i < count; i += get_global_size(0)) {                                   \
            if (attune_agree_##T(((global T const*)got)[i], ((global T const*)want)[i], absolute,  \
                                 relative, rms))                                                   \
                continue;                                                                          \
            if (differ == 0) at = i;                                                               \
            ++differ;                                                                              \
        }
    ATTUNE_LOOK(1, float)
    ATTUNE_LOOK(2, double)
    ATTUNE_LOOK(3, char)
    ATTUNE_LOOK(4, uchar)
    ATTUNE_LOOK(5, short)
    ATTUNE_LOOK(6, ushort)
    ATTUNE_LOOK(7, int)
    ATTUNE_LOOK(8, uint)
    ATTUNE_LOOK(9, long)
    ATTUNE_LOOK(10, ulong)
    first[me] = at;
    differing[me] = differ;
}
)cl";
}

ATTUNE_INLINE void opencl_device::add_limits(description& bound,
                                             kernel_description const& kernel) const
{
    launches_.add_limits(bound, kernel);
}

ATTUNE_INLINE code_review opencl_device::review(kernel_description const& kernel,
                                                description const& bound, point const& at,
                                                callable const& code) const
{
    device_variant const& ready = device_variant_of(code);
    code_resources const& takes = ready.code.resources;
    code_numbers const known{{stack_bytes.name, number::of(takes.stack_bytes)},
                             {static_shared_bytes.name, number::of(takes.static_shared_bytes)}};
    code_review out{.features = code_metrics_at(kernel, bound, at, known),
                    .objection =
                        opencl_launch_objection(target_.device.limits, takes, ready.launch)};
    if (out.objection.empty()) out.objection = broken_rule(kernel, bound, at, known);
    return out;
}

ATTUNE_INLINE std::unique_ptr<loaded_kernel const> opencl_device::load(callable code,
                                                                       std::string kernel) const
{
    return launches_.load(std::move(code), std::move(kernel));
}

ATTUNE_INLINE void opencl_device::wait_for_caller(void* stream) const
{
    cuda::driver const& driver = *target_.device.driver;
    cuda::primary_context const context{target_.device.driver, target_.device.ordinal};
    cuda::context_scope const here{context};
    cuda::require_success(driver,
                          stream != nullptr
                              ? driver.stream_synchronize(static_cast<cuda::stream>(stream))
                              : driver.context_synchronize(),
                          "waiting for what the program launched before: clFinish");
}

ATTUNE_INLINE void opencl_device::require_arrays(call_frame const& frame) const
{
    launches_.require_arrays(frame);
}

ATTUNE_INLINE std::unique_ptr<bench> opencl_device::make_bench(tuning_problem const& problem,
                                                               tuning_options const& options) const
{
    if (problem.predict)
        throw error("no configuration of an OpenCL kernel can be predicted from its code",
                    "kernel '" + problem.kernel.name + "'",
                    "OpenCL does not report registers: tune it by running it");
    require_usable_devices(target_.device, options);
    return make_device_bench(problem, options, target_.device,
                             {std::string(opencl_compare_text()), "device_compare.cl"});
}

[[gnu::constructor(101), gnu::used]]
ATTUNE_INLINE void know_opencl_drivers() noexcept
{
    worker::add_driver_opener(opencl::driver_prefix.data(), &opencl::open_driver);
}

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::shared_ptr<device_target const> make_device_target(opencl_target const& target)
{
    hold_worker_door();
    return std::make_shared<detail::opencl_device>(target);
}

} // namespace attune::inline ATTUNE_ABI
