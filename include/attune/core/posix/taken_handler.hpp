// attune/core/posix/taken_handler.hpp - one signal's handler, taken from the program and given back.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

/// A handler of the program's: neither the default action nor `ignore`.
[[nodiscard]] bool is_function(struct sigaction const& action) noexcept;

/// The handler of one signal while attune needs it. Lives as long as the program: a static object.
///
/// Another thread may be in a handler at any moment, and other code may take the same signal,
/// another copy of attune too. So the former handler is read before it is replaced, and it is put
/// back only if attune's own is in place at that moment. If not, some other code calls attune's
/// handler from its own: then attune's stays below it and goes on passing signals to the former
/// handler.
///
/// take() and give_back() are for one thread at a time; pass_on() is for handlers, on any thread.
class taken_handler {
public:
    /// @param ours  with SA_SIGINFO
    void take(int signal, struct sigaction const& ours) noexcept;
    void give_back() noexcept;
    /// What would happen without attune: the former handler is called; where there was none, the
    /// default action follows.
    void pass_on(int signal, siginfo_t* info, void* context) const noexcept;

private:
    [[nodiscard]] bool is_ours(struct sigaction const& other) const noexcept;
    [[nodiscard]] struct sigaction const* kept(struct sigaction const& other) noexcept;

    int signal_ = 0;
    struct sigaction ours_{};
    /// Those met so far. One that a handler may be reading is never written again before as many
    /// others were met.
    std::array<struct sigaction, 32> formers_{};
    std::atomic<std::size_t> count_{0};
    std::atomic<struct sigaction const*> former_{nullptr};
    bool is_taken_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/taken_handler.ipp>
#endif
