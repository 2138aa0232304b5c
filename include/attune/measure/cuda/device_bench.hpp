// attune/measure/cuda/device_bench.hpp - a place where variants run on a device, checked and timed.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/clock/round_robin.hpp>
#include <attune/measure/clock/run_limits.hpp>
#include <attune/measure/sandbox/probation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

enum class memory_place : std::uint8_t { host, device };

/// One array of a call. `where.data` is an address in that memory.
struct device_buffer {
    buffer where;
    memory_place place = memory_place::device;
};

/// One argument of a kernel: an array (the kernel receives its address), or bytes by value.
struct device_argument {
    static constexpr std::size_t by_value = static_cast<std::size_t>(-1);

    std::size_t buffer = by_value;  ///< index into device_call::buffers
    std::vector<std::byte> value{}; ///< when by value
};

/// Everything a device needs of one call. Refers to the caller's memory.
struct device_call {
    int ordinal = 0; ///< of the device
    std::vector<device_buffer> buffers;
    std::vector<device_argument> arguments; ///< in the kernel's order
};

/// How to measure.
struct device_bench_options {
    cache_state cache = cache_state::warm; ///< cold: the L2 cache is flushed before each run
    double precision = 0.01;               ///< relative half-width of the interval
    double timing_limit_s = 1.0;           ///< wall seconds for one timing
    bool as_graph = false;                 ///< launches are replayed from a CUDA graph
    bool compare_results = true; ///< false: any result will do; who asks looks at contents()
    /// Whether establish() may run the default a second time, from contents that nobody asked for:
    /// see perturb.hpp. Without it a variant that writes nothing passes where the result stands
    /// already.
    bool perturb = true;
    /// Whether establish() runs the default once more when it has learnt from it, to find a race.
    /// Without it a default and a variant have four runs together at most.
    bool repeat_default = true;
    /// What compares results where they are: device_compare_text, compiled. Without an image, or
    /// where it does not work, they are compared by the host.
    device_code comparison{};
};

/// Wall seconds until a run in compare() counts as hanging. What takes part has run before, so it
/// may take its time, however little is left for the comparison.
/// @param limit_s    of the comparison
/// @param default_s  of the default, as established; 0: not known
[[nodiscard]] constexpr double hang_limit_s(double limit_s, double default_s) noexcept
{
    return std::max(limit_s, first_run_limit_s(default_s));
}

/// Runs variants on private copies of the call's arrays: the caller's are read, never written.
/// A function that returns a failure leaves the bench usable, also after an error that no context
/// survives: whoever implements it starts anew with another context, or says that it cannot.
class device_bench {
public:
    virtual ~device_bench() = default;
    device_bench() = default;
    device_bench(device_bench const&) = delete;
    device_bench& operator=(device_bench const&) = delete;

    /// Runs the default configuration from the caller's contents; what it writes is what others are
    /// compared with, unless `expected` gives, per array, what is right (empty: not given).
    /// @param limit_s  wall seconds
    /// @return  seconds by events, or why it does not work
    [[nodiscard]] virtual probation_result
    establish(device_variant const& trusted,
              std::span<std::vector<std::byte> const> expected,
              double limit_s) = 0;

    /// Runs a variant once from the caller's contents and compares what it wrote.
    [[nodiscard]] virtual probation_result first_run(device_variant const& tried,
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

    /// How the program is protected from the variants: "worker: ...", "in process: as asked".
    [[nodiscard]] virtual std::string protection() const = 0;
};

/// A bench in this process, on the primary context of the device; waits for all work there first.
/// An error that no context survives takes that context, and so the program's own use of the
/// device, with it; a kernel that runs on after its time limit cannot be stopped, only waited for.
/// Every later call throws attune::error and says so.
///
/// Takes memory for each array twice (as it was, and to work on), for those that are written up to
/// five times; what only serves to find more mistakes is left out where there is no room.
/// Errors   attune::error: out of memory (with how much was asked and is free), an array that is
///          not on the device, or longer than its allocation
[[nodiscard]] std::unique_ptr<device_bench>
make_local_bench(std::shared_ptr<cuda::driver const> driver,
                 device_call call,
                 device_bench_options const& options);

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
