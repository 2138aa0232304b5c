// attune/tune/loop/test_bench.hpp - where compiled variants are run, checked and timed.
// SPDX-License-Identifier: MIT
//
// tested by tune/loop/make_bench.cpp
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/clock/round_robin.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/measure/sandbox/probation.hpp>
#include <attune/measure/shape_verdict.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What stands between the loop and the place where code runs: this processor (cpu_bench), a
/// device (cuda_bench), or nothing at all (predicted_bench). Works on copies, or puts back what it
/// changed: when a function returns, the caller's data is what it was.
class test_bench {
public:
    virtual ~test_bench() = default;
    test_bench() = default;
    test_bench(test_bench const&) = delete;
    test_bench& operator=(test_bench const&) = delete;

    /// Runs the default and learns from it what is right. Comes before all others.
    /// @param limit_s  wall seconds of one run
    /// @return  seconds of a first run, or why the default does not work
    [[nodiscard]] virtual probation_result establish(callable const& trusted, double limit_s) = 0;

    /// Runs a variant that nobody trusts yet. `limit_s` and result as above.
    [[nodiscard]] virtual probation_result first_run(callable const& tried, double limit_s) = 0;

    /// Whether an installed variant, tuned at another shape, gives at this one what the trusted
    /// code gives: on copies. Needs no establish(), and replaces what that has learnt.
    /// @param limit_s  wall seconds; a check that would take longer says `unknown`
    /// @return  of a device the executions there may have been at most, and the seconds of one
    /// @pre     tuning_problem::only_verifies, or there may be more
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
    [[nodiscard]] virtual std::unique_ptr<test_bench> on_device(int /* ordinal */) const
    {
        return nullptr;
    }

    /// Tells which CPU time of this process belongs to no variant; see system_clocks.
    virtual void set_background(std::function<double()> /* cpu_s */) {}
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/test_bench.ipp>
#endif
