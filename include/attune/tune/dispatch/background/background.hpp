// attune/tune/dispatch/background/background.hpp - one thread that tunes beside the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>

#include <functional>
#include <memory>

namespace attune::inline ATTUNE_ABI::detail {

/// Runs jobs one after the other on a thread of its own, which is started with the first. Ctrl-C
/// and other signals reach the program, not the jobs. The child of a fork begins with no job.
class background_worker {
public:
    background_worker();
    /// Asks the job at work to end (stop_is_requested()), drops those that wait, and waits for it.
    ~background_worker();
    background_worker(background_worker const&) = delete;
    background_worker& operator=(background_worker const&) = delete;

    /// One thread at a time.
    /// Errors   std::system_error: no thread could be started; the job is dropped
    void add(std::function<void()> job);
    /// Until no job is at work or waits, or the program ends. @pre  not called by a job
    void wait() const;

private:
    struct state;
    /// That of this process.
    [[nodiscard]] std::shared_ptr<state> now() const;

    mutable fork_safe_mutex lock_{lock_use::brief}; ///< of what follows
    mutable std::shared_ptr<state> state_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/dispatch/background/background.ipp>
#endif
