// attune/measure/sandbox/process_state.hpp - process state that a run may leave changed.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Flags and positions belong to the open file, which the processes of a fork share: a child also
/// changes them for its parent. A parent therefore restores them after a child, too.
class descriptor_state {
public:
    /// Reads the descriptors now; none if the system has no /proc. Cost: 2 us each
    descriptor_state();

    /// A sentence for each changed descriptor of this state: "closed or exchanged file descriptor
    /// 5". A newer descriptor is no change.
    /// @param with_shared  also compares flags and positions
    /// @param has_written  this process wrote something since. If false, a later position in a file
    ///                     that grew or was written is no change: another process wrote, perhaps to
    ///                     a shared log.
    [[nodiscard]] std::vector<std::string> changes(bool with_shared,
                                                   bool has_written = false) const;
    /// Restores flags and positions of descriptors that are still the same files.
    void restore() const;
    [[nodiscard]] std::size_t count() const noexcept { return all_.size(); }

private:
    struct open_file {
        std::uint64_t device = 0;
        std::uint64_t file = 0;
        std::int64_t position = -1; ///< -1: it has none
        std::int64_t size = 0;
        std::int64_t written_ns = 0; ///< time of the last write to the file
        int status = 0;              ///< of the open file: O_NONBLOCK and so on
        int flags = 0;               ///< of the descriptor: FD_CLOEXEC

        [[nodiscard]] bool is_file_of(open_file const& other) const noexcept
        {
            return device == other.device && file == other.file;
        }
        /// Returns true if a process wrote to it since `then`.
        [[nodiscard]] bool went_on(open_file const& then) const noexcept;
        [[nodiscard]] bool is_same(open_file const& then, bool has_written) const noexcept
        {
            return status == then.status && flags == then.flags &&
                   (position == then.position || (!has_written && went_on(then)));
        }
    };

    std::map<int, open_file> all_{};
};

/// The state of the process and the calling thread that outlives a call. measure/README.md lists
/// the rows, detail/state_rows.hpp has them.
///
/// State of the calling thread is always compared and restored. State of all threads is compared
/// and restored only if no other thread of the program exists. A thread that starts and ends
/// between two readings is not detected. The floating-point environment is the host's: see
/// own_float_environment.
///
/// State that the machine does not report (no /proc) counts as unchanged. A descriptor left open is
/// no change, because libraries open files; a closed or exchanged descriptor is a change.
class process_state {
public:
    /// Reads the state now. Cost: about 150 us.
    /// @param with_resources  true: all state, for a child process, which has one thread. False:
    ///                        without descriptors and child processes, which other threads may
    ///                        change, and without the handler of SIGINT; only the thread's own
    ///                        state while has_other_threads()
    /// @param was_alone       in a child process: the parent had no other thread at the fork. Such
    ///                        a thread could hold a lock of rand() or move a file that both have
    ///                        open
    explicit process_state(bool with_resources = true, bool was_alone = true);
    ~process_state();
    process_state(process_state&&) noexcept;
    process_state& operator=(process_state&&) noexcept;

    /// A sentence per difference: "changed the handler of signal 10". Call it on the thread that
    /// made this object.
    /// @param has_written  this process wrote something since: see descriptor_state::changes()
    [[nodiscard]] std::vector<std::string> changes(bool has_written = false) const;

    /// Restores changed state, except descriptors and processes. Call it on the same thread.
    void restore() const;

private:
    struct content;
    std::unique_ptr<content const> before_;
};

/// The first of `changes` that is not in `allowed`; empty if there is none.
[[nodiscard]] std::string first_change(std::span<std::string const> changes,
                                       std::span<std::string const> allowed);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/process_state.ipp>
#endif
