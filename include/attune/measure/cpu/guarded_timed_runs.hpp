// attune/measure/cpu/guarded_timed_runs.hpp - timed runs in this process, of variants that passed their first.
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

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// While it lives, variants run on the caller's buffers under a signal guard, and their results are
/// looked at after their first, second, fourth, eighth ... run and after the last. When it goes,
/// the caller's buffers hold their original contents, and handlers, modes and locale are those of
/// before: as far as process_state(false) looks, which beside other threads of the program is this
/// thread's own. At most one on a thread.
///
/// Example   guarded_timed_runs runs{call, first_runs, original, limit_s};
///           measurement const m = timer.time([&] { runs.prepare(); }, [&] { runs.run(code); });
///           runs.finish();
class guarded_timed_runs {
public:
    /// @param limit_s  wall seconds for each run. @pre  the references outlive this object
    guarded_timed_runs(trial_call const& call,
                       cpu_first_runs const& first_runs,
                       snapshot const& original,
                       double limit_s);
    ~guarded_timed_runs();
    guarded_timed_runs(guarded_timed_runs const&) = delete;
    guarded_timed_runs& operator=(guarded_timed_runs const&) = delete;

    /// Restores the caller's buffers. Several runs may follow before the next time; what they make
    /// of their own results is not looked at. Errors  `stopped` for the variant that ran last;
    /// detail::cut_short after Ctrl-C
    void prepare();
    /// One run. Errors  `stopped`: crash or timeout
    /// Cost  30 ns over the call itself, those of idle()
    void run(callable const& code);
    /// What does nothing but for that, with the kernel's arguments: for a timer's calibration,
    /// after prepare(). Empty where the call has no such function. It refers to this object.
    [[nodiscard]] std::function<void()> idle();
    /// Looks at the last result and at the process; nothing may run after it. Where the process has
    /// changed and several variants ran, each runs again alone, as often as it did, until one of
    /// them changes it once more; what none of them does alone came from elsewhere and is only put
    /// back. Errors  `stopped` for the variant of latest()
    void finish();

    /// The entry of the variant that ran last: whose failure a `stopped` is. Null before any run.
    [[nodiscard]] void const* latest() const noexcept { return latest_; }

private:
    void look_at_result() const;
    [[nodiscard]] std::string change_made_alone();
    std::uint64_t count_latest();

    struct run_counts {
        void* entry = nullptr;
        std::uint64_t all = 0;
        std::uint64_t visible = 0; ///< the only ones after a preparation: can be looked at
    };

    trial_call const& call_;
    cpu_first_runs const& first_runs_;
    snapshot const& original_;
    std::vector<std::byte*> addresses_;
    process_state before_{false};
    std::optional<signal_guard> guard_{};
    double limit_s_;
    std::vector<run_counts> runs_of_{};
    void* latest_ = nullptr;
    std::uint32_t since_prepared_ = 0;
    std::function<void()> call_latest_;
    std::function<void()> call_idle_;
    void* idle_entry_ = nullptr; ///< as latest_, so that a run of nothing writes as much
    std::uint32_t idle_runs_ = 0;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cpu/guarded_timed_runs.ipp>
#endif
