// attune/core/posix/checked_open.hpp - opens a file by no link of another user, and says who else could have written it.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/version.hpp>

#include <string>

namespace attune::inline ATTUNE_ABI::detail {

/// Why another user may write an opened file or folder: another one owns it, or its mode lets its
/// group or everybody write. Empty: this user and root alone may. The group that has the number of
/// this user is this user's own.
/// @param path  as the sentence names it
/// @return  "uid 65534 owns PATH (chown it)", "PATH has mode 0664 (chmod go-w it)"
[[nodiscard]] std::string other_writer_of(int file, std::string const& path);

/// Where a path leads: a name in a folder that is open, so that no folder on the way can be
/// replaced between this check and the use.
struct checked_place {
    descriptor folder{};    ///< opened with O_PATH; not open: see `error`
    std::string name{};     ///< no link, and maybe not there
    std::string path{};     ///< absolute, without links: "/folder/name"
    int error = 0;          ///< an errno: the folder cannot be reached
    bool is_linked = false; ///< the last part of the path was a symbolic link
    /// The first symbolic link of another user on the way: "PATH is a symbolic link of uid 65534
    /// (name the file itself)". Empty: there is none.
    std::string link_of_other{};
    /// Why another user may replace what stands there: a link as above, or a folder on the way that
    /// another one owns, or that its group or everybody may write and that is not sticky.
    std::string replaced_by_other{};
};

/// Follows a path by hand, one folder after the other.
/// Cost  3 us for each folder of the path
[[nodiscard]] checked_place place_of(std::string const& path);

/// An opened file, or why there is none.
struct checked_file {
    descriptor file{};
    int error = 0;                   ///< an errno where there is no file
    std::string refused{};           ///< a sentence in place of the errno
    std::string replaced_by_other{}; ///< as that of checked_place
};

/// Opens a file and never waits for it.
///
/// - What writes follows no link of another user, and creates no file at the end of a link.
/// - What reads follows each link; `replaced_by_other` then names one of another user.
///
/// Whether another one could have written what it holds, other_writer_of() says of the opened file.
/// @param flags  as those of open(); with O_CREAT a missing file is created, and its folders are not
/// @param mode   of a file that is created
[[nodiscard]] checked_file open_checked(std::string const& path, int flags, unsigned mode = 0);

/// Creates the missing folders of a file, none at the end of a link.
/// @return  an errno, or 0
int create_folders_of(std::string const& path, unsigned mode = 0777);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/checked_open.ipp>
#endif
