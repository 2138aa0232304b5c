// attune/tune/loop/session.ipp - a session in steps and as a whole, and a count.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/program_end.hpp>
#include <attune/core/version.hpp>
#include <attune/measure/sandbox/child_process.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/loop/detail/tuning_session.hpp>
#include <attune/tune/loop/session.hpp>

#include <atomic>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// The upper 32 bits are a process id, the lower 32 bits the number of its sessions.
inline std::atomic<std::uint64_t> sessions_at_work{0};

[[nodiscard]] inline bool is_count_of(std::uint64_t seen, std::uint32_t process) noexcept
{
    return seen >> 32 == process;
}

ATTUNE_INLINE session_at_work::session_at_work() noexcept
    : process_(static_cast<std::uint32_t>(::getpid()))
{
    std::uint64_t const none = std::uint64_t{process_} << 32;
    std::uint64_t seen = sessions_at_work;
    while (!sessions_at_work.compare_exchange_weak(
        seen, (is_count_of(seen, process_) ? seen : none) + 1)) {
    }
}

ATTUNE_INLINE session_at_work::~session_at_work()
{
    // In the child of a fork the sessions of its parent do not count.
    if (process_ == static_cast<std::uint32_t>(::getpid())) --sessions_at_work;
}

ATTUNE_INLINE std::uint32_t session_at_work::count() noexcept
{
    std::uint64_t const seen = sessions_at_work;
    return is_count_of(seen, static_cast<std::uint32_t>(::getpid()))
               ? static_cast<std::uint32_t>(seen)
               : 0;
}

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
