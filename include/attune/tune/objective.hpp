// attune/tune/objective.hpp - enables a program to tune kernels by an objective of their own.
// SPDX-License-Identifier: MIT
//
// For kernel.objective(). The program links attune::objectives.
#pragma once

#ifndef ATTUNE_OFF
#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/cpu/cpu_bench.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/kernel/user_functions.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Times variants by a cpu_bench, and gives the kernel's objective the times and the results of one
/// more run. Its outcomes are the numbers that the search minimises: problem_objective::turned() of
/// the values. They have no samples, because probes of the machine's speed concern times alone.
class objective_bench final : public bench {
public:
    /// @pre     the kernel has an objective; `problem` outlives this object
    /// Errors   attune::error: the objective needs joules, and they cannot be measured
    objective_bench(tuning_problem const& problem, bench_options const& how);

    /// Fails also if the objective has no value for the default. Errors: errors of cpu_bench
    [[nodiscard]] first_run_result establish(callable const& trusted, double limit_s) override;
    [[nodiscard]] first_run_result first_run(callable const& tried, double limit_s) override
    {
        return times_.first_run(tried, limit_s);
    }
    /// Does not stop early: a slow variant may have the best value. After Ctrl-C the default has
    /// the value of its first run.
    [[nodiscard]] outcome time(callable const& tried, double stop_above_s, double limit_s,
                               timing_record& record) override;
    /// The values of all rounds; no variant leaves early. Joules are measured in turns after the
    /// times, for as many rounds as there is time.
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> tried,
                                                                 double limit_s) override;

    [[nodiscard]] std::string why_no_energy() const override { return times_.why_no_energy(); }
    [[nodiscard]] std::variant<call_energy, failure> energy(callable const& tried,
                                                            double limit_s) override
    {
        return times_.energy(tried, limit_s);
    }
    [[nodiscard]] std::string protection() const override { return times_.protection(); }
    [[nodiscard]] std::vector<std::string> notices() const override { return times_.notices(); }
    void set_background(std::function<double()> cpu_s) override
    {
        times_.set_background(std::move(cpu_s));
    }

private:
    /// Runs the code once, and gives its results and each of these calls to the objective.
    /// @param limit_s  wall seconds of the run
    /// @return  a turned value per call, or why one of them has none
    [[nodiscard]] std::variant<std::vector<double>, failure>
    turned_values(callable const& of, std::span<metered_call const> runs, double limit_s) const;
    /// The energy of a call, if the objective needs it.
    [[nodiscard]] std::variant<call_energy, failure> known_energy(callable const& of,
                                                                  double limit_s);
    /// @return  the index of a variant whose energy is not known
    [[nodiscard]] std::optional<std::size_t> add_joules(std::span<callable const> tried,
                                                        std::span<std::vector<metered_call>> runs,
                                                        double limit_s);

    tuning_problem const& problem_;
    stated_objective const& objective_;
    cpu_bench times_;
    void const* default_ = nullptr; ///< entry of the default
    double value_of_first_run_ = 0; ///< turned value of the default
};

/// Registers the bench of objectives for the kernels of this program.
void measure_objectives() noexcept;

/// Runs before the constructors of static objects, which may be kernels.
[[gnu::constructor(102), gnu::used]] static void measure_objectives_from_the_start() noexcept
{
    measure_objectives();
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/objective.ipp>
#endif
#endif // ATTUNE_OFF
