// attune/measure/cpu/guarded_timed_runs.hpp - timed runs in this process, after a successful first run.
// SPDX-License-Identifier: MIT
// Bench    bench/measure/overhead.cpp
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/snapshot.hpp>
#include <attune/measure/cpu/cpu_first_runs.hpp>
#include <attune/measure/sandbox/process_state.hpp>
#include <attune/measure/sandbox/signal_guard.hpp>
#include <attune/measure/turns/timing_turns.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Runs variants on the caller's buffers under a signal guard, and checks their results after the
/// first, second, fourth, eighth ... run and after the last. The destructor restores the buffers'
/// original contents, and the handlers, modes and locale that process_state(false) covers (with
/// other threads in the program: those of this thread). At most one per thread.
///
/// Example   guarded_timed_runs runs{call, first_runs, original, limit_s};
///           measurement const m = timer.time([&] { runs.prepare(); }, [&] { runs.run(code); });
///           runs.finish();
class guarded_timed_runs {
public:
    /// @param limit_s  wall seconds for each run
    /// @param turn     to which the runs belong; null: none
    /// @pre  all references outlive this object
    guarded_timed_runs(trial_call const& call, cpu_first_runs const& first_runs,
                       snapshot const& original, double limit_s,
                       timing_turns::turn* turn = nullptr);
    ~guarded_timed_runs();
    guarded_timed_runs(guarded_timed_runs const&) = delete;
    guarded_timed_runs& operator=(guarded_timed_runs const&) = delete;

    /// Restores the caller's buffers. When several runs follow without another prepare(), their
    /// results are not checked.
    /// Errors   `stopped` for the variant that ran last; detail::cut_short after Ctrl-C
    void prepare();
    /// One run.
    /// Errors   `stopped`: crash or timeout
    /// Cost  30 ns besides the call, the same as idle()
    void run(callable const& code);
    /// A run of nothing with the kernel's arguments, for a timer's calibration after prepare().
    /// Empty when the call has no idle function. It refers to this object.
    [[nodiscard]] std::function<void()> idle();
    /// Checks the last result and the process; nothing may run afterwards. When the process has
    /// changed and several variants ran, each runs again alone, as often as before, until one of
    /// them makes the change again; a change that none makes alone is restored and ignored.
    /// Errors  `stopped` for the variant of latest()
    void finish();

    /// The entry of the variant that ran last, to which a `stopped` refers. Null before any run.
    [[nodiscard]] void const* latest() const noexcept { return latest_; }

private:
    void look_at_result() const;
    [[nodiscard]] std::string change_made_alone();
    std::uint64_t count_latest();

    struct run_counts {
        void* entry = nullptr;
        std::uint64_t all = 0;
        std::uint64_t visible = 0; ///< single runs after a prepare(): their results can be checked
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
    void* idle_entry_ = nullptr; ///< idle() writes it, as run() writes latest_
    std::uint32_t idle_runs_ = 0;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cpu/guarded_timed_runs.ipp>
#endif
