// attune/core/posix/taken_handler.hpp - replaces the handler of one signal and restores it later.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

/// True when `action` calls a function: it is neither the default action nor `ignore`.
[[nodiscard]] bool is_function(struct sigaction const& action) noexcept;

/// Attune's handler of one signal. Must be a static object.
///
/// Another thread may be in a handler at any time, and other code (or another copy of attune) may
/// replace the handler of the same signal. So the former handler is read before it is replaced, and
/// it is restored only if attune's handler is the current one. If it is not, other code may call
/// attune's handler from its own, and attune's handler continues to pass signals to the former one.
///
/// take() and give_back() are for one thread at a time; pass_on() may run on any thread.
class taken_handler {
public:
    /// @param ours  attune's handler, with SA_SIGINFO
    void take(int signal, struct sigaction const& ours) noexcept;
    void give_back() noexcept;
    /// Calls the former handler; if that is none, does the default action.
    void pass_on(int signal, siginfo_t* info, void* context) const noexcept;

private:
    [[nodiscard]] bool is_ours(struct sigaction const& other) const noexcept;
    [[nodiscard]] struct sigaction const* kept(struct sigaction const& other) noexcept;

    int signal_ = 0;
    struct sigaction ours_{};
    /// Former handlers, a ring. An entry that a handler may be reading is overwritten only after 31
    /// others were added.
    std::array<struct sigaction, 32> formers_{};
    std::atomic<std::size_t> count_{0};
    std::atomic<struct sigaction const*> former_{nullptr};
    bool is_taken_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/taken_handler.ipp>
#endif
