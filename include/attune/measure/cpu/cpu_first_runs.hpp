// attune/measure/cpu/cpu_first_runs.hpp - first runs of variants on this processor, and what they must give.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/callable.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/arrays/snapshot.hpp>
#include <attune/measure/bench.hpp>
#include <attune/measure/first_runs.hpp>
#include <attune/measure/sandbox/guarded.hpp>
#include <attune/measure/sandbox/isolation.hpp>
#include <attune/measure/sandbox/sandboxed_run.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Copies of a call's arrays in this process, and runs on them in forked children or under a signal
/// guard: the model of trial_place for this processor.
class cpu_trials {
public:
    using code_type = callable;
    using expectation = snapshot;
    static constexpr bool keeps_both_expectations = true;

    /// @param original  snapshot of the call's buffers; both outlive this object
    cpu_trials(trial_call const& call,
               isolation wanted,
               snapshot const& original,
               trial_limits const& limits = {});

    cpu_trials(cpu_trials const&) = delete;
    cpu_trials& operator=(cpu_trials const&) = delete;

    bool begin(bool is_perturbed);
    /// The default has to work, also where the user's reference says what is right: then it is
    /// compared with that.
    [[nodiscard]] first_run_result run_trusted(callable const& code, double limit_s);
    [[nodiscard]] first_run_result run(callable const& code, double limit_s, snapshot const& right);
    [[nodiscard]] snapshot take_expectation(std::optional<snapshot> spare);
    /// Where arrays overlap, or together take more than a gigabyte, they are not.
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

    /// What the user's check says of arrays at these addresses; or nothing.
    [[nodiscard]] std::string refusal(std::span<std::byte* const> data) const;
    [[nodiscard]] std::span<std::byte* const> own_addresses() const noexcept { return own_; }
    [[nodiscard]] std::span<std::string const> tolerated() const noexcept { return tolerated_; }
    [[nodiscard]] isolation_choice const& protection() const noexcept { return protection_; }

    /// From now on children are forked without the memory that is neither the copies nor these. A
    /// trial needs no more: not the caller's arrays, nor what else the program holds. A fork copies
    /// the tables of all other memory while no thread of the program can map or fault anything in,
    /// and each of them then copies every page it writes.
    void leave_memory_out(std::span<snapshot const* const> needed);

private:
    void fill(bool with_perturbed);
    void run_code(callable const& code) const;
    void run_right_code(callable const& code) const;
    [[nodiscard]] std::string thrown_by_trusted(callable const& code) const;
    [[nodiscard]] first_run_result
    run_once(std::function<void()> const& run, double limit_s, snapshot const* expected);
    [[nodiscard]] first_run_result
    run_in_fork(std::function<void()> const& run, double limit_s, snapshot const* expected);
    [[nodiscard]] first_run_result run_in_process(std::function<void()> const& run,
                                                  double limit_s,
                                                  snapshot const* expected) const;

    trial_call const& call_;
    snapshot const& original_;
    isolation wanted_;
    trial_limits limits_;
    isolation_choice protection_;
    std::vector<std::byte*> own_;           ///< the caller's addresses
    std::optional<guarded_copies> guarded_; ///< what first runs work on, where that is possible
    std::span<buffer const> buffers_;       ///< of `guarded_`, or the caller's
    std::span<std::byte* const> addresses_;
    std::optional<snapshot> seen_{}; ///< after the latest trusted run
    bool holds_perturbed_ = false;   ///< what `buffers_` hold now
    bool is_filled_ = false;         ///< they do, nothing has run on them since
    std::vector<std::string> tolerated_{};
    std::vector<address_range> without_{}; ///< memory that forked children do not get
};

/// Right is what the default variant (or the user's reference) makes of the same arrays, within
/// their tolerances; or what the user's check accepts. What first runs begin with: first_runs.
///
/// A variant fails, at stage `verify`, also when its result is right but it leaves the process
/// changed (see process_state), a child process, or 1 MiB or more of memory at each call.
/// What the default itself changes, the others may.
class cpu_first_runs {
public:
    /// @param original  snapshot of the call's buffers; both outlive this object
    cpu_first_runs(trial_call const& call,
                   isolation wanted,
                   snapshot const& original,
                   trial_limits const& limits = {})
        : call_(call)
        , trials_(call, wanted, original, limits)
        , original_(original)
    {
    }

    cpu_first_runs(cpu_first_runs const&) = delete;
    cpu_first_runs& operator=(cpu_first_runs const&) = delete;

    /// Runs the default and keeps its results. `limit_s` as below.
    /// @param second_run_up_to_s  a default that takes longer is not run on perturbed contents
    /// @return  as first_run: a failure when it does not work, and then there is nothing to compare
    [[nodiscard]] first_run_result
    establish(callable const& code, double limit_s, double second_run_up_to_s);

    /// Whether a variant works. @param limit_s  wall seconds for one run
    [[nodiscard]] first_run_result first_run(callable const& code, double limit_s)
    {
        return policy_.first_run(trials_, code, limit_s);
    }

    /// What is wrong with the caller's buffers after a run from the caller's contents; or nothing.
    [[nodiscard]] std::string objection() const;
    /// What the default leaves changed in the process.
    [[nodiscard]] std::span<std::string const> tolerated() const noexcept
    {
        return trials_.tolerated();
    }
    /// How the program is protected now; may change from fork to guard while a tuning goes on.
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

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/cpu/cpu_first_runs.ipp>
#endif
