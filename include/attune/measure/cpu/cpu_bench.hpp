// attune/measure/cpu/cpu_bench.hpp - the bench for this processor, and its timed runs after a first run.
// SPDX-License-Identifier: MIT
// Bench    bench/measure/overhead.cpp
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/clock/sampler.hpp>
#include <attune/measure/clock/time_in_turns.hpp>
#include <attune/measure/cpu/cpu_first_runs.hpp>
#include <attune/measure/sandbox/process_state.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>
#include <attune/measure/timing_turns.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Times calls with the cache state and precision of bench_options. The caller's `prepare` restores
/// the data before each timed call.
class variant_timing {
public:
    /// @param buffers  of the calls  @pre their memory outlives this object
    variant_timing(std::span<buffer const> buffers, bench_options const& options);

    /// Sets the run whose time is subtracted from the following calls.
    /// @param idle  a run of nothing, wrapped as the calls are; empty: calls are not wrapped
    void take_off(std::function<void()> idle) { idle_ = std::move(idle); }

    /// From now on warm-up runs of time() may count as samples: timed code has run before.
    void count_warm_ups() noexcept { counts_warm_ups_ = true; }

    /// Repeats a call until its time is precise, or proven longer than `stop_above_s`. A call too
    /// short for the clock is repeated within a sample, if caches are warm and a second call writes
    /// the same results.
    /// @param prepare           restores the data
    /// @param background_cpu_s  see system_clocks
    /// @param record            receives the samples; may be null
    /// Errors   exceptions of `prepare` and the call
    [[nodiscard]] measurement time(std::function<void()> const& prepare,
                                   std::function<void()> const& call, double stop_above_s,
                                   std::function<double()> const& background_cpu_s = {},
                                   timing_record* record = nullptr);

    /// Times several calls in turns. Short ones are repeated within a sample, like in time().
    /// @param limit_s     wall seconds of the whole comparison
    /// @param passengers  see time_in_turns_options
    /// Errors   exceptions of `prepare` and the calls
    [[nodiscard]] round_times compare(std::function<void()> const& prepare,
                                      std::span<std::function<void()> const> calls, double limit_s,
                                      std::size_t passengers = 0);

    /// Takes `count` samples of a call, with the clock and the runs per sample of `how`.
    /// Errors   exceptions of `prepare` and the call
    [[nodiscard]] std::vector<time_sample> sample(std::function<void()> const& prepare,
                                                  std::function<void()> const& call,
                                                  timing_record const& how, std::size_t count);

    /// The energy of a call, by the counters of the options, without the energy of `prepare` and of
    /// evicting caches. After one complete run, takes at most the time limit of one variant.
    /// @param between  called before each run; its time and energy do not count
    /// Errors   exceptions of `prepare` and the call; detail::cut_short after Ctrl-C
    [[nodiscard]] call_energy energy(std::function<void()> const& prepare,
                                     std::function<void()> const& call,
                                     std::function<void()> const& between);

private:
    [[nodiscard]] std::function<void()> ready(std::function<void()> const& prepare);

    std::span<buffer const> buffers_;
    bench_options options_;
    cache_eviction caches_;
    std::function<void()> idle_{};
    bool counts_warm_ups_ = false;
};

/// Runs variants on the caller's buffers under a signal guard. Checks results after the first,
/// second, fourth, eighth ... run and after the last. The destructor restores the buffers' original
/// contents, and the handlers, modes and locale of process_state(false). With other threads in the
/// program, it restores this thread's state only. At most one per thread.
///
/// Example   guarded_timed_runs runs{call, first_runs, original, limit_s};
///           measurement const m = timer.time([&] { runs.prepare(); }, [&] { runs.run(code); });
///           runs.finish();
class guarded_timed_runs {
public:
    /// @param limit_s  wall seconds for each run
    /// @param turn     turn of the runs; null: none
    /// @pre  all references outlive this object
    guarded_timed_runs(trial_call const& call, cpu_first_runs const& first_runs,
                       snapshot const& original, double limit_s,
                       timing_turns::turn* turn = nullptr);
    ~guarded_timed_runs();
    guarded_timed_runs(guarded_timed_runs const&) = delete;
    guarded_timed_runs& operator=(guarded_timed_runs const&) = delete;

