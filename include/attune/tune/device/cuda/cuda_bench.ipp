// attune/tune/device/cuda/cuda_bench.ipp - the loop's questions, put to a device_bench.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/device_compiler.hpp>
#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/cuda/device_compare_text.hpp>
#include <attune/measure/cuda/worker/worker_bench.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>
#include <attune/tune/cpu/timing.hpp>
#include <attune/tune/device/cuda/cuda_bench.hpp>
#include <attune/tune/device/cuda/device_call.hpp>
#include <attune/tune/device/cuda/more_devices.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// The comparison of results, compiled for the device; empty where that fails: then the host
/// compares.
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

[[nodiscard]] inline device_bench_options bench_options(tuning_problem const& problem,
                                                        tuning_options const& options)
{
    device_bench_options how;
    how.cache = options.measuring.cache;
    how.precision = options.measuring.precision;
    how.timing_limit_s = std::min(how.timing_limit_s, share_of_one_timing * options.limits.seconds);
    how.as_graph = options.device.as_graph;
    how.compare_results = !problem.kernel.check;
    how.repeat_default = !problem.only_verifies;
    if (how.compare_results) how.comparison = compile_comparison(problem.compiler);
    return how;
}

[[nodiscard]] inline std::unique_ptr<device_bench>
make_device_bench(tuning_problem const& problem,
                  tuning_options const& options,
                  cuda_target const& target,
                  device_bench_options const& how)
{
    device_call call = make_device_call(target, problem.frame);
    if (runs_in_process(options.measuring.protect))
        return make_local_bench(target.driver, std::move(call), how);
    worker::worker_options workers;
    workers.is_required = options.measuring.protect == isolation::fork;
    return worker::make_worker_bench(target.driver, std::move(call), how, workers);
}

/// Where host copies of all arrays are, as call_frame::with_arguments wants it.
[[nodiscard]] inline std::vector<std::byte*>
addresses_of(std::vector<std::vector<std::byte>>& copies)
{
    std::vector<std::byte*> out;
    for (std::vector<std::byte>& copy : copies)
        out.push_back(copy.data());
    return out;
}

struct reference_threw {
    std::string text;
};

} // namespace detail

struct cuda_bench::shared {
    tuning_problem const& problem;
    cuda_target const& target;
    device_bench_options how;
    std::mutex turn{};                                            ///< for the user's functions
    std::optional<std::vector<std::vector<std::byte>>> results{}; ///< of the user's reference

    /// What is right, by array; empty: not given.
    [[nodiscard]] std::vector<std::vector<std::byte>> const& right()
    {
        std::lock_guard const one(turn);
        if (results) return *results;
        std::vector<std::vector<std::byte>> out;
        if (problem.kernel.reference) {
            out = host_copies(target, problem.frame);
            try {
                problem.frame.with_arguments(detail::addresses_of(out), problem.kernel.reference);
            } catch (...) {
                throw detail::reference_threw{text_of_exception()};
            }
            for (std::size_t i = 0; i < out.size(); ++i)
                if (!problem.frame.buffers[i].writable) out[i].clear();
        }
        return results.emplace(std::move(out));
    }
};

ATTUNE_INLINE cuda_bench::cuda_bench(tuning_problem const& problem,
                                     tuning_options const& options,
                                     cuda_target const& target)
    : shared_(new shared{problem, target, detail::bench_options(problem, options)})
    , bench_(detail::make_device_bench(problem, options, target, shared_->how))
{
}

ATTUNE_INLINE cuda_bench::cuda_bench(std::shared_ptr<shared> common,
                                     std::unique_ptr<device_bench> bench)
    : shared_(std::move(common))
    , bench_(std::move(bench))
{
}

ATTUNE_INLINE std::unique_ptr<test_bench> cuda_bench::on_device(int ordinal) const
{
    cuda_target const& target = shared_->target;
    worker::worker_options there;
    there.ordinal = ordinal;
    return std::unique_ptr<test_bench>(new cuda_bench(
        shared_,
        std::make_unique<worker::worker_bench>(target.driver,
                                               make_device_call(target, shared_->problem.frame),
                                               shared_->how,
                                               std::move(there))));
}

/// The user's check of what a run has written.
ATTUNE_INLINE probation_result cuda_bench::checked(probation_result end)
{
    tuning_problem const& problem = shared_->problem;
    if (!problem.kernel.check || std::holds_alternative<failure>(end)) return end;
    std::vector<std::vector<std::byte>> results;
    try {
        for (std::size_t i = 0; i < problem.frame.buffers.size(); ++i)
            results.push_back(bench_->contents(i));
    } catch (stopped const& unread) {
        return unread.why;
    }
    std::string said;
    std::lock_guard const one(shared_->turn);
    problem.frame.with_arguments(detail::addresses_of(results), [&](void const* arguments) {
        said = problem.kernel.check(arguments);
    });
    if (!said.empty()) return failure{failure_stage::verify, said};
    return end;
}

ATTUNE_INLINE probation_result cuda_bench::establish(callable const& trusted, double limit_s)
{
    try {
        return checked(bench_->establish(device_variant_of(trusted), shared_->right(), limit_s));
    } catch (detail::reference_threw const& thrown) {
        return failure{failure_stage::verify, "the kernel's reference threw: " + thrown.text};
    }
}

ATTUNE_INLINE probation_result cuda_bench::first_run(callable const& tried, double limit_s)
{
    return checked(bench_->first_run(device_variant_of(tried), limit_s));
}

ATTUNE_INLINE outcome cuda_bench::time(callable const& tried,
                                       double stop_above_s,
                                       double limit_s,
                                       timing_record& record)
{
    return bench_->time(device_variant_of(tried), stop_above_s, limit_s, &record);
}

ATTUNE_INLINE std::variant<round_times, std::size_t>
cuda_bench::compare(std::span<callable const> tried, double limit_s)
{
    std::vector<device_variant> all;
    for (callable const& one : tried)
        all.push_back(device_variant_of(one));
    return bench_->compare(all, limit_s);
}

} // namespace attune::inline ATTUNE_ABI
