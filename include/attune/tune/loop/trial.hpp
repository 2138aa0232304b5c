// attune/tune/loop/trial.hpp - one variant measured: a first run, then its time.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/callable.hpp>
#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/timing_record.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/clock/pace.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/bench_pool.hpp>
#include <attune/tune/options.hpp>

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

namespace attune::inline ATTUNE_ABI {

/// The default configuration does not work: there is nothing to compare with, and it would be no
/// better outside of a tuning.
class default_fails : public error {
public:
    using error::error;
};

namespace detail {
/// Throws default_fails with what the user can do about it.
[[noreturn]] void refuse_default(tuning_problem const& problem, failure const& why);
} // namespace detail

/// What became of a point, and its code when it works.
struct trial {
    outcome result;
    callable code{};        ///< empty unless `result` is a measurement
    double first_run_s = 0; ///< wall seconds; 0 when it did not get to its end
    timing_record timing{}; ///< empty when it was not timed now; see trial_runner::disturbed()
    bool is_cut = false;    ///< by Ctrl-C: `result` proves nothing
};

/// Tries variants of one problem on the bench that it needs: which code has been measured already,
/// how long a run may take, what a default that does not work means. Between trials the caller's
/// buffers hold what they held when this was made.
class trial_runner {
public:
    /// @pre     problem and options outlive this object
    /// Errors   as make_bench()
    trial_runner(tuning_problem const& problem, tuning_options const& options);
    trial_runner(trial_runner const&) = delete;
    trial_runner& operator=(trial_runner const&) = delete;

    /// Runs the default configuration: its output is the reference for all others.
    /// @param compiled  what became of compiling it
    /// @param known     its time, when it was measured before: it is not timed again
    /// Errors  default_fails: nothing can be tuned then, and the text says why
    [[nodiscard]] trial establish_reference(compile_result compiled,
                                            std::optional<measurement> const& known = {});

    /// @param stop_above_s  timing may end as soon as the variant is proven slower than this
    /// @pre   establish_reference() succeeded
    [[nodiscard]] trial run(compile_result compiled, double stop_above_s);

    /// The same for several: those whose code is new are measured at once, each on a device, where
    /// there are so many. All are judged by what was known before the call: the outcomes do not
    /// depend on which bench ends first.
    /// Ctrl-C cuts short the runs that are going on.
    /// @return  what became of each, in the order given
    [[nodiscard]] std::vector<trial> run_all(std::vector<compile_result> compiled,
                                             double stop_above_s);
    /// CPU seconds of this process that went into waiting for other devices.
    [[nodiscard]] double waiting_cpu_s() const noexcept { return pool_.cpu_s(); }
    /// How many are measured at once; does not change.
    [[nodiscard]] std::size_t at_once() const noexcept { return pool_.size(); }

    /// Tries the user's own code like a variant, but what is found out of it says nothing of
    /// others. @return  why it is wrong, or its time  @pre  as run()
    [[nodiscard]] outcome run_baseline(callable const& own);

    /// Times several variants in turns.
    /// @param limit_s  wall seconds of everything
    /// @return  or which of them did not survive that
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> variants,
                                                                 double limit_s);

    /// Tells which CPU time of this process belongs to no trial; see system_clocks.
    void set_background(std::function<double()> cpu_s)
    {
        pool_.own().set_background(std::move(cpu_s));
    }

    /// How the program is protected from the variants, and why so; on several devices, also how
    /// many were measured where.
    [[nodiscard]] std::string protection() const { return pool_.protection(); }
    /// What the user should know of the devices.
    [[nodiscard]] std::vector<std::string> const& notices() const noexcept
    {
        return pool_.notices();
    }

    /// Adds an outcome from before an interruption: variants with this code take it.
    void seed_known(std::string const& object_key, outcome const& result)
    {
        if (!object_key.empty()) by_code_.emplace(object_key, result);
    }
    /// Trials whose object code had been measured before: they took that outcome.
    [[nodiscard]] std::uint32_t same_code() const noexcept { return same_code_; }
    /// What a run of known time, repeated after every trial, says of the machine. Times of trials
    /// between slow ones of those runs are divided by how slow these were.
    [[nodiscard]] disturbance disturbed() const { return pace_.disturbed(); }

private:
    tuning_problem const& problem_;
    tuning_options const& options_;
    bench_pool pool_;
    void probe();
    void correct(trial& made);

    std::unordered_map<std::string, outcome> by_code_;
    callable known_{};          ///< the code that probes run
    timing_record known_how_{}; ///< how it was timed
    machine_pace pace_{};
    double quickest_s_ = 0; ///< shortest first run so far
    std::uint32_t same_code_ = 0;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/trial.ipp>
#endif
