// attune/measure/device/worker/worker_bench.hpp - a bench in a worker process, replaced if it dies.
// SPDX-License-Identifier: MIT
//
// An error that destroys the context, a signal, exit() or a timeout ends the worker, and its
// variant fails. The next request starts another worker, sends it the caller's arrays again and
// establishes the default again. Measurements are kept.
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/device/device_bench.hpp>
#include <attune/measure/device/worker/worker_arrays.hpp>
#include <attune/measure/device/worker/worker_process.hpp>
#include <attune/measure/device/worker/worker_protocol.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::worker {

/// Options for starting workers, and their time limits.
struct worker_options {
    starter start = start_this_program;
    double start_limit_s = 60; ///< wall seconds until a worker is ready: drivers may take several
    double grace_s = 10;       ///< wall seconds for all work besides a variant's own runs
    int most_attempts = 3;     ///< attempts in a row to replace a worker
    bool is_required = false;  ///< make_worker_bench(): no worker, or MPS, is an error
    /// The device for variants; -1: the device of the call. Arrays for another device are copied
    /// through host memory.
    int ordinal = -1;
};

/// Sends requests to a worker process. All functions throw attune::error if no worker starts.
class worker_bench final : public device_bench {
public:
    /// Errors   attune::error: no worker starts; the text has the reason
    worker_bench(std::shared_ptr<cuda::driver const> driver, device_call call,
                 device_bench_options const& options, worker_options how = {});

    using device_bench::compare;
    using device_bench::establish;
    using device_bench::first_run;
    using device_bench::time;

    [[nodiscard]] first_run_result establish(device_variant const& trusted,
                                             std::span<std::vector<std::byte> const> expected,
                                             double limit_s) override;
    [[nodiscard]] first_run_result first_run(device_variant const& tried, double limit_s) override;
    /// The contents in the worker of the last run.
    /// Errors   `stopped`: they cannot be read
    [[nodiscard]] std::vector<std::byte> contents(std::size_t i) override;
    [[nodiscard]] outcome time(device_variant const& tried, double stop_above_s, double limit_s,
                               timing_record* taken) override;
    [[nodiscard]] std::variant<round_times, std::size_t>
    compare(std::span<device_variant const> tried, double limit_s) override;
    [[nodiscard]] std::string protection() const override;
    /// A bench in another worker, on another device, with the same user's check.
    [[nodiscard]] std::unique_ptr<bench> on_device(int ordinal) const override;

    /// Number of replaced workers.
    [[nodiscard]] std::size_t replacements() const noexcept { return replacements_; }

private:
    /// An answer, or the failure that ended the worker.
    using reply = std::variant<message, failure>;

    /// Waits at most `within_s` wall seconds; the text of a timeout has the number `limit_s`.
    [[nodiscard]] reply exchange(message const& asked, double within_s, double limit_s);
    /// Calls require_worker(), then exchange(). After an error of the worker's environment, asks
    /// another worker once.
    [[nodiscard]] reply ask(message const& asked, double within_s, double limit_s);
    /// Starts a worker and sends it the arrays.
    /// Errors   attune::error
    void start_worker();
    /// Starts a worker unless one runs, and makes it establish the default.
    /// Errors   attune::error
    void require_worker();
    [[nodiscard]] message begin_message(route by) const;
    /// Ends the worker. @param reason  empty: the way its process ended
    [[nodiscard]] failure end_worker(failure_stage stage, std::string const& reason);
    /// Adds the worker's log to a failure in its answer. Ends a worker whose context may be lost.
    [[nodiscard]] failure settle_failure(failure why);
    template <class Result, class Get>
    [[nodiscard]] Result result_of(reply&& got, Get const& get);

    std::shared_ptr<cuda::driver const> driver_;
    device_call call_;
    device_bench_options const asked_options_;
    device_bench_options options_; ///< `asked_options_` without options that caused failures
    worker_options how_;
    double data_s_ = 0; ///< wall seconds allowed for moving and comparing the arrays
    std::string bus_{};
    bool is_shared_ = false; ///< true: MPS shares the device's contexts
    route route_ = route::handle;
    bool may_copy_ = true; ///< true: the device has room for another copy of the arrays
    std::unique_ptr<process> worker_{};
    std::optional<message> established_{}; ///< the last successful request to establish the default
    double established_limit_s_ = 0;
    double established_s_ = 0; ///< time of the default, in seconds; 0: unknown
    std::size_t replacements_ = 0;
};

/// A worker_bench, or a bench in this process if no worker starts: protection() has the reason.
/// Errors   attune::error: see make_local_bench(). If a worker is required: none starts (the text
///          has the reason), or MPS would pass its faults on to this process
[[nodiscard]] std::unique_ptr<device_bench>
make_worker_bench(std::shared_ptr<cuda::driver const> driver, device_call call,
                  device_bench_options const& options, worker_options const& how);

} // namespace attune::inline ATTUNE_ABI::detail::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/device/worker/worker_bench.ipp>
#endif
