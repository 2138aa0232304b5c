// attune/core/posix/signal_context.ipp - looks at the signal mask, then for the frame of a signal.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/signal_context.hpp>
#include <attune/core/version.hpp>

#include <csignal>
#include <unwind.h>

namespace attune::inline ATTUNE_ABI::detail {

/// What is found on the way up the stack.
struct signal_frame_search {
    int frames_left = 64;
    bool is_found = false;
};

inline _Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* search)
{
    auto& state = *static_cast<signal_frame_search*>(search);
    int is_interrupted = 0; // at this instruction, not by a call before it
    static_cast<void>(_Unwind_GetIPInfo(context, &is_interrupted));
    state.is_found = is_interrupted != 0;
    return state.is_found || --state.frames_left <= 0 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

ATTUNE_INLINE bool is_in_signal_handler() noexcept
{
    sigset_t blocked;
    if (::pthread_sigmask(SIG_BLOCK, nullptr, &blocked) != 0) return false;
    bool is_any = false;
    for (int signal = 1; signal < NSIG && !is_any; ++signal)
        is_any = ::sigismember(&blocked, signal) == 1;
    if (!is_any) return false; // a signal is blocked while its handler runs
    signal_frame_search search;
    static_cast<void>(_Unwind_Backtrace(look_at_frame, &search));
    return search.is_found;
}

} // namespace attune::inline ATTUNE_ABI::detail
