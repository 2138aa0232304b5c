// attune/remember/study/study_file.hpp - the file of a shared study: read on from where one was, appended to.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace attune::inline ATTUNE_ABI::detail {

/// A file of lines that processes of any machines append to. One thread at a time.
///
/// Each call opens the file anew: so a network file system shows what others have written (NFS
/// promises that at open(), RFC 7530 Sec. 10.3.1), and a file that is away for a while is found
/// again. All writing is under the lock of the file (flock, which Linux maps to a lock of the
/// server on NFS), by one write. Where a file system has no locks, lines of two writers may
/// damage each other; then they are skipped by their checksums.
class study_file {
public:
    /// Called for each whole line, once, in their order.
    using taken = std::function<void(std::string_view line)>;
    /// Called when all lines that are in the file were taken; what it returns is appended: lines
    /// with their newlines, or nothing.
    using made = std::function<std::string()>;

    /// @param path  absolute
    explicit study_file(std::string path);

    /// Takes what was appended since the last call.
    /// @return  false: it cannot be read now; see why()
    /// Errors   attune::error: the file was replaced by another one, or cut
    [[nodiscard]] bool look(taken const& take);

    /// Takes what was appended, appends what `make` returns, and takes up to the end. No other
    /// process writes between what `make` knows and what it returns.
    /// @param creates  a missing file and its folders are made
    /// @return  false: nothing was appended, because that is not possible now; see why()
    /// Errors   as look()
    [[nodiscard]] bool exchange(taken const& take, made const& make, bool creates = false);

    [[nodiscard]] std::string const& why() const noexcept { return why_; }
    [[nodiscard]] std::string const& path() const noexcept { return path_; }

private:
    struct opened;
    [[nodiscard]] bool take_up_to_end(opened& file, taken const& take);

    std::string path_;
    std::uint64_t device_ = 0, number_ = 0; ///< of the file, once it was seen
    std::uint64_t end_ = 0;                 ///< bytes taken
    std::string why_{};
};

/// Why users beside this one and root may write into the file of a study, as other_writer_of();
/// empty: none may, or it cannot be opened.
[[nodiscard]] std::string who_may_tell(std::string const& path);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/study/study_file.ipp>
#endif
