// attune/core/posix/taken_handler.ipp - reading, replacing and passing on, behind
// taken_handler.hpp. SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/taken_handler.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <cstring>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

/// Marks a signal as passed on by `who`, in bytes of siginfo_t that no system uses. All copies and
/// versions of attune in a process share this layout.
/// @return  false when it was marked so before, or by so many that it goes round
[[nodiscard]] inline bool mark_passed(siginfo_t* info, void const* who) noexcept
{
    constexpr std::size_t places = 6;
    constexpr std::size_t first = sizeof(siginfo_t) - places * sizeof who;
    static_assert(first >= 64);
    auto* const bytes = reinterpret_cast<unsigned char*>(info) + first;
    for (std::size_t i = 0; i < places; ++i) {
        void const* there = nullptr;
        std::memcpy(&there, bytes + i * sizeof there, sizeof there);
        if (there == who) return false;
        if (there != nullptr) continue;
        std::memcpy(bytes + i * sizeof who, &who, sizeof who);
        return true;
    }
    return false;
}

[[nodiscard]] inline bool is_function(struct sigaction const& action) noexcept
{
    if ((action.sa_flags & SA_SIGINFO) != 0) return true;
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

bool taken_handler::is_ours(struct sigaction const& other) const noexcept
{
    return (other.sa_flags & SA_SIGINFO) != 0 && other.sa_sigaction == ours_.sa_sigaction;
}

struct sigaction const* taken_handler::kept(struct sigaction const& other) noexcept
{
    for (std::size_t i = 0; i < count_ && i < formers_.size(); ++i) {
        struct sigaction const& known = formers_[i];
        if (known.sa_handler == other.sa_handler && known.sa_flags == other.sa_flags &&
            std::memcmp(&known.sa_mask, &other.sa_mask, sizeof other.sa_mask) == 0)
            return &known;
    }
    struct sigaction& place = formers_[count_++ % formers_.size()];
    place = other;
    return &place;
}

void taken_handler::take(int signal, struct sigaction const& ours) noexcept
{
    signal_ = signal;
    ours_ = ours;
    is_taken_ = true;
    struct sigaction now{};
    if (::sigaction(signal, nullptr, &now) != 0) return;
    if (is_ours(now)) return; // it could not be given back, and has come to the top again
    struct sigaction const* const former = kept(now);
    if (!is_below_other_) lowest_ = former;
    former_ = former;
    struct sigaction replaced{};
    ::sigaction(signal, &ours, &replaced);
    if (!is_ours(replaced)) former_ = kept(replaced); // the same, unless it has just been changed
}

void taken_handler::give_back() noexcept
{
    if (!is_taken_) return;
    is_taken_ = false;
    struct sigaction now{};
    ::sigaction(signal_, nullptr, &now);
    if (is_ours(now))
        ::sigaction(signal_, former_.load(), nullptr);
    else
        is_below_other_ = true;
}

void taken_handler::pass_on(int signal, siginfo_t* info, void* context) const noexcept
{
    struct sigaction const* next = former_.load();
    if (next == nullptr) return;
    if (is_function(*next) && !mark_passed(info, this)) next = lowest_.load();
    if ((next->sa_flags & SA_SIGINFO) != 0) return next->sa_sigaction(signal, info, context);
    if (is_function(*next)) return next->sa_handler(signal);
    bool const is_fault =
        signal != SIGABRT && info->si_code > 0 &&
        (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE);
    if (next->sa_handler == SIG_IGN && !is_fault) return;
    // A fault of the hardware comes again after the return; what was sent has to be repeated.
    ::sigaction(signal, next, nullptr);
    if (!is_fault) ::raise(signal);
}

} // namespace attune::inline ATTUNE_ABI::detail
