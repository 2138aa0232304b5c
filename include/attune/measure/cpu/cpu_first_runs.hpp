// attune/measure/cpu/cpu_first_runs.hpp - first runs of variants on this processor, and their checks.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/content.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/first_runs.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/measure/sandbox/guarded.hpp>
#include <attune/measure/sandbox/isolation.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

class told_sentences;

/// The trial_place of this processor: copies of a call's arrays, and runs on them in forked
/// children or under a signal guard.
class cpu_trials {
public:
    using code_type = callable;
    using expectation = snapshot;
    static constexpr bool keeps_both_expectations = true;

    /// @param original  snapshot of the call's buffers. Both references must outlive this object
    cpu_trials(trial_call const& call, isolation wanted, snapshot const& original,
               trial_limits const& limits = {});

    cpu_trials(cpu_trials const&) = delete;
    cpu_trials& operator=(cpu_trials const&) = delete;

    /// Returns false for contents across zero if runs are not in forked children.
    bool begin(bool is_perturbed, bool across);
    /// Runs the default. The default must work even if the user gives a reference, because attune
    /// compares both results.
    [[nodiscard]] first_run_result run_trusted(callable const& code, double limit_s);
    [[nodiscard]] first_run_result run(callable const& code, double limit_s, snapshot const& right);
    [[nodiscard]] snapshot take_expectation(std::optional<snapshot> spare);
    /// Returns false if arrays overlap, or take more than 1 GiB together.
    [[nodiscard]] bool can_perturb() const noexcept { return guarded_.has_value(); }
    [[nodiscard]] bool confirms(callable const&, double, snapshot const&, bool) const noexcept
    {
        return true;
    }

    [[nodiscard]] std::span<buffer const> buffers() const noexcept { return buffers_; }
    [[nodiscard]] snapshot const& original_contents() const noexcept { return original_; }
    [[nodiscard]] snapshot const& contents_after(snapshot const& right) const { return right; }
    [[nodiscard]] snapshot perturbed_contents() const { return snapshot{buffers_}; }
    [[nodiscard]] snapshot const& contents_after_perturbed() const { return *seen_; }

    /// The result of the user's check of arrays at these addresses; empty: no objection.
    [[nodiscard]] std::string refusal(std::span<std::byte* const> data) const;
    [[nodiscard]] std::span<std::byte* const> own_addresses() const noexcept { return own_; }
    [[nodiscard]] std::span<std::string const> tolerated() const noexcept { return tolerated_; }
    [[nodiscard]] isolation_choice const& protection() const noexcept { return protection_; }

    /// From now on children are forked without memory other than the copies and `needed`. A fork
    /// copies the page tables of all included memory. Meanwhile no thread of the program can map
    /// memory or take a page fault; afterwards each thread copies every page that it writes.
    void leave_memory_out(std::span<snapshot const* const> needed);

private:
    void fill(bool with_perturbed, bool across);
    void run_code(callable const& code) const;
    void run_right_code(callable const& code) const;
    [[nodiscard]] std::string thrown_by_trusted(callable const& code) const;
    [[nodiscard]] first_run_result run_trusted_across(callable const& code, double limit_s);
    /// @param expected  the right results; null: run_once() compares no results and judges no
    ///                  remaining changes
    /// @param told      receives remaining changes if the run is in a child; may be null
    [[nodiscard]] first_run_result run_once(std::function<void()> const& run, double limit_s,
                                            snapshot const* expected, told_sentences const* told);
    [[nodiscard]] first_run_result run_in_fork(std::function<void()> const& run, double limit_s,
                                               snapshot const* expected,
                                               told_sentences const* told);
    [[nodiscard]] first_run_result run_in_process(std::function<void()> const& run, double limit_s,
                                                  snapshot const* expected) const;

    trial_call const& call_;
    snapshot const& original_;
    isolation wanted_;
    trial_limits limits_;
    isolation_choice protection_;
    std::vector<std::byte*> own_;           ///< addresses of the caller's arrays
    std::optional<guarded_copies> guarded_; ///< copies for first runs, if possible
    std::span<buffer const> buffers_;       ///< buffers of `guarded_`, or the caller's
    std::span<std::byte* const> addresses_;
    std::optional<snapshot> seen_{}; ///< results of the last trusted run
    bool holds_perturbed_ = false;   ///< `buffers_` were filled with perturbed contents
    bool holds_across_ = false;      ///< the perturbed contents were moved across zero
    bool is_filled_ = false;         ///< no run has changed `buffers_` since they were filled
    std::vector<std::string> tolerated_{};
    std::vector<address_range> without_{}; ///< memory excluded from forked children
};

/// First runs and their verdicts. The user's check decides, if there is one. Otherwise the
/// reference is the result of the default (or of the user's reference) on the same contents, within
/// the tolerances. For the contents see first_runs.
///
/// A variant with a right result fails, at stage `verify`, if it leaves a child process or a
/// changed process (see process_state). It also fails if each call leaves 1 MiB or more of memory
/// or a descriptor, or writes to a file. Changes that the default makes are tolerated.
class cpu_first_runs {
public:
    /// @param original  snapshot of the call's buffers. Both references must outlive this object
    cpu_first_runs(trial_call const& call, isolation wanted, snapshot const& original,
                   trial_limits const& limits = {})
        : call_(call)
        , trials_(call, wanted, original, limits)
        , original_(original)
    {
    }

    cpu_first_runs(cpu_first_runs const&) = delete;
    cpu_first_runs& operator=(cpu_first_runs const&) = delete;

    /// Runs the default and keeps its results.
    /// @param limit_s             wall seconds for one run
    /// @param second_run_up_to_s  a default that takes longer does not run on perturbed contents
    /// @return  seconds, or the reason why the default does not work
    [[nodiscard]] first_run_result establish(callable const& code, double limit_s,
                                             double second_run_up_to_s);

    /// Runs a variant for the first time. @param limit_s  wall seconds for one run
    [[nodiscard]] first_run_result first_run(callable const& code, double limit_s)
    {
        return policy_.first_run(trials_, code, limit_s);
    }

    /// Objection to the caller's buffers after a run from the caller's contents, or empty.
    [[nodiscard]] std::string objection() const;
    /// Changes of the process that the default makes.
    [[nodiscard]] std::span<std::string const> tolerated() const noexcept
    {
        return trials_.tolerated();
    }
    /// The protection of the program; may change from fork to guard during a tuning.
    [[nodiscard]] isolation_choice const& protection() const noexcept
    {
        return trials_.protection();
    }

private:
    trial_call const& call_;
    cpu_trials trials_;
    snapshot const& original_;
    first_runs<cpu_trials> policy_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cpu/cpu_first_runs.ipp>
#endif
