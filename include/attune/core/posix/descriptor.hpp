// attune/core/posix/descriptor.hpp - an open file with an owner that closes it: opened safely, locked as a whole.
// SPDX-License-Identifier: MIT
// Source   man page of flock(2)
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Owns an open file. Movable, not copyable.
class descriptor {
public:
    descriptor() = default;
    /// @param number  negative: no file
    explicit descriptor(int number) noexcept
        : number_(number)
    {
    }
    descriptor(descriptor&& other) noexcept
        : number_(std::exchange(other.number_, -1))
    {
    }
    descriptor& operator=(descriptor&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() { close(); }

    [[nodiscard]] int get() const noexcept { return number_; }
    [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
    explicit operator bool() const noexcept { return is_open(); }

    /// Closes the file now; does nothing if none is open.
    void close() noexcept;

private:
    int number_ = -1;
};

/// Returns true if the process could open `count` files now.
[[nodiscard]] bool has_free_descriptors(int count) noexcept;

/// Waits for flock(2), `wait_s` seconds at most, because the holder may be a stopped process.
/// @param operation  LOCK_EX or LOCK_SH
/// @return  0, or the errno; EWOULDBLOCK: another holder has the lock
[[nodiscard]] int take_flock(int file, int operation, double wait_s) noexcept;

/// An exclusive lock of an opened file, which the destructor releases. Closing the file would keep
/// the lock while a child of fork() has the file open. The copy of this object in such a child does
/// not release the lock.
class file_lock {
public:
    /// @param file    stays open while this object lives
    /// @param wait_s  longest wait
    file_lock(int file, double wait_s) noexcept;
    ~file_lock();
    file_lock(file_lock const&) = delete;
    file_lock& operator=(file_lock const&) = delete;

    /// Returns false if another holder has it, or the file system has no locks.
    [[nodiscard]] bool is_mine() const noexcept { return is_mine_; }

private:
    int file_;
    bool is_mine_;
    int process_; ///< the process that took the lock
};

/// The reason why another user may write an opened file or folder: another user owns it, or its
/// mode lets its group or others write. Empty if only this user and root may write. A group with
/// the number of this user counts as this user.
/// @param path  the path to name in the sentence
/// @return  "uid 65534 owns PATH (chown it)", "PATH has mode 0664 (chmod go-w it)"
[[nodiscard]] std::string other_writer_of(int file, std::string const& path);

/// The end of a path: a name in an open folder. No other user can then replace a folder of the path
/// between this check and the use.
struct checked_place {
    descriptor folder{};    ///< opened with O_PATH; not open: see `error`
    std::string name{};     ///< not a link; may be missing
    std::string path{};     ///< absolute, without links: "/folder/name"
    int error = 0;          ///< an errno: the folder cannot be reached
    bool is_linked = false; ///< the last part of the path was a symbolic link
    /// The first symbolic link of another user in the path: "PATH is a symbolic link of uid 65534
    /// (name the file itself)". Empty if there is none.
    std::string link_of_other{};
    /// The reason why another user may replace the file. The path has a link as above, a folder of
    /// another user, or a folder without a sticky bit that other users may write.
    std::string replaced_by_other{};
};

/// Resolves a path in this process, one folder after the other.
/// Cost  3 us for each folder of the path
[[nodiscard]] checked_place place_of(std::string const& path);

/// An opened file, or the reason why there is none.
struct checked_file {
    descriptor file{};
    int error = 0;                   ///< an errno if there is no file
    std::string refused{};           ///< a sentence in place of the errno
    std::string replaced_by_other{}; ///< see checked_place
};

/// Opens a file without waiting for it.
///
/// - To write, it follows no link of another user, and creates no file at the end of a link.
/// - To read, it follows each link; `replaced_by_other` then names a link of another user.
///
/// other_writer_of() of the opened file names a user who may have written the contents.
/// @param flags  as those of open(); with O_CREAT it creates a missing file, but no missing folder
/// @param mode   mode of a created file
[[nodiscard]] checked_file open_checked(std::string const& path, int flags, unsigned mode = 0);

/// Creates the missing folders of a file, but none at the end of a link.
/// @return  an errno, or 0
int create_folders_of(std::string const& path, unsigned mode = 0777);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/core/posix/descriptor.ipp>
#endif
