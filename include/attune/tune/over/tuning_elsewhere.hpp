// attune/tune/over/tuning_elsewhere.hpp - helps another process to tune: compiles and tries configurations of a call.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/record.hpp>
#include <attune/tune/device/device_target.hpp>
#include <attune/tune/dispatch/dispatch_parts.hpp>
#include <attune/tune/kernel/call_frame.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/trial.hpp>
#include <attune/tune/options.hpp>
#include <attune/tune/over/mpi/rank_messages.hpp>

#include <memory>
#include <optional>
#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Handles one configuration like a session, without a search. The worker compiles it, runs it for
/// the first time where a crash is harmless, compares it with the reference, and times it. Code
/// that this worker has measured is not measured again. Workers on the same processors measure in
/// turns (place_turn), and compile at any time. Between two calls the caller's data is as before.
class trial_worker {
public:
    /// Compiles and measures the default configuration, which others are compared with.
    /// @param problem  without its rival; a baseline is not run
    /// @pre     both outlive this object; one thread makes all calls
    /// Errors   errors of run_session()
    trial_worker(tuning_problem const& problem, tuning_options const& options);
    ~trial_worker();
    trial_worker(trial_worker const&) = delete;
    trial_worker& operator=(trial_worker const&) = delete;

    /// Time of a call of the default.
    [[nodiscard]] measurement const& default_time() const noexcept;
    /// @param stop_above_s  timing may end as soon as the variant is proven slower
    /// @return  the outcome, with the compiled code; is_cut: Ctrl-C came first, while the caller
    ///          had an interrupt_guard
    [[nodiscard]] tried_variant evaluate(point const& at, double stop_above_s);

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

/// Holds the turn of its kernel: calls on other threads are served like during a tuning.
class tuning_elsewhere {
public:
    /// @pre     the parts and the arrays of the call outlive this object
    /// Errors   errors of dispatch_table::tune(); attune::error: kernel.precondition(f) refuses the
    ///          call
    tuning_elsewhere(dispatch_parts& parts, keyed_call call);
    ~tuning_elsewhere();
    tuning_elsewhere(tuning_elsewhere const&) = delete;
    tuning_elsewhere& operator=(tuning_elsewhere const&) = delete;

    /// The facts that the call's times depend on.
    [[nodiscard]] record_key key() const;
    [[nodiscard]] description const& space() const;
    [[nodiscard]] bool has_configuration(point const& at) const;

    /// Compiles and measures the default, once.
    /// Errors   errors of trial_worker
    trial_worker& worker();

    [[nodiscard]] bool is_empty() const noexcept { return call_.frame.has_only_empty_arrays(); }
    /// Returns why the times of this process are useless; empty if they are useful. Measures the
    /// default.
    /// Errors   errors of trial_worker
    [[nodiscard]] std::string why_no_part();

    /// Serves the found configuration if it is right for the data of this process. Otherwise, or if
    /// the times of this process are useless, serves the default. Stores nothing.
    /// @return  the report, with notices on this process
    [[nodiscard]] tuning_report install(found_elsewhere found);

private:
    [[nodiscard]] compile_result code_for(point const& at);

    dispatch_parts& parts_;
    working const turn_;
    keyed_call call_;
    std::shared_ptr<served_inputs> of_{};
    std::shared_ptr<device_target const> device_{};
    std::optional<tuning_problem> problem_{};
    std::unique_ptr<trial_worker> worker_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/over/tuning_elsewhere.ipp>
#endif
