// attune/measure/bench.hpp - the interface for running, checking and timing compiled variants.
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
#include <attune/measure/call_energy.hpp>
#include <attune/measure/clock/run_limits.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/measure/clock/time_in_turns.hpp>
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

/// One call of a kernel, without the kernel's types. It refers to the caller's memory; a function
/// with a parameter `data` works on the memory at these addresses instead, one per buffer.
struct trial_call {
    using addresses = std::span<std::byte* const>;

    std::span<buffer const> buffers{}; ///< one per array
    /// Calls the code at `entry`. Empty when a device runs the code.
    std::function<void(void* entry, addresses data)> call{};
    void* idle = nullptr; ///< code for `call` that does nothing; null: none
    /// Writes the reference results. Empty: the default's results are the reference.
    std::function<void(addresses data)> reference{};
    /// Returns what is wrong with the results, or an empty text; replaces the comparison. May be
    /// empty.
    std::function<std::string(addresses data)> refusal{};
    /// Called once the default has run from the caller's contents, before it runs from others.
    std::function<void()> after_default{};
    /// Code that, as the last one in compare(), is timed without excluding slower variants.
    void const* passenger = nullptr;
};

/// Options of every bench.
struct bench_options {
    cache_state cache = cache_state::warm; ///< what a timed call finds in the caches
    double precision = 0.01;               ///< relative half-width of the interval
    /// Wall seconds for timing one variant; a bench may have a shorter limit of its own.
    double timing_limit_s = std::numeric_limits<double>::infinity();
    double first_run_ratio = detail::usual_first_run_ratio; ///< see tuning_options
    isolation protect = isolation::automatic;
    trial_limits trial{}; ///< limits of a first run in a forked child, besides its time
    /// Measures what energy() returns; null: there is none.
    std::shared_ptr<detail::energy_source const> energy{};
};

/// Runs code on this processor (cpu_bench), on a device (device_bench) or nowhere
/// (predicted_bench). When a function returns, the caller's data is unchanged: a bench works on
/// copies or restores.
class bench {
public:
    virtual ~bench() = default;
    bench() = default;
    bench(bench const&) = delete;
    bench& operator=(bench const&) = delete;

    /// Runs the default and keeps its results as reference. Call it before the other functions.
    /// @param limit_s  wall seconds of one run
    /// @return  seconds of a first run, or why the default does not work
    [[nodiscard]] virtual first_run_result establish(callable const& trusted, double limit_s) = 0;

    /// Runs a variant for the first time and compares its results. Parameters as establish().
    [[nodiscard]] virtual first_run_result first_run(callable const& tried, double limit_s) = 0;

    /// Checks on copies whether an installed variant, tuned at another shape, gives the results of
    /// the trusted code. Needs no establish(), and replaces its reference.
    /// @param limit_s  wall seconds; a check that would take longer returns `unknown`
    /// @return  for a device: at most as many executions as stated, and the seconds of one (see
    ///          device_bench_options if the device repeats its default)
    /// Errors   none: what cannot be decided is `unknown`
    [[nodiscard]] virtual shape_verdict verify(callable const& trusted, callable const& tried,
                                               double limit_s);

    /// Repeats a variant that passed its first run until its time is precise, or proven longer than
    /// `stop_above_s`. @param limit_s  wall seconds of one run
    /// @param record  receives the single times, if the bench keeps them
    [[nodiscard]] virtual outcome time(callable const& tried, double stop_above_s, double limit_s,
                                       timing_record& record) = 0;

    /// Times several variants in turns. @param limit_s  wall seconds of the whole comparison
    /// @return  the times, or the index of a variant that failed
    [[nodiscard]] virtual std::variant<round_times, std::size_t>
    compare(std::span<callable const> tried, double limit_s) = 0;

    /// Samples of code with a known time, taken in the same way as those of `how`: they show how
    /// fast the machine is now. Empty when the bench has no samples or the code failed.
    /// @param limit_s  wall seconds of one run
    [[nodiscard]] virtual std::vector<time_sample> sample(callable const& /* known */,
                                                          timing_record const& /* how */,
                                                          std::size_t /* count */,
                                                          double /* limit_s */)
    {
        return {};
    }

    /// Why energy() has no answer, in a sentence; empty: it has one.
    [[nodiscard]] virtual std::string why_no_energy() const
    {
        return "energy is measured of code that runs on this processor only";
    }
    /// The energy of a call of a variant that passed its first run, with the same state of the
    /// caches as a timed call; without what it takes to restore the arguments.
    /// @param limit_s  wall seconds of one run
    /// Errors   attune::error: a counter cannot be read any more
    [[nodiscard]] virtual std::variant<call_energy, failure> energy(callable const& /* tried */,
                                                                    double /* limit_s */)
    {
        return failure{failure_stage::bound, why_no_energy()};
    }

    /// How the program is protected from variants, and why: "fork: as asked".
    [[nodiscard]] virtual std::string protection() const = 0;

    /// What may have disturbed the times, in sentences.
    [[nodiscard]] virtual std::vector<std::string> notices() const { return {}; }

    /// A bench for the same problem on another device, which this bench outlives. Another thread
    /// may use this bench during the call and afterwards.
    /// @return  null: there are no devices to choose from
    /// Errors   attune::error: the device cannot be used
    [[nodiscard]] virtual std::unique_ptr<bench> on_device(int /* ordinal */) const
    {
        return nullptr;
    }

    /// Sets the CPU time of this process that is not part of any run; see system_clocks.
    virtual void set_background(std::function<double()> /* cpu_s */) {}
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/bench.ipp>
#endif
