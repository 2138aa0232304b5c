// attune/measure/cuda/worker/worker_bench.hpp - a bench in a process of its own, replaced when it dies.
// SPDX-License-Identifier: MIT
//
// An error that no context survives, a signal, exit() or silence ends the worker; that costs its
// variant a failure. The next request finds another worker, with the caller's arrays sent anew and
// the default established again: nothing that was measured is lost
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/cuda/device_bench.hpp>
#include <attune/measure/cuda/worker/worker_arrays.hpp>
#include <attune/measure/cuda/worker/worker_process.hpp>
#include <attune/measure/cuda/worker/worker_protocol.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::worker {

/// How workers are started, and how long they may be silent.
struct worker_options {
    starter start = start_this_program;
    double start_limit_s = 60; ///< wall seconds until one is ready: drivers may take several
    double grace_s = 10;       ///< for all that is not a variant's own run
    int most_attempts = 3;     ///< in a row, to replace one
    bool is_required = false;  ///< make_worker_bench: none is an error, one under MPS too
    /// The device that variants run on; -1: that of the call. On another one the arrays are copies
    /// that went through the memory of the host.
    int ordinal = -1;
};

/// Sends requests to a worker process. All functions throw attune::error when no worker can be
/// started any more.
class worker_bench final : public device_bench {
public:
    /// Errors   attune::error: no worker comes up, with the reason
    worker_bench(std::shared_ptr<cuda::driver const> driver,
                 device_call call,
                 device_bench_options const& options,
                 worker_options how = {});

    using device_bench::compare;
    using device_bench::establish;
    using device_bench::first_run;
    using device_bench::time;

    [[nodiscard]] first_run_result establish(device_variant const& trusted,
                                             std::span<std::vector<std::byte> const> expected,
                                             double limit_s) override;
    [[nodiscard]] first_run_result first_run(device_variant const& tried, double limit_s) override;
    /// Of the worker that has made the latest run. Errors   `stopped`: it does not hand them over
    [[nodiscard]] std::vector<std::byte> contents(std::size_t i) override;
    [[nodiscard]] outcome time(device_variant const& tried,
                               double stop_above_s,
                               double limit_s,
                               timing_record* taken) override;
    [[nodiscard]] std::variant<round_times, std::size_t>
    compare(std::span<device_variant const> tried, double limit_s) override;
    [[nodiscard]] std::string protection() const override;
    /// In a worker there, settle_failure by the same user's functions.
    [[nodiscard]] std::unique_ptr<bench> on_device(int ordinal) const override;

    /// How often a worker was replaced, and the wall seconds that took.
    [[nodiscard]] std::size_t replacements() const noexcept { return replacements_; }
    [[nodiscard]] double replacing_s() const noexcept { return replacing_s_; }

private:
    /// An answer, or why there is none: then the worker is no more.
    using reply = std::variant<message, failure>;

    /// Waits for at most `within_s`; `limit_s` is what a failure says.
    [[nodiscard]] reply exchange(message const& asked, double within_s, double limit_s);
    /// As exchange(), after require_worker(). Where the answer is an error of the worker's own
    /// environment, another worker is asked once.
    [[nodiscard]] reply ask(message const& asked, double within_s, double limit_s);
    /// Starts a worker and hands it the arrays. Errors   attune::error
    void start_worker();
    /// Starts a worker unless one runs, and has it establish the default. Errors   attune::error
    void require_worker();
    [[nodiscard]] message begin_message(route by) const;
    /// Ends the worker. @param reason  empty: how its process ended
    [[nodiscard]] failure end_worker(failure_stage stage, std::string const& reason);
    /// Adds the worker's log to a failure that it answered, and ends the worker where its context
    /// may be lost.
    [[nodiscard]] failure settle_failure(failure why);
    template <class Result, class Get>
    [[nodiscard]] Result result_of(reply&& got, Get const& get);

    std::shared_ptr<cuda::driver const> driver_;
    device_call call_;
    device_bench_options const asked_options_;
    device_bench_options options_; ///< those, without what has proven harmful
    worker_options how_;
    double data_s_ = 0; ///< allowed for moving and comparing the arrays
    std::string bus_{};
    bool is_shared_ = false; ///< the device's contexts are, by MPS
    route route_ = route::handle;
    bool may_copy_ = true; ///< the device has room for another copy of the arrays
    std::unique_ptr<process> worker_{};
    std::optional<message> established_{}; ///< the request that made the default known
    double established_limit_s_ = 0;
    double established_s_ = 0; ///< what it took; 0: not known
    std::size_t replacements_ = 0;
    double replacing_s_ = 0;
};

/// The same, or a bench in this process when no worker comes up: protection() says why.
/// Errors   attune::error: see make_local_bench; where a worker is required: there is none, with
///          the reason, or its faults would reach this process, under MPS
[[nodiscard]] std::unique_ptr<device_bench>
make_worker_bench(std::shared_ptr<cuda::driver const> driver,
                  device_call call,
                  device_bench_options const& options,
                  worker_options const& how);

} // namespace attune::inline ATTUNE_ABI::worker

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/worker/worker_bench.ipp>
#endif
