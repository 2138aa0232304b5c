// attune/measure/cuda/worker/worker_bench.ipp - a bench with a worker, or without for want of one.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/device.hpp>
#include <attune/measure/cuda/worker/detail/worker_answers.hpp>
#include <attune/measure/cuda/worker/detail/worker_keeping.hpp>
#include <attune/measure/cuda/worker/detail/worker_requests.hpp>
#include <attune/measure/cuda/worker/worker_arrays.hpp>
#include <attune/measure/cuda/worker/worker_bench.hpp>
#include <attune/measure/cuda/worker/worker_main.hpp>
#include <attune/measure/cuda/worker/worker_process.hpp>
#include <attune/measure/cuda/worker/worker_protocol.hpp>
#include <attune/measure/cuda/worker/worker_wire.hpp>

#include <utility>

namespace attune::inline ATTUNE_ABI::worker {

namespace detail {

/// A bench in this process, for want of a worker.
class bench_without_worker final : public device_bench {
public:
    bench_without_worker(std::unique_ptr<device_bench> bench, std::string why)
        : bench_(std::move(bench))
        , why_(std::move(why))
    {
    }

    [[nodiscard]] probation_result establish(device_variant const& trusted,
                                             std::span<std::vector<std::byte> const> expected,
                                             double limit_s) override
    {
        return bench_->establish(trusted, expected, limit_s);
    }
    [[nodiscard]] probation_result first_run(device_variant const& tried, double limit_s) override
    {
        return bench_->first_run(tried, limit_s);
    }
    [[nodiscard]] std::vector<std::byte> contents(std::size_t i) override
    {
        return bench_->contents(i);
    }
    [[nodiscard]] outcome time(device_variant const& tried,
                               double stop_above_s,
                               double limit_s,
                               timing_record* taken) override
    {
        return bench_->time(tried, stop_above_s, limit_s, taken);
    }
    [[nodiscard]] std::variant<round_times, std::size_t>
    compare(std::span<device_variant const> tried, double limit_s) override
    {
        return bench_->compare(tried, limit_s);
    }
    [[nodiscard]] bool is_spoilt() const noexcept override { return bench_->is_spoilt(); }
    [[nodiscard]] std::string protection() const override
    {
        return "in process: there is no worker: " + why_;
    }

private:
    std::unique_ptr<device_bench> bench_;
    std::string why_;
};

} // namespace detail

ATTUNE_INLINE std::unique_ptr<device_bench>
make_worker_bench(std::shared_ptr<cuda::driver const> driver,
                  device_call call,
                  device_bench_options const& options,
                  worker_options const& how)
{
    std::string why;
    if (how.is_required && detail::is_shared_by_mps(*driver, call.ordinal))
        throw error(
            "a worker process does not protect this program: under CUDA MPS a fault of one "
            "takes the other's context along",
            "the driver says so of device " + std::to_string(call.ordinal),
            "tune without MPS (echo quit | nvidia-cuda-mps-control), or let options.protect "
            "= attune::isolation::automatic do with such a worker");
    try {
        return std::make_unique<worker_bench>(driver, call, options, how);
    } catch (error const& none) {
        why = attune::detail::sentence_of(none);
    }
    if (how.is_required)
        throw error("there is no worker process to run variants of this program in",
                    why,
                    "options.protect = attune::isolation::automatic lets them run in this process "
                    "then, and the report says so");
    return std::make_unique<detail::bench_without_worker>(
        make_local_bench(std::move(driver), std::move(call), options), std::move(why));
}

} // namespace attune::inline ATTUNE_ABI::worker

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::unique_ptr<device_bench>
make_worker_bench(std::shared_ptr<cuda::driver const> driver,
                  device_call call,
                  device_bench_options const& options)
{
    return worker::make_worker_bench(std::move(driver), std::move(call), options, {});
}

} // namespace attune::inline ATTUNE_ABI
