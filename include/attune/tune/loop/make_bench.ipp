// attune/tune/loop/make_bench.ipp - selects the bench for a problem.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/offer.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cpu/cpu_bench.hpp>
#include <attune/measure/sandbox/shared_with_child.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/kernel/baseline.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/kernel/user_functions.hpp>
#include <attune/tune/loop/make_bench.hpp>
#include <attune/tune/options.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE trial_call trial_call_of(tuning_problem const& problem)
{
    call_frame const& frame = problem.frame;
    kernel_description const& kernel = problem.kernel;
    trial_call out;
    out.buffers = frame.buffers;
    out.call = frame.call;
    out.idle = frame.idle;
    if (has_reference(kernel, frame))
        out.reference = [&frame, &kernel](trial_call::addresses data) {
            frame.with_arguments(data, kernel.reference);
        };
    if (kernel.check)
        out.refusal = [&frame, &kernel](trial_call::addresses data) {
            std::string said;
            frame.with_arguments(data, [&](void const* all) { said = kernel.check(all); });
            return said;
        };
    if (kernel.error && problem.error_seen)
        out.refusal = [&frame, &kernel, seen = problem.error_seen](trial_call::addresses data) {
            std::string said;
            frame.with_arguments(data, [&](void const* all) {
                try {
                    double const error = kernel.error(all);
                    seen->get().latest = error;
                    said = refusal_of_error(error, kernel.most_error);
                } catch (...) {
                    said = refusal_of_exception();
                }
            });
            return said;
        };
    if (kernel.error && problem.error_seen)
        out.after_default = [seen = problem.error_seen] {
            seen->get().of_default = seen->get().latest;
        };
    if (kernel.baseline) out.passenger = baseline_code(kernel).address;
    return out;
}

ATTUNE_INLINE bench_options bench_options_of(tuning_options const& options)
{
    constexpr double share_of_one_timing = 0.05;
    bench_options out;
    out.cache = options.measuring.cache;
    out.precision = options.measuring.precision;
    out.timing_limit_s = share_of_one_timing * options.limits.seconds;
    out.first_run_ratio = options.limits.first_run_ratio;
    out.protect = options.measuring.protect;
    out.trial = options.measuring.trial;
    return out;
}

ATTUNE_INLINE std::unique_ptr<bench> make_bench(tuning_problem const& problem,
                                                tuning_options const& options)
{
    if (options.measuring.make_bench) return options.measuring.make_bench(problem, options);
    if (problem.device != nullptr) return problem.device->make_bench(problem, options);
    if (!options.device.others.empty() && !problem.predict)
        throw error("the code of kernel '" + problem.kernel.name +
                        "' is for this processor: no device can measure it",
                    "tuning_options::device.others",
                    "leave that empty, or tune with a compiler for a device");
    if (!problem.frame.is_complete())
        throw error("nothing says how many elements the pointers of an array point to",
                    "kernel '" + problem.kernel.name + "'", "declare kernel.extent<i>(elements)");
    bench_options how = bench_options_of(options);
    auto const* const energy = offer_of_program<energy_maker>();
    if (problem.kernel.most_joules > 0 && energy != nullptr)
        how.energy = energy->make(options.measuring.powercap);
    return std::make_unique<cpu_bench>(trial_call_of(problem), how);
}

} // namespace attune::inline ATTUNE_ABI::detail
