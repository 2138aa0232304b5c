// attune/core/posix/only_faults_unblocked.hpp - blocks signals of the program in attune's threads.
// SPDX-License-Identifier: MIT
//
// tested by tune/pipeline/compile_queue.cpp
#pragma once

#include <attune/core/version.hpp>

#include <csignal>

namespace attune::inline ATTUNE_ABI::detail {

/// Blocks every signal except faults of the thread itself; threads started meanwhile inherit the
/// mask.
class only_faults_unblocked {
public:
    only_faults_unblocked() noexcept
    {
        sigset_t blocked;
        sigfillset(&blocked);
        for (int const fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
            sigdelset(&blocked, fault);
        pthread_sigmask(SIG_BLOCK, &blocked, &before_);
    }
    ~only_faults_unblocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    only_faults_unblocked(only_faults_unblocked const&) = delete;
    only_faults_unblocked& operator=(only_faults_unblocked const&) = delete;

private:
    sigset_t before_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
