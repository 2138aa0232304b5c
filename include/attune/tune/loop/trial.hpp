// attune/tune/loop/trial.hpp - measures one variant: a first run, then its time.
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

namespace attune::inline ATTUNE_ABI::detail {

/// Seconds. What takes less is served by the default.
inline constexpr double shortest_tuned_call_s = 1e-6;

/// Of a default that takes so long there is no time to gain, and none that could be measured well.
[[nodiscard]] inline bool is_too_short(tuning_problem const& problem,
                                       measurement const& default_time)
{
    return !problem.predict && default_time.value < shortest_tuned_call_s;
}

/// The default configuration fails: without its output and time nothing can be tuned.
class default_fails : public error {
public:
    using error::error;
};

/// Throws default_fails with advice for the user.
[[noreturn]] void refuse_default(tuning_problem const& problem, failure const& why);

/// The outcome of a point, and its code if it works.
struct trial {
    outcome result;
    callable code{};        ///< empty unless `result` is a measurement
    double first_run_s = 0; ///< wall seconds; 0 if it did not finish
    timing_record timing{}; ///< empty if not timed now; see disturbed()
    /// Of the default's: wall seconds of what its result is compared with, a reference of its own.
    double reference_s = 0;
    bounded_values bounded{};
    /// Cut short by Ctrl-C: `result` is meaningless. Of the default: its energy is not known.
    bool is_cut = false;
};

/// Measures variants of one problem on its bench. Keeps the outcomes of known code and the time
/// limit of a run. Between trials the caller's buffers hold their contents of the construction.
class trial_runner {
public:
    /// @pre     problem and options outlive this object
    /// Errors   as make_bench(); attune::error: kernel.bound_energy() was called, and the bench
    ///          measures no energy
    trial_runner(tuning_problem const& problem, tuning_options const& options);
    trial_runner(trial_runner const&) = delete;
    trial_runner& operator=(trial_runner const&) = delete;

    /// Runs the default configuration: its output is the reference for all others.
    /// @param compiled  the result of compiling it
    /// @param known     its time, if measured before: it is not timed again, but its energy is
    ///                  measured where there is a bound on it
    /// Errors   default_fails, with the reason: nothing can be tuned; attune::error: it takes more
    ///          energy than its kernel may, or how much is not known
    [[nodiscard]] trial establish_reference(compile_result compiled,
                                            std::optional<measurement> const& known = {});

    /// @param stop_above_s  timing may end as soon as the variant is proven slower than this
    /// @pre   establish_reference() succeeded
    [[nodiscard]] trial run(compile_result compiled, double stop_above_s);

    /// The same for several variants: those with new code are measured at once, one per device. All
    /// are judged by the state before the call, so that the outcomes do not depend on which bench
    /// ends first. Ctrl-C cuts the current runs short.
    /// @return  one trial per variant, in the given order
    [[nodiscard]] std::vector<trial> run_all(std::vector<compile_result> compiled,
                                             double stop_above_s);
    /// CPU seconds of this process spent in threads for other devices.
    [[nodiscard]] double waiting_cpu_s() const noexcept { return pool_.cpu_s(); }
    /// How many variants are measured at once; constant.
    [[nodiscard]] std::size_t at_once() const noexcept { return pool_.size(); }

    /// Measures the user's own code like a variant; its outcome is not used for variants. @return
    /// why it is wrong, or its time @pre as run()
    [[nodiscard]] outcome run_baseline(callable const& own);

    /// Times several variants in turns.
    /// @param limit_s  wall seconds in total
    /// @return  the times; or the index of a variant that crashed or ran too long
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> variants,
                                                                 double limit_s);

    /// Sets the source of CPU time of this process that belongs to no trial; see system_clocks.
    void set_background(std::function<double()> cpu_s)
    {
        pool_.own().set_background(std::move(cpu_s));
    }

    /// How the program is protected from the variants, and why; on several devices, also the number
    /// of measurements of each.
    [[nodiscard]] std::string protection() const { return pool_.protection(); }
    /// Notices about the benches and their devices.
    [[nodiscard]] std::vector<std::string> notices() const { return pool_.notices(); }

    /// Adds an outcome from before an interruption, which variants with this code take.
    void seed_known(std::string const& object_key, outcome const& result)
    {
        if (!object_key.empty()) by_code_.emplace(object_key, result);
    }
    /// Number of trials that took the outcome of equal code.
    [[nodiscard]] std::uint32_t same_code() const noexcept { return same_code_; }
    /// The machine's slowdown, from a run of known time that is repeated after trials, see
    /// machine_pace::wants_probe(). Times of trials between slow probes are divided by the
    /// slowdown.
    [[nodiscard]] disturbance disturbed() const { return pace_.disturbed(); }

private:
    tuning_problem const& problem_;
    tuning_options const& options_;
    bench_pool pool_;
    /// Where a run leaves the error of its result; null: none does, or several run at once.
    [[nodiscard]] errors_seen* error_seen() const noexcept;
    void measure_energy(trial& made, bench& place, double limit_s) const;
    void measure_energy_of_default(trial& standard);
    void probe();
    void correct(trial& made, double best_s);

    std::unordered_map<std::string, outcome> by_code_;
    std::unordered_map<std::string, bounded_values> bounded_of_code_;
    callable known_{};          ///< the code that probes run
    timing_record known_how_{}; ///< how `known_` was timed
    machine_pace pace_{};
    double quickest_s_ = 0; ///< shortest first run so far
    std::uint32_t same_code_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/trial.ipp>
#endif
