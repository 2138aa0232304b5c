// attune/measure/cuda/device_bench.hpp - runs, checks and times variants on a device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/clock/time_in_turns.hpp>
#include <attune/measure/cuda/device_bench_options.hpp>
#include <attune/measure/cuda/device_call.hpp>
#include <attune/measure/cuda/host_check.hpp>
#include <attune/measure/sandbox/sandboxed_run.hpp>
#include <attune/measure/turns/timing_turns.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The bench of a device. Variants run on copies of the call's arrays; the caller's are only read.
/// After a failure the bench stays usable: an implementation that loses its context creates
/// another, or reports that it cannot.
///
/// A callable's address points to a device_variant. The functions of `bench` apply the user's
/// host_check in this process, and take turns on the device with other processes; those that take a
/// device_variant do not, since a worker process calls them.
class device_bench : public bench {
public:
    /// Sets the user's check, which the functions of `bench` then apply too.
    void set_host_check(std::shared_ptr<host_check> of) { host_check_ = std::move(of); }

    [[nodiscard]] first_run_result establish(callable const& trusted, double limit_s) final;
    [[nodiscard]] first_run_result first_run(callable const& tried, double limit_s) final;
    [[nodiscard]] outcome time(callable const& tried, double stop_above_s, double limit_s,
                               timing_record& record) final;
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> tried,
                                                                 double limit_s) final;
    [[nodiscard]] std::vector<std::string> notices() const final { return turns_.notices(); }

    /// Runs the default from the caller's contents. Its results become the reference, except arrays
    /// for which `expected` is not empty.
    /// @param limit_s  wall seconds of one run
    /// @return  seconds by events, or why the default does not work
    [[nodiscard]] virtual first_run_result
    establish(device_variant const& trusted, std::span<std::vector<std::byte> const> expected,
              double limit_s) = 0;

    /// Runs a variant for the first time and compares its results. @param limit_s  wall seconds
    [[nodiscard]] virtual first_run_result first_run(device_variant const& tried,
                                                     double limit_s) = 0;

    /// The contents of array `i` after the last first_run() or establish().
    /// Errors   `stopped`, or attune::error when nothing can run any more: it cannot be read
    [[nodiscard]] virtual std::vector<std::byte> contents(std::size_t i) = 0;

    /// Repeats a variant until its time is precise, or proven longer than `stop_above_s`.
    /// @param taken  receives the samples; may be null
    [[nodiscard]] virtual outcome time(device_variant const& tried, double stop_above_s,
                                       double limit_s, timing_record* taken) = 0;

    /// Times several variants in turns. A run counts as hanging after hang_limit_s().
    /// @param limit_s  wall seconds of the comparison; 0: each runs once
    /// @return  the times, or the index of a variant that failed
    [[nodiscard]] virtual std::variant<round_times, std::size_t>
    compare(std::span<device_variant const> tried, double limit_s) = 0;

    /// True when a variant wrote outside its arrays: any memory of the bench on the device may be
    /// damaged. The next call first makes all of it anew from the caller's arrays.
    [[nodiscard]] virtual bool is_spoilt() const noexcept { return false; }

protected:
    /// @param bus  the PCI bus id of the device; another text: it is timed without turns
    explicit device_bench(std::string const& bus) { turns_.use_device(bus); }

    [[nodiscard]] std::shared_ptr<host_check> const& host_check_in_use() const noexcept
    {
        return host_check_;
    }

private:
    [[nodiscard]] first_run_result checked_by_host(first_run_result end);

    std::shared_ptr<host_check> host_check_{}; ///< null: no check by the user
    timing_turns turns_{};                     ///< waits for the longest time: a final is one turn
};

/// A bench in this process, in the primary context of the device; waits for all work there first.
/// An error that destroys the context ends the program's own use of the device too. A kernel that
/// exceeds its time limit cannot be stopped, only waited for. Later calls then throw attune::error.
///
/// Needs memory for each array twice, and for written arrays up to five times; optional copies are
/// left out when there is no room.
/// @param protection  the result of protection()
/// Errors   attune::error: out of memory (the text has the bytes requested and free), an array that
///          is not on the device or longer than its allocation
[[nodiscard]] std::unique_ptr<device_bench>
make_local_bench(std::shared_ptr<cuda::driver const> driver, device_call call,
                 device_bench_options const& options,
                 std::string protection = "in process: as asked");

/// A bench in a worker process with its own context; a worker that dies is replaced: see
/// worker_bench.hpp.
[[nodiscard]] std::unique_ptr<device_bench>
make_worker_bench(std::shared_ptr<cuda::driver const> driver, device_call call,
                  device_bench_options const& options);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_bench.ipp>
#endif
