// attune/measure/sandbox/process_state.hpp - process state that a run may leave changed.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The state of the process and the calling thread that outlives a call. The rows are listed in
/// measure/README.md, and stand in process_state.ipp.
///
/// State of the calling thread is always compared and restored. State shared by all threads is
/// compared and restored only when no other thread of the program exists; a thread that started and
/// ended in between is not detected. The floating-point environment is the host's: see
/// own_float_environment.
///
/// State that the machine does not report (no /proc) counts as unchanged. A descriptor left open is
/// no change, because libraries open files; a closed or exchanged one is.
class process_state {
public:
    /// Reads the state now. Cost: about 150 us.
    /// @param with_resources  true: all state; for a child process, which has one thread. False:
    ///                        without descriptors and child processes, which other threads may
    ///                        change, and without the handler of SIGINT; only the thread's own
    ///                        state while has_other_threads()
    /// @param was_alone       in a child process: the parent had no other thread at the fork, which
    ///                        could hold a lock of rand() or move a file that both have open
    explicit process_state(bool with_resources = true, bool was_alone = true);
    ~process_state();
    process_state(process_state&&) noexcept;
    process_state& operator=(process_state&&) noexcept;

    /// One sentence per difference: "changed the handler of signal 10". Call it on the thread that
    /// made this object.
    /// @param has_written  this process wrote something since: see descriptor_state::changes()
    [[nodiscard]] std::vector<std::string> changes(bool has_written = false) const;

    /// Restores what differs and can be restored, except descriptors and processes. Call it on the
    /// same thread.
    void restore() const;

private:
    struct content;
    std::unique_ptr<content const> before_;
};

/// The first of `changes` that is not in `allowed`; empty when there is none.
[[nodiscard]] std::string first_change(std::span<std::string const> changes,
                                       std::span<std::string const> allowed);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/process_state.ipp>
#endif
