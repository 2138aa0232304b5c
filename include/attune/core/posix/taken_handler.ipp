// attune/core/posix/taken_handler.ipp - sigaction() calls, and the passing on of a signal.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/taken_handler.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Counts how often any copy or version of attune has passed this signal on. The count is stored in
/// bytes of siginfo_t that no system uses.
[[nodiscard]] inline unsigned count_passed(siginfo_t* info) noexcept
{
    constexpr std::uint64_t ours = 0xa77e'0000'51e9'0000; // the last 16 bits count
    std::uint64_t there = 0;
    auto* const bytes = reinterpret_cast<unsigned char*>(info) + sizeof(siginfo_t) - sizeof there;
    std::memcpy(&there, bytes, sizeof there);
    if ((there & ~std::uint64_t{0xffff}) != ours) there = ours;
    ++there;
    std::memcpy(bytes, &there, sizeof there);
    return static_cast<unsigned>(there & 0xffff);
}

ATTUNE_INLINE bool is_function(struct sigaction const& action) noexcept
{
    if ((action.sa_flags & SA_SIGINFO) != 0) return true;
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

/// Compares the signals only: bytes beyond the last signal are undefined.
[[nodiscard]] inline bool are_equal(sigset_t const& a, sigset_t const& b) noexcept
{
    for (int signal = 1; signal < NSIG; ++signal)
        if (sigismember(&a, signal) != sigismember(&b, signal)) return false;
    return true;
}

ATTUNE_INLINE bool taken_handler::is_ours(struct sigaction const& other) const noexcept
{
    return (other.sa_flags & SA_SIGINFO) != 0 && other.sa_sigaction == ours_.sa_sigaction;
}

ATTUNE_INLINE struct sigaction const* taken_handler::kept(struct sigaction const& other) noexcept
{
    for (std::size_t i = 0; i < std::min(count_.load(), formers_.size()); ++i) {
        struct sigaction const& known = formers_[i];
        if (known.sa_handler == other.sa_handler && known.sa_flags == other.sa_flags &&
            are_equal(known.sa_mask, other.sa_mask))
            return &known;
    }
    struct sigaction& place = formers_[count_ % formers_.size()];
    place = other;
    ++count_;
    return &place;
}

ATTUNE_INLINE void taken_handler::take(int signal, struct sigaction const& ours) noexcept
{
    signal_ = signal;
    ours_ = ours;
    is_taken_ = true;
    struct sigaction now{};
    if (::sigaction(signal, nullptr, &now) != 0) return;
    if (is_ours(now))
        return; // attune's handler is still installed: give_back() could not remove it
    struct sigaction const* const former = kept(now);
    former_ = former;
    struct sigaction replaced{};
    ::sigaction(signal, &ours, &replaced);
    if (!is_ours(replaced))
        former_ = kept(replaced); // differs when another thread has just replaced it
}

ATTUNE_INLINE void taken_handler::give_back() noexcept
{
    if (!is_taken_) return;
    is_taken_ = false;
    struct sigaction now{};
    ::sigaction(signal_, nullptr, &now);
    if (!is_ours(now)) return;
    // If another copy has taken the signal in between, its handler is restored.
    if (::sigaction(signal_, former_.load(), &now) == 0 && !is_ours(now))
        ::sigaction(signal_, &now, nullptr);
}

ATTUNE_INLINE void taken_handler::pass_on(int signal, siginfo_t* info, void* context) const noexcept
{
    struct sigaction const* next = former_.load();
    if (next == nullptr) return;
    // Copies of attune that end in another order than they began may pass a signal to each other in
    // a circle. After 8 rounds the former handlers met so far are tried in turn; after 256 rounds
    // the default action follows.
    constexpr unsigned most_copies = 8;
    constexpr unsigned most_tries = 256;
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    if (is_function(*next)) {
        unsigned const passed = count_passed(info);
        std::size_t const met = std::min(count_.load(), formers_.size());
        struct sigaction const& other = formers_[passed / 3 % met];
        if (passed > most_copies && is_function(other)) next = &other;
        if (passed > most_tries) next = &standard;
    }
    if ((next->sa_flags & SA_SIGINFO) != 0) return next->sa_sigaction(signal, info, context);
    if (is_function(*next)) return next->sa_handler(signal);
    bool const is_fault =
        signal != SIGABRT && info->si_code > 0 &&
        (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE);
    if (next->sa_handler == SIG_IGN && !is_fault) return;
    // A hardware fault is raised again on return; a signal that was sent has to be raised here.
    ::sigaction(signal, next, nullptr);
    if (!is_fault) ::raise(signal);
}

} // namespace attune::inline ATTUNE_ABI::detail
