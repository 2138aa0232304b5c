// attune/tune/interrupt.ipp - the signal handler behind interrupt_guard.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/tune/interrupt.hpp>

#include <atomic>
#include <csignal>

namespace attune::inline ATTUNE_ABI {

namespace detail {

// A signal handler can reach nothing but globals; these three are all that attune has.
inline std::atomic<bool> interrupt_taken{false};
inline std::sig_atomic_t volatile interrupt_seen = 0;
inline struct sigaction interrupt_former{};

extern "C" inline void attune_on_interrupt(int)
{
    interrupt_seen = 1;
    ::sigaction(SIGINT, &interrupt_former, nullptr);
}

} // namespace detail

interrupt_guard::interrupt_guard()
    : active_(!detail::interrupt_taken.exchange(true))
{
    if (!active_) return;
    detail::interrupt_seen = 0;
    struct sigaction ours{};
    ours.sa_handler = detail::attune_on_interrupt;
    ::sigemptyset(&ours.sa_mask);
    ours.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &ours, &detail::interrupt_former);
}

interrupt_guard::~interrupt_guard()
{
    if (!active_) return;
    ::sigaction(SIGINT, &detail::interrupt_former, nullptr);
    detail::interrupt_taken = false;
}

bool interrupt_guard::requested() const noexcept { return active_ && detail::interrupt_seen != 0; }

} // namespace attune::inline ATTUNE_ABI
