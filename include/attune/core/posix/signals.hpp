// attune/core/posix/signals.hpp - replaces signal handlers, blocks signals, and finds a signal handler or the loader among the callers.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if a signal handler is among the callers of this function, within the last 64
/// frames. Misses a handler that blocks no signal (SA_NODEFER, an empty sa_mask), and a handler
/// without unwind tables. Takes no lock and no memory.
/// Cost     0.1 us if the thread blocks no signal; else about 0.2 us a frame
[[nodiscard]] bool is_in_signal_handler() noexcept;

/// Throws if this thread is within dlopen() or dlclose(). It then holds the loader's lock, and
/// other threads that load code would wait forever.
/// Errors   dlopen() or dlclose() is among the callers of this function, within the last 256 frames:
///          a constructor or destructor of a library calls a kernel
/// Cost     about 0.2 us a frame
void require_free_loader();

/// Blocks every signal except faults of the thread itself. Threads that start meanwhile inherit the
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

/// Returns true if `action` calls a function: neither the default action nor `ignore`.
[[nodiscard]] bool is_function(struct sigaction const& action) noexcept;

/// Attune's handler of one signal. Must be a static object.
///
/// Another thread may be in a handler at any time, so take() reads the former handler before it
/// replaces it. Other code, or another copy of attune, may replace the handler too. give_back()
/// therefore restores only if attune's handler is the current one. Otherwise attune's handler
/// continues to pass signals to the former one.
///
/// take() and give_back() are for one thread at a time; pass_on() may run on any thread.
class taken_handler {
public:
    /// @param ours  attune's handler, with SA_SIGINFO
    void take(int signal, struct sigaction const& ours) noexcept;
    void give_back() noexcept;
    /// Calls the former handler; does the default action if there is none.
    void pass_on(int signal, siginfo_t* info, void* context) const noexcept;

private:
    [[nodiscard]] bool is_ours(struct sigaction const& other) const noexcept;
    [[nodiscard]] struct sigaction const* kept(struct sigaction const& other) noexcept;

    int signal_ = 0;
    struct sigaction ours_{};
    /// A ring of former handlers. A signal handler may read an entry, so 31 others are added before
    /// the entry is overwritten.
    std::array<struct sigaction, 32> formers_{};
    std::atomic<std::size_t> count_{0};
    std::atomic<struct sigaction const*> former_{nullptr};
    bool is_taken_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/signals.ipp>
#endif