    /// Restores the caller's buffers. Results are checked only if one run follows before the next
    /// prepare().
    /// Errors   `stopped` for the variant that ran last; detail::cut_short after Ctrl-C
    void prepare();
    /// Errors   `stopped`: crash or timeout
    /// Cost  30 ns besides the call, the same as idle()
    void run(callable const& code);
    /// A run of nothing with the kernel's arguments, for a timer's calibration after prepare().
    /// Empty if the call has no idle function. The result refers to this object.
    [[nodiscard]] std::function<void()> idle();
    /// Checks the last result and the process; nothing may run afterwards. If the process has
    /// changed and several variants ran, each variant runs again alone, as often as before, until
    /// one makes the change again. A change that no variant makes alone is restored and ignored.
    /// Errors  `stopped` for the variant of latest()
    void finish();

    /// Entry of the variant that ran last, which a `stopped` concerns. Null before any run.
    [[nodiscard]] void const* latest() const noexcept { return latest_; }

private:
    void look_at_result() const;
    [[nodiscard]] std::string change_made_alone();
    std::uint64_t count_latest();

    struct run_counts {
        void* entry = nullptr;
        std::uint64_t all = 0;
        std::uint64_t visible = 0; ///< single runs after a prepare(); their results can be checked
    };

    trial_call const& call_;
    cpu_first_runs const& first_runs_;
    snapshot const& original_;
    std::vector<std::byte*> addresses_;
    process_state before_{false};
    std::optional<signal_guard> guard_{};
    double limit_s_;
    timing_turns::turn* turn_;
    std::vector<run_counts> runs_of_{};
    void* latest_ = nullptr;
    std::uint32_t since_prepared_ = 0;
    std::function<void()> call_latest_;
    std::function<void()> call_idle_;
    void* idle_entry_ = nullptr; ///< idle() writes this member, as run() writes latest_
    std::uint32_t idle_runs_ = 0;
};

/// cpu_first_runs makes first runs in a forked child; guarded_timed_runs makes timed runs in this
/// process. A timed run waits for its turn among all timings on these processors, see timing_turns.
/// An energy run waits for a turn at all processors, because the counters count whole packages.
class cpu_bench final : public bench {
public:
    /// Copies every writable buffer. @pre the memory of the call outlives this object
    cpu_bench(trial_call call, bench_options const& options);
    ~cpu_bench() override;

    [[nodiscard]] first_run_result establish(callable const& trusted, double limit_s) override;
    [[nodiscard]] first_run_result first_run(callable const& tried, double limit_s) override;
    [[nodiscard]] outcome time(callable const& tried, double stop_above_s, double limit_s,
                               timing_record& record) override;
    [[nodiscard]] std::variant<round_times, std::size_t> compare(std::span<callable const> tried,
                                                                 double limit_s) override;
    [[nodiscard]] std::vector<time_sample> sample(callable const& known, timing_record const& how,
                                                  std::size_t count, double limit_s) override;
    [[nodiscard]] std::string why_no_energy() const override
    {
        return detail::why_no_energy(options_.energy);
    }
    [[nodiscard]] std::variant<call_energy, failure> energy(callable const& tried,
                                                            double limit_s) override;
    [[nodiscard]] std::string protection() const override { return first_runs_.protection().why; }
    [[nodiscard]] std::vector<std::string> notices() const override;
    void set_background(std::function<double()> cpu_s) override
    {
        background_cpu_s_ = std::move(cpu_s);
    }

    /// Guards runs on the caller's arrays; the destructor of the result restores the arrays.
    /// @param limit_s  wall seconds for each run
    /// @param turn     turn of these runs; null: they are not timed
    [[nodiscard]] guarded_timed_runs watch(double limit_s,
                                           timing_turns::turn* turn = nullptr) const;

private:
    /// Runs `body`, which gets a function that wraps the code at an address. Results are not
    /// checked, because the code has passed its checks. Restores the process and the arrays
    /// afterwards.
    /// Errors   `stopped`: crash or timeout
    void unchecked(
        double limit_s,
        std::function<void(std::function<std::function<void()>(void*)> const&)> const& body) const;

    trial_call call_;
    bench_options options_;
    snapshot original_;
    variant_timing timing_;
    cpu_first_runs first_runs_;
    timing_turns turns_;
    timing_turns energy_turns_;
    std::function<double()> background_cpu_s_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cpu/cpu_bench.ipp>
#endif
