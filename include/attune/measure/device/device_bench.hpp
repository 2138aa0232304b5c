// attune/measure/device/device_bench.hpp - runs, checks and times variants on a device.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/clock/time_in_turns.hpp>
#include <attune/measure/device/device_call.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/timing_turns.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Copies of all arrays of a call, in order. Waits for work launched on the device.
/// Errors   attune::error: the driver's own; the copy would end a capture
[[nodiscard]] std::vector<std::vector<std::byte>>
host_copies(std::shared_ptr<cuda::driver const> const& driver, device_call const& call);

/// Calls the reference and the refusal of a trial_call in this process, with copies of all arrays
/// in host memory. Benches of several devices share one object, which makes one call at a time, and
/// calls the reference once.
class host_check {
public:
    host_check(std::shared_ptr<cuda::driver const> driver, device_call on_device, trial_call call);
    ~host_check();
    host_check(host_check const&) = delete;
    host_check& operator=(host_check const&) = delete;

    /// The reference's results, per array; empty for arrays that are not written. The whole is
    /// empty without a reference.
    /// Errors   `stopped`: the reference threw
    [[nodiscard]] std::vector<std::vector<std::byte>> const& expected();
    [[nodiscard]] bool has_refusal() const noexcept;
    [[nodiscard]] std::size_t arrays() const noexcept;
    /// Objection to the results of all arrays, or an empty text.
    [[nodiscard]] std::string refusal(std::vector<std::vector<std::byte>> results);

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// The bench of a device. Variants run on copies of the call's arrays; the bench only reads the
/// caller's. After a failure the bench stays usable: an implementation that loses its context
/// creates another, or reports that it cannot.
///
/// A callable's address points to a device_variant. The functions of `bench` apply the user's
/// host_check in this process, and take turns on the device with other processes. The functions
/// with a device_variant do neither, because a worker process calls them.
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

    /// Runs the default from the caller's contents. The results become the reference, except arrays
    /// for which `expected` is not empty.
    /// @param limit_s  wall seconds of one run
    /// @return  seconds by events, or the reason why the default does not work
    [[nodiscard]] virtual first_run_result
    establish(device_variant const& trusted, std::span<std::vector<std::byte> const> expected,
              double limit_s) = 0;

    /// Runs a variant for the first time and compares its results. @param limit_s  wall seconds
    [[nodiscard]] virtual first_run_result first_run(device_variant const& tried,
                                                     double limit_s) = 0;

    /// The contents of array `i` after the last first_run() or establish().
    /// Errors   `stopped`, or attune::error if nothing can run any more: it cannot be read
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

    /// Returns true if a variant wrote outside its arrays. Any memory of the bench on the device
    /// may be damaged. The next call first makes it anew from the caller's arrays.
    [[nodiscard]] virtual bool is_spoilt() const noexcept { return false; }

protected:
    /// @param bus  the PCI bus id of the device; any other text: timings take no turns
    explicit device_bench(std::string const& bus) { turns_.use_device(bus); }

    [[nodiscard]] std::shared_ptr<host_check> const& host_check_in_use() const noexcept
    {
        return host_check_;
    }

private:
    [[nodiscard]] first_run_result checked_by_host(first_run_result end);

    std::shared_ptr<host_check> host_check_{}; ///< null: no check by the user
    timing_turns turns_{}; ///< waits for the longest time, because a final is one turn
};

/// A bench in this process, in the primary context of the device. First waits for all work there.
/// An error that destroys the context also ends the program's own use of the device. A kernel that
/// exceeds its time limit cannot be stopped, so the bench waits. Later calls then throw
/// attune::error.
///
/// Needs memory for each array twice, and for written arrays up to five times. Without room it
/// omits optional copies.
/// @param protection  the result of protection()
/// Errors   attune::error: out of memory (the text has the bytes requested and free), an array that
///          is not on the device or longer than its allocation
[[nodiscard]] std::unique_ptr<device_bench>
make_local_bench(std::shared_ptr<cuda::driver const> driver, device_call call,
                 device_bench_options const& options,
                 std::string protection = "in process: as asked");

/// A bench in a worker process with its own context. A worker that dies is replaced: see
/// worker_bench.hpp.
[[nodiscard]] std::unique_ptr<device_bench>
make_worker_bench(std::shared_ptr<cuda::driver const> driver, device_call call,
                  device_bench_options const& options);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/device/device_bench.ipp>
#endif
