// attune/measure/sandbox/process_state.hpp - what a run may leave changed although its result is right.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The state of the process, and of the calling thread, that outlives a function's return:
/// rounding, flushing and exception masks of the floating-point unit; signal handlers, signal mask
/// and signal stack; interval timers; locale; working directory; file mode mask; environment; open
/// file descriptors; child processes.
///
/// Of all these, floating-point unit, signal mask, signal stack and uselocale() are the thread's
/// own. What all threads share is told and put back only where nobody else can have changed it; a
/// thread that came and went in between is not seen.
///
/// What the machine does not tell (no /proc) counts as unchanged. A descriptor that was opened and
/// left open is no change, a closed or exchanged one is: libraries open files, they close only
/// their own.
class process_state {
public:
    /// Reads it all now. Cost: about 100 us.
    /// @param with_resources  true: all of it counts; for a child process, which has one thread.
    ///                        False: without descriptors and child processes, because other threads
    ///                        may be busy with theirs, and without the handler of Ctrl-C, because
    ///                        the user may press it; and as long as has_other_threads(), now or
    ///                        later, nothing but what is this thread's own
    explicit process_state(bool with_resources = true);
    ~process_state();
    process_state(process_state&&) noexcept;
    process_state& operator=(process_state&&) noexcept;

    /// One sentence for each thing that differs now: "changed the handler of signal 10". Empty when
    /// nothing does. To be called on the thread that made this.
    [[nodiscard]] std::vector<std::string> changes() const;

    /// Puts back what differs, but for descriptors (what is closed is gone) and
    /// processes. On the same thread.
    void restore() const;

private:
    struct content;
    std::unique_ptr<content const> before_;
};

/// The first of `changes` that is not among `allowed`; empty when there is none.
[[nodiscard]] std::string first_change(std::span<std::string const> changes,
                                       std::span<std::string const> allowed);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/process_state.ipp>
#endif
