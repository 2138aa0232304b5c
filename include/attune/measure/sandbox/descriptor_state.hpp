// attune/measure/sandbox/descriptor_state.hpp - the open file descriptors of a process, with what a run may change of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Flags and positions belong to the open file, which the processes of a fork share: what a child
/// changes of them is changed for its parent. So a parent restores them after a child, too.
class descriptor_state {
public:
    /// Reads the descriptors now; none where the system has no /proc. Cost: 2 us each
    descriptor_state();

    /// One sentence for each descriptor of this state that is not as it was: "closed or exchanged
    /// file descriptor 5". A descriptor that was opened since is none.
    /// @param with_shared  also flags and positions
    /// @param has_written  this process wrote something since. Else a file that grew or was written
    ///                     may have a later position: another process wrote, such as one that has
    ///                     the same log open.
    [[nodiscard]] std::vector<std::string> changes(bool with_shared,
                                                   bool has_written = false) const;
    /// Restores flags and positions of descriptors that still are the same files.
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
        /// A process wrote to it since `then`.
        [[nodiscard]] bool went_on(open_file const& then) const noexcept;
        [[nodiscard]] bool is_same(open_file const& then, bool has_written) const noexcept
        {
            return status == then.status && flags == then.flags &&
                   (position == then.position || (!has_written && went_on(then)));
        }
    };

    std::map<int, open_file> all_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/sandbox/descriptor_state.ipp>
#endif
