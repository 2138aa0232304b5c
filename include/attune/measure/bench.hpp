// attune/measure/bench.hpp - where compiled variants are run, checked and timed: the one interface.
// SPDX-License-Identifier: MIT
//
// tested by tune/loop/make_bench.cpp
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/cache.hpp>
#include <attune/measure/clock/round_robin.hpp>
#include <attune/measure/clock/run_limits.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/measure/sandbox/sandboxed_run.hpp>
#include <attune/measure/shape_verdict.hpp>

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// One call of a kernel as a bench repeats it, without the kernel's types. Refers to the caller's
/// memory. In every `data` stands one address per buffer, used instead of the caller's memory.
struct trial_call {
    using addresses = std::span<std::byte* const>;

    std::span<buffer const> buffers{}; ///< one per array
    /// Calls the code at `entry`. Empty where a device runs it.
    std::function<void(void* entry, addresses data)> call{};
    void* idle = nullptr; ///< code for `call` that does nothing; null: there is none
    /// Writes the right results. Empty: those of the default are right.
    std::function<void(addresses data)> reference{};
    /// What is wrong with the results, or an empty text: replaces the comparison. May be empty.
    std::function<std::string(addresses data)> refusal{};
    /// Code that is only compared with: as the last one in compare() it drives no other out.
    void const* passenger = nullptr;
};

/// How any bench measures.
struct bench_options {
    cache_state cache = cache_state::warm; ///< what a timed call finds in the caches
    double precision = 0.01;               ///< relative half-width of the interval
    /// Wall seconds for the timing of one variant; a bench may have a shorter limit of its own.
    double timing_limit_s = std::numeric_limits<double>::infinity();
    double first_run_ratio = usual_first_run_ratio; ///< see tuning_options
    isolation protect = isolation::automatic;
    trial_limits trial{}; ///< of a first run in a forked child, beside its time
};

/// Where code runs: this processor (cpu_bench), a device (device_bench), or nowhere
/// (predicted_bench). A bench works on copies, or puts back what it changed: when a function
/// returns, the caller's data is what it was.
class bench {
public:
    virtual ~bench() = default;
    bench() = default;
    bench(bench const&) = delete;
    bench& operator=(bench const&) = delete;

    /// Runs the default and learns from it what is right. Comes before all others.
    /// @param limit_s  wall seconds of one run
    /// @return  seconds of a first run, or why the default does not work
    [[nodiscard]] virtual first_run_result establish(callable const& trusted, double limit_s) = 0;

    /// Runs a variant for the first time and compares what it wrote. `limit_s` and result as above.
    [[nodiscard]] virtual first_run_result first_run(callable const& tried, double limit_s) = 0;

    /// Whether an installed variant, tuned at another shape, gives at this one what the trusted
    /// code gives: on copies. Needs no establish(), and replaces what that has learnt.
    /// @param limit_s  wall seconds; a check that would take longer says `unknown`
    /// @return  of a device the executions there may have been at most, and the seconds of one
    ///          (of a device that repeats its default: device_bench_options, there may be more)
    /// Errors   none: what cannot be decided is `unknown`
    [[nodiscard]] virtual shape_verdict
    verify(callable const& trusted, callable const& tried, double limit_s);

    /// Repeats a variant that passed its first run until its time is known, or it is proven slower
    /// than `stop_above_s`. @param limit_s  wall seconds of one run
    /// @param record  takes the single times, where the bench keeps them
    [[nodiscard]] virtual outcome
    time(callable const& tried, double stop_above_s, double limit_s, timing_record& record) = 0;

    /// Times several variants in turns. @param limit_s  wall seconds of everything
    /// @return  or which of them did not survive that
    [[nodiscard]] virtual std::variant<round_times, std::size_t>
    compare(std::span<callable const> tried, double limit_s) = 0;

    /// Samples of code whose time is known already, one after another and taken as those of `how`
    /// were: how fast the machine is now. Empty where the bench has no such thing, or the code
    /// failed. @param limit_s  wall seconds of one run
    [[nodiscard]] virtual std::vector<time_sample> sample(callable const& /* known */,
                                                          timing_record const& /* how */,
                                                          std::size_t /* count */,
                                                          double /* limit_s */)
    {
        return {};
    }

    /// How the program is protected from the variants, and why so: "fork: as asked".
    [[nodiscard]] virtual std::string protection() const = 0;

    /// Another bench for the same problem, on another device. May be called, and what it returns be
    /// used, while another thread uses this one; this one outlives it.
    /// @return  null: there are no devices to choose from
    /// Errors   attune::error: the device cannot be used
    [[nodiscard]] virtual std::unique_ptr<bench> on_device(int /* ordinal */) const
    {
        return nullptr;
    }

    /// Tells which CPU time of this process belongs to no variant; see system_clocks.
    virtual void set_background(std::function<double()> /* cpu_s */) {}
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/bench.ipp>
#endif
