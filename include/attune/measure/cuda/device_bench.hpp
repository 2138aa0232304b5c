// attune/measure/cuda/device_bench.hpp - a place where variants run on a device, checked and timed.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/clock/round_robin.hpp>
#include <attune/measure/clock/run_limits.hpp>
#include <attune/measure/cuda/device_bench_options.hpp>
#include <attune/measure/cuda/device_call.hpp>
#include <attune/measure/cuda/host_check.hpp>
#include <attune/measure/sandbox/sandboxed_run.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The bench of a device. Variants run on private copies of the call's arrays: the caller's are
/// read, never written.
/// A function that returns a failure leaves the bench usable, also after an error that no context
/// survives: whoever implements it starts anew with another context, or says that it cannot.
///
/// A callable stands for the device_variant that it points to. What the process of the bench asks
/// of the user's functions is done here; the functions that take a device_variant leave it to
/// whoever calls them, which a worker's process does.
class device_bench : public bench {
public:
    /// From now on these judge what is run by the functions of `bench`, too.
    void set_host_check(std::shared_ptr<host_check> of) { host_check_ = std::move(of); }

    [[nodiscard]] first_run_result establish(callable const& trusted, double limit_s) final;
    [[nodiscard]] first_run_result first_run(callable const& tried, double limit_s) final;
    [[nodiscard]] outcome
    time(callable const& tried, double stop_above_s, double limit_s, timing_record& record) final;
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> tried,
                                                                 double limit_s) final;

    /// Runs the default configuration from the caller's contents; what it writes is what others are
    /// compared with, unless `expected` gives, per array, what is right (empty: not given).
    /// @param limit_s  wall seconds
    /// @return  seconds by events, or why it does not work
    [[nodiscard]] virtual first_run_result
    establish(device_variant const& trusted,
              std::span<std::vector<std::byte> const> expected,
              double limit_s) = 0;

    /// Runs a variant once from the caller's contents and compares what it wrote.
    [[nodiscard]] virtual first_run_result first_run(device_variant const& tried,
                                                     double limit_s) = 0;

    /// What array `i` holds after the latest first_run() or establish().
    /// Errors   `stopped`, or attune::error where nothing can be run any more: it cannot be read
    [[nodiscard]] virtual std::vector<std::byte> contents(std::size_t i) = 0;

    /// Repeats a variant until its time is known, or it is proven slower than `stop_above_s`.
    /// @param taken  takes what the measurement is made of; may be null
    [[nodiscard]] virtual outcome time(device_variant const& tried,
                                       double stop_above_s,
                                       double limit_s,
                                       timing_record* taken) = 0;

    /// Times several in turns. No run counts as hanging before hang_limit_s() is over.
    /// @param limit_s  wall seconds for all of it; 0: each runs once in any case
    /// @return  or which of them failed
    [[nodiscard]] virtual std::variant<round_times, std::size_t>
    compare(std::span<device_variant const> tried, double limit_s) = 0;

    /// A variant wrote where it must not. How far is not known, and whatever the bench keeps on the
    /// device may be damaged: the next call makes all of it anew first, from the caller's arrays.
    [[nodiscard]] virtual bool is_spoilt() const noexcept { return false; }

protected:
    [[nodiscard]] std::shared_ptr<host_check> const& host_check_in_use() const noexcept
    {
        return host_check_;
    }

private:
    [[nodiscard]] first_run_result checked_by_host(first_run_result end);

    std::shared_ptr<host_check> host_check_{}; ///< null: nothing to ask
};

/// A bench in this process, on the primary context of the device; waits for all work there first.
/// An error that no context survives takes that context, and so the program's own use of the
/// device, with it; a kernel that runs on after its time limit cannot be stopped, only waited for.
/// Every later call throws attune::error and says so.
///
/// Takes memory for each array twice (as it was, and to work on), for those that are written up to
/// five times; what only serves to find more mistakes is left out where there is no room.
/// @param protection  what protection() says
/// Errors   attune::error: out of memory (with how much was asked and is free), an array that is
///          not on the device, or longer than its allocation
[[nodiscard]] std::unique_ptr<device_bench>
make_local_bench(std::shared_ptr<cuda::driver const> driver,
                 device_call call,
                 device_bench_options const& options,
                 std::string protection = "in process: as asked");

/// A bench in a worker process with a context of its own, which is replaced when it dies: see
/// worker_bench.hpp.
[[nodiscard]] std::unique_ptr<device_bench>
make_worker_bench(std::shared_ptr<cuda::driver const> driver,
                  device_call call,
                  device_bench_options const& options);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cuda/device_bench.ipp>
#endif
