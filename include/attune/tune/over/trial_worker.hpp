// attune/tune/over/trial_worker.hpp - compiles and tries single configurations of a problem for a session elsewhere.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/trials_elsewhere.hpp>
#include <attune/tune/options.hpp>

#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

/// What a session does with a configuration, without a search: it is compiled, run for the first
/// time where a crash costs nothing, compared with the reference, and timed. Code that this worker
/// has measured is not measured again. Workers on the same processors measure in turns
/// (place_turn), and compile at any time. Between two calls the caller's data is as before.
class trial_worker {
public:
    /// Compiles and measures the default configuration, with which others are compared.
    /// @param problem  without its rival; a baseline is not run
    /// @pre     both outlive this object; all calls are made by one thread
    /// Errors   as run_session()
    trial_worker(tuning_problem const& problem, tuning_options const& options);
    ~trial_worker();
    trial_worker(trial_worker const&) = delete;
    trial_worker& operator=(trial_worker const&) = delete;

    /// Of a call of the default.
    [[nodiscard]] measurement const& default_time() const noexcept;
    /// @param stop_above_s  timing may end as soon as it is proven slower
    /// @return  the outcome, with the code that was compiled; is_cut: Ctrl-C came first,
    ///         which is noticed where the caller has an interrupt_guard
    [[nodiscard]] tried_variant evaluate(point const& at, double stop_above_s);

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/over/trial_worker.ipp>
#endif
