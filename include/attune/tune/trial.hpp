// attune/tune/trial.hpp - one variant put to the test: tried in a child, then timed.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> compile -> measure -> remember, closed by tune
// In       a problem and compiled variants of it
// Out      an outcome for each; the caller's data is as it was when the runner goes
// Source   own
// Depends  std only
// Tests    tests/tune/trial.cpp
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/measure/probation.hpp>
#include <attune/measure/snapshot.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/problem.hpp>
#include <attune/tune/proving_ground.hpp>
#include <attune/tune/timing.hpp>
#include <attune/tune/watched_runs.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace attune {

/// What became of a point, and its code when it works.
struct trial {
    outcome result;
    callable code{};        ///< empty unless `result` is a measurement
    double first_run_s = 0; ///< wall seconds; 0 when it did not get to its end
};

/// Tries variants of one problem. Between trials the caller's buffers hold what they held
/// when this was made.
class trial_runner {
public:
    /// Copies every writable buffer. @pre problem and options outlive this object
    trial_runner(tuning_problem const& problem, tuning_options const& options);
    ~trial_runner();
    trial_runner(trial_runner const&) = delete;
    trial_runner& operator=(trial_runner const&) = delete;

    /// Runs the default configuration: its output is the reference for all others.
    /// @param compiled  what became of compiling it
    /// @param known     its time, when it was measured before: it is not timed again
    /// Errors  attune::error when it fails: nothing can be tuned then, and the text says why
    [[nodiscard]] trial establish_reference(compile_result compiled,
                                            std::optional<measurement> const& known = {});

    /// @param stop_above_s  timing may end as soon as the variant is proven slower than this
    /// @pre   establish_reference() succeeded
    [[nodiscard]] trial run(compile_result compiled, double stop_above_s);

    /// Times several variants in turns.
    /// @param limit_s  wall seconds of everything
    /// @return  or which of them did not survive that
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> variants,
                                                                 double limit_s);

    /// Tells which CPU time of this process belongs to no trial; see system_clocks.
    void set_background(std::function<double()> cpu_s) { background_cpu_s_ = std::move(cpu_s); }

    /// For runs outside of run() and compare(): guarded, and restored when the result goes.
    /// @param limit_s  wall seconds for each run
    [[nodiscard]] watched_runs watch(double limit_s) const;

    /// How the program is protected from the variants, and why so.
    [[nodiscard]] isolation_choice const& protection() const noexcept
    {
        return ground_.protection();
    }

    /// An outcome from before an interruption: variants with this code take it.
    void know(std::string const& object_key, outcome const& result)
    {
        if (!object_key.empty()) by_code_.emplace(object_key, result);
    }
    /// Trials whose object code had been measured before: they took that outcome.
    [[nodiscard]] std::uint32_t same_code() const noexcept { return same_code_; }

private:
    /// Its wall seconds, with which `quickest_s_` is brought up to date.
    [[nodiscard]] probation_result first_run(callable const& code, double limit_s);
    [[nodiscard]] outcome time(callable const& code, double stop_above_s, double limit_s);

    tuning_problem const& problem_;
    tuning_options const& options_;
    snapshot original_;
    variant_timing timing_;
    proving_ground ground_;
    std::unordered_map<std::string, outcome> by_code_;
    double quickest_s_ = 0; ///< shortest first run so far
    std::uint32_t same_code_ = 0;
    std::function<double()> background_cpu_s_{};
};

} // namespace attune
