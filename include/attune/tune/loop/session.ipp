// attune/tune/loop/session.ipp - a session in steps, and as a whole.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/tune/kernel/own_code.hpp>
#include <attune/tune/kernel/problem.hpp>
#include <attune/tune/loop/detail/tuning_session.hpp>
#include <attune/tune/loop/session.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The problem of a session, with any baseline added to its frame, and the session's work.
struct stepped_session::parts {
    parts(tuning_problem const& problem, tuning_options const& options, session_memory memory)
        : frame(problem.kernel.baseline ? with_baseline(problem.frame, problem.kernel)
                                        : problem.frame)
        , of{problem.kernel,
             problem.space,
             problem.default_at,
             problem.compiler,
             frame,
             problem.device,
             problem.predict,
             problem.rival,
             false,
             problem.kernel.error ? std::make_shared<shared_with_child<errors_seen>>() : nullptr,
             problem.sizes,
             problem.guard}
        , work(of, options, std::move(memory))
    {
        work.open();
    }
    call_frame const frame;
    tuning_problem const of;
    tuning_session work;
};

ATTUNE_INLINE stepped_session::stepped_session(tuning_problem const& problem,
                                               tuning_options const& options, session_memory memory)
{
    watch_program_end();
    parts_ = std::make_unique<parts>(problem, options, std::move(memory));
}
ATTUNE_INLINE stepped_session::~stepped_session() = default;

ATTUNE_INLINE bool stepped_session::step() { return parts_->work.step(); }
ATTUNE_INLINE void stepped_session::allow(std::uint64_t evaluations, double seconds)
{
    parts_->work.allow(evaluations, seconds);
}
ATTUNE_INLINE void stepped_session::rest() { parts_->work.rest(); }
ATTUNE_INLINE session_state stepped_session::state() { return parts_->work.state(); }
ATTUNE_INLINE session_result stepped_session::finish() { return parts_->work.finish(); }

ATTUNE_INLINE session_result run_session(tuning_problem const& problem,
                                         tuning_options const& options, session_memory memory)
{
    stepped_session work(problem, options, std::move(memory));
    while (work.step()) {
    }
    return work.finish();
}

} // namespace attune::inline ATTUNE_ABI::detail
