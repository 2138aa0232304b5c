// attune/tune/loop/trial.hpp - measures one variant, here or in other processes: a first run, then its time.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/compiler.hpp>
#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/clock/adaptive_timer.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/history_check.hpp>
#include <attune/tune/loop/make_bench.hpp>
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

/// Seconds. attune does not tune shorter calls: the default serves them.
inline constexpr double shortest_tuned_call_s = 1e-6;

/// Returns true if the default is so fast that no time can be gained or measured well.
[[nodiscard]] inline bool is_too_short(tuning_problem const& problem,
                                       measurement const& default_time)
{
    return !problem.predict && !problem.kernel.objective &&
           default_time.value < shortest_tuned_call_s;
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
    timing_record timing{}; ///< empty if this trial took no times; see disturbed()
    /// For the default: wall seconds of the separate reference that its result is compared with.
    double reference_s = 0;
    bounded_values bounded{};
    /// True if Ctrl-C cut the trial short: `result` then has no meaning. For the default, only the
    /// energy is then unknown.
    bool is_cut = false;
};

/// Measures variants of one problem on its bench. Keeps the outcomes of known code and the time
/// limit of a run. Between trials the caller's buffers have the contents that they had at
/// construction.
class trial_runner {
public:
    /// @pre     problem and options outlive this object
    /// Errors   errors of make_bench(); attune::error: kernel.bound_energy() was called, and the
    ///          bench measures no energy
    trial_runner(tuning_problem const& problem, tuning_options const& options);
    trial_runner(trial_runner const&) = delete;
    trial_runner& operator=(trial_runner const&) = delete;

    /// Runs the default configuration: its output is the reference for all others.
    /// @param compiled  the result of compiling it
    /// @param known     time of the default from an earlier session. The default is not timed
    ///                  again, but its energy is measured if the kernel bounds it
    /// Errors   default_fails, with the reason; attune::error: the energy of the default is unknown
    ///          or beyond the kernel's bound
    [[nodiscard]] trial establish_reference(compile_result compiled,
                                            std::optional<measurement> const& known = {});

    /// @param stop_above_s  timing may end as soon as the variant is proven slower than this
    /// @pre   establish_reference() succeeded
    [[nodiscard]] trial run(compile_result compiled, double stop_above_s);

    /// Does the same for several variants. The benches measure variants with new code at the same
    /// time, one on each device. All trials use the limits from before the call, so that outcomes
    /// do not depend on which bench ends first. Ctrl-C cuts the current runs short.
    /// @return  one trial per variant, in the given order
    [[nodiscard]] std::vector<trial> run_all(std::vector<compile_result> compiled,
                                             double stop_above_s);
    /// CPU seconds of this process spent in threads for other devices.
    [[nodiscard]] double waiting_cpu_s() const noexcept { return pool_.cpu_s(); }
    /// Number of variants that are measured at once; constant.
    [[nodiscard]] std::size_t at_once() const noexcept { return pool_.size(); }

    /// Measures the baseline like a variant. No variant takes its outcome.
    /// @return  the time, or why the baseline is wrong
    /// @pre     establish_reference() succeeded
    [[nodiscard]] outcome run_baseline(callable const& own);
    /// Makes the results of this code the reference of later variants. run_baseline() found them
    /// equal to those of the default. If they differ in a further run, the default stays the
    /// reference.
    void refer_to(callable const& own);

    /// @param limit_s  wall seconds in total
    /// @return  the times; or the index of a variant that crashed or ran too long
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> variants,
                                                                 double limit_s);

    /// Sets the source of this process's CPU time outside of trials; see system_clocks.
    void set_background(std::function<double()> cpu_s)
    {
        pool_.own().set_background(std::move(cpu_s));
    }

    /// Says how and why the program is protected from the variants. With several devices it also
    /// gives the number of measurements on each.
    [[nodiscard]] std::string protection() const { return pool_.protection(); }
    [[nodiscard]] std::vector<std::string> notices() const { return pool_.notices(); }

    /// Adds an outcome from before an interruption, for variants with this code.
    void seed_known(std::string const& object_key, outcome const& result)
    {
        if (!object_key.empty()) by_code_.emplace(object_key, result);
    }
    /// Number of trials that took the outcome of equal code.
    [[nodiscard]] std::uint32_t same_code() const noexcept { return same_code_; }
    /// The machine's slowdown. The runner repeats a known run after trials, as a probe: see
    /// machine_pace::wants_probe(). The times of trials between slow probes are divided by the
    /// slowdown.
    [[nodiscard]] disturbance disturbed() const { return pace_.disturbed(); }

private:
    tuning_problem const& problem_;
    tuning_options const& options_;
    bench_pool pool_;
    /// Place for the error of a run's result; null without errors or with several runs at once.
    [[nodiscard]] errors_seen* error_seen() const noexcept;
    void measure_energy(trial& made, bench& place, double limit_s) const;
    void measure_energy_of_default(trial& standard);
    /// Makes the trial a failure if its code fails in other calls of the shape, though it was right
    /// in the first run.
    /// @return  false: its time is far above the best, and nothing was checked
    bool judge_in_other_calls(trial& made, double best_s);
    void probe();
    void correct(trial& made, double best_s);

    page_starts page_starts_;
    std::unordered_map<std::string, outcome> by_code_;
    std::unordered_map<std::string, bounded_values> bounded_of_code_;
    callable default_{};
    callable known_{}; ///< the code that probes run
    timing_record known_how_{};
    machine_pace pace_{};
    double quickest_s_ = 0; ///< shortest first run so far
    std::uint32_t same_code_ = 0;
};

/// A variant that another process compiled and tried.
struct tried_variant {
    point at{};
    trial made{};                   ///< its code has a key and seconds, but is not loaded
    std::vector<double> features{}; ///< its code metrics; empty: none
};

/// Places in other processes. Each compiles, checks and times one configuration at a time, like
/// this process: see trial_worker. The session gives each free place the next configuration at
/// once, takes outcomes in the order of arrival, and decides when the search ends. Only the
/// session's thread calls this object.
class trials_elsewhere {
public:
    trials_elsewhere() = default;
    trials_elsewhere(trials_elsewhere const&) = delete;
    trials_elsewhere& operator=(trials_elsewhere const&) = delete;
    virtual ~trials_elsewhere() = default;

    /// The session calls this after it has measured the default in its own process.
    virtual void begin(measurement const& default_time) = 0;
    /// Returns true if a place works or may soon work. Without a place the session continues alone,
    /// and looks for places between two evaluations.
    [[nodiscard]] virtual bool has_place() const = 0;
    [[nodiscard]] virtual std::size_t idle() const = 0;
    /// Number of given configurations whose outcomes have not arrived and are not overdue.
    [[nodiscard]] virtual std::size_t pending() const = 0;
    /// Gives a free place a configuration. Returns at once.
    /// @param stop_above_s  timing may end as soon as the variant is proven slower
    virtual void submit(point const& at, double stop_above_s) = 0;
    /// Returns all arrived outcomes as soon as there is one; otherwise after about so many seconds.
    [[nodiscard]] virtual std::vector<tried_variant> wait(double seconds) = 0;
    /// Returns true if Ctrl-C was pressed at another process.
    [[nodiscard]] virtual bool wants_stop() const = 0;
    /// Sentences for the report, at the end.
    [[nodiscard]] virtual std::vector<std::string> notices() const = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/trial.ipp>
#endif
