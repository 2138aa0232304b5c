// attune/remember/detail/store_file.hpp - an opened store file: its identity, its lock, appending.
// SPDX-License-Identifier: MIT
//
// The lock is flock(2), which belongs to the open file and works between threads and forked
// processes. The operating system releases it when its holder dies.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/version.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

class store_file {
public:
    enum class sharing { shared, exclusive };

    /// Maximum size of a file to read, in bytes: some million records. A larger file, such as a
    /// sparse one, could fill the memory.
    static constexpr std::size_t largest = std::size_t{1} << 30;

    /// Identifies a file and its state. Changes if another process replaces or changes the file.
    struct identity {
        bool known = false;
        std::uint64_t device{}, number{};
        std::int64_t bytes{}, changed_s{}, changed_ns{}, modified_s{}, modified_ns{};

        [[nodiscard]] friend bool operator==(identity const&, identity const&) = default;
    };

    [[nodiscard]] static store_file open_to_read(std::string const& path)
    {
        return store_file(path, O_RDONLY);
    }
    /// Opens for writing, too: NFS locks only files that are open for writing.
    [[nodiscard]] static store_file open_to_replace(std::string const& path)
    {
        return store_file(path, O_RDWR);
    }
    /// Creates the file and its parent directories if they are missing.
    /// @param is_shared  other users may write created files, if the umask lets them
    [[nodiscard]] static store_file open_to_append(std::string const& path, bool is_shared = false)
    {
        // open() reports the failure, with its reason
        static_cast<void>(create_folders_of(path, is_shared ? 0777 : 0755));
        return store_file(path, O_RDWR | O_APPEND | O_CREAT, is_shared ? 0666 : 0644);
    }
    /// Opens an existing file like open_to_append().
    [[nodiscard]] static store_file open_to_extend(std::string const& path)
    {
        return store_file(path, O_RDWR | O_APPEND);
    }
    store_file(store_file&&) noexcept = default;
    store_file& operator=(store_file&&) noexcept = default;

    [[nodiscard]] bool usable() const noexcept { return file_.is_open(); }
    /// Returns true if the file does not exist, false if it exists and cannot be opened.
    [[nodiscard]] bool absent() const noexcept { return error_ == ENOENT || error_ == ENOTDIR; }
    [[nodiscard]] std::string why() const
    {
        return !refused_.empty()       ? refused_
               : irregular_            ? "not a regular file"
               : error_ == EWOULDBLOCK ? "another writer keeps it locked"
                                       : std::generic_category().message(error_);
    }

    /// The reason why another user could have written the file in its present state, as
    /// checked_file::by_others.
    [[nodiscard]] std::string by_others() const
    {
        return replaced_by_other_.empty() ? other_writer_of(file_.get(), path_)
                                          : replaced_by_other_;
    }

    /// Returns true if this user owns the file, and the file has no second name.
    [[nodiscard]] bool is_own() const noexcept
    {
        struct ::stat status{};
        return ::fstat(file_.get(), &status) == 0 && status.st_uid == ::geteuid() &&
               status.st_nlink == 1;
    }

    [[nodiscard]] identity stamp() const noexcept
    {
        struct ::stat status{};
        return ::fstat(file_.get(), &status) == 0 ? identity_of(status) : identity{};
    }
    /// The identity of the present file at `path`.
    [[nodiscard]] static identity stamp_at(std::string const& path) noexcept
    {
        struct ::stat status{};
        return ::stat(path.c_str(), &status) == 0 ? identity_of(status) : identity{};
    }

    /// Returns false if another process has replaced the file since this object opened it.
    [[nodiscard]] bool still_at(std::string const& path) const noexcept
    {
        struct ::stat there{};
        if (::stat(path.c_str(), &there) != 0) return false;
        identity const here = stamp();
        return here.device == static_cast<std::uint64_t>(there.st_dev) &&
               here.number == static_cast<std::uint64_t>(there.st_ino);
    }

    /// The size; empty if another process has replaced the file since this object opened it.
    [[nodiscard]] std::optional<std::uint64_t> size_at(std::string const& path) const noexcept
    {
        struct ::stat there{}, here{};
        if (::stat(path.c_str(), &there) != 0 || ::fstat(file_.get(), &here) != 0 ||
            here.st_dev != there.st_dev || here.st_ino != there.st_ino)
            return std::nullopt;
        return static_cast<std::uint64_t>(here.st_size);
    }

    /// Waits for the lock, `wait_s` seconds at most, because its holder may be a stopped process.
    /// The destructor releases the lock. Returns true, without a lock, if the file system has none.
    /// Returns false, with why(), if another holder has it or the file system fails.
    [[nodiscard]] bool lock(sharing how, double wait_s = 3.0) noexcept
    {
        int const error =
            take_flock(file_.get(), how == sharing::shared ? LOCK_SH : LOCK_EX, wait_s);
        if (error != 0) {
            error_ = error;
            return has_no_locks(error);
        }
        is_exclusive_ = how == sharing::exclusive;
        is_locked_ = true;
        return true;
    }

    void unlock() noexcept
    {
        if (is_locked_) ::flock(file_.get(), LOCK_UN);
        is_locked_ = is_exclusive_ = false;
    }
    /// Returns true if the last lock() failed because of another holder.
    [[nodiscard]] bool is_held() const noexcept { return error_ == EWOULDBLOCK; }
    /// Returns true if a server has lost the opened file (NFS), as after another process replaced
    /// it.
    [[nodiscard]] bool is_stale() const noexcept { return error_ == ESTALE; }
    /// Returns false also if the file system has no locks.
    [[nodiscard]] bool is_locked() const noexcept { return is_locked_; }

    /// lock(sharing::exclusive) without waiting.
    [[nodiscard]] bool try_lock() noexcept { return lock(sharing::exclusive, 0); }

    /// Reads `length` bytes at `offset`. Returns false if there are fewer, or they cannot be read.
    [[nodiscard]] bool read(std::uint64_t offset, std::size_t length, std::string& out) const
    {
        out.resize(length);
        for (std::size_t done = 0; done < length;) {
            ::ssize_t const got = ::pread(file_.get(), out.data() + done, length - done,
                                          static_cast<::off_t>(offset + done));
            if (got > 0) {
                done += static_cast<std::size_t>(got);
            } else if (got == 0 || errno != EINTR) {
                error_ = got == 0 ? EIO : errno;
                return false;
            }
        }
        return true;
    }

    /// Reads the whole text. Returns false, with why(), if that fails or the file exceeds
    /// `largest`.
    [[nodiscard]] bool read_all(std::string& text) const
    {
        constexpr std::size_t block = std::size_t{1} << 16;
        text.clear();
        identity const about = stamp();
        if (about.known && about.bytes > static_cast<std::int64_t>(largest)) {
            error_ = EFBIG;
            return false;
        }
        if (about.known) text.reserve(static_cast<std::size_t>(about.bytes) + block);
        for (;;) {
            std::size_t const had = text.size();
            text.resize(had + block);
            ::ssize_t const got =
                ::pread(file_.get(), text.data() + had, block, static_cast<::off_t>(had));
            text.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
            if (got == 0) return true;
            if (got < 0 && errno != EINTR) {
                error_ = errno;
                return false;
            }
        }
    }

    /// Appends `text` by one write. If the disk is full and the exclusive lock is held, removes the
    /// written part. Without the lock, another writer's text may follow that part.
    [[nodiscard]] bool append(std::string_view text) const
    {
        ::off_t const end = ::lseek(file_.get(), 0, SEEK_END);
        return append(text, end < 0 ? 0 : static_cast<std::uint64_t>(end));
    }
    /// @param end  size of the file, if the lock is held
    [[nodiscard]] bool append(std::string_view text, std::uint64_t end) const
    {
        quiet_writes const quiet;
        for (std::string_view rest = text; !rest.empty();) {
            ::ssize_t const written = ::write(file_.get(), rest.data(), rest.size());
            if (written > 0) {
                rest.remove_prefix(static_cast<std::size_t>(written));
            } else if (written == 0 || errno != EINTR) {
                error_ = written == 0 ? ENOSPC : errno;
                // A part that cannot be removed is a damaged line, which readers skip.
                if (rest.size() < text.size())
                    static_cast<void>(cut_to(static_cast<std::size_t>(end)));
                return false;
            }
        }
        return true;
    }

    /// Removes all bytes from `size` on, such as a line whose writer was killed. Does nothing
    /// without the exclusive lock.
    [[nodiscard]] bool cut_to(std::size_t size) const noexcept
    {
        return is_exclusive_ && ::ftruncate(file_.get(), static_cast<::off_t>(size)) == 0;
    }

private:
    /// Returns true for errors of flock() on a file system, or a server, without locks.
    [[nodiscard]] static bool has_no_locks(int error) noexcept
    {
        return error == EOPNOTSUPP || error == ENOSYS || error == EINVAL || error == ENOLCK;
    }
    [[nodiscard]] static identity identity_of(struct ::stat const& status) noexcept
    {
        return {true,
                static_cast<std::uint64_t>(status.st_dev),
                static_cast<std::uint64_t>(status.st_ino),
                static_cast<std::int64_t>(status.st_size),
                static_cast<std::int64_t>(status.st_ctim.tv_sec),
                static_cast<std::int64_t>(status.st_ctim.tv_nsec),
                static_cast<std::int64_t>(status.st_mtim.tv_sec),
                static_cast<std::int64_t>(status.st_mtim.tv_nsec)};
    }
    store_file(std::string const& path, int flags, unsigned mode = 0)
        : path_(path)
    {
        checked_file opened = open_checked(path, flags, mode);
        file_ = std::move(opened.file);
        error_ = opened.error;
        refused_ = std::move(opened.refused);
        replaced_by_other_ = std::move(opened.replaced_by_other);
        if (!file_.is_open()) return;
        struct ::stat status{};
        if (::fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode)) return;
        irregular_ = true;
        file_.close();
    }

    std::string path_;
    descriptor file_;
    mutable int error_ = 0;
    bool is_exclusive_ = false;
    bool is_locked_ = false;
    bool irregular_ = false;
    std::string refused_{};
    std::string replaced_by_other_{};
};

/// Releases a lock at once. Closing does not release it while a child of fork() has the file open.
/// A child that destroys its copy releases nothing.
struct unlocked_at_end {
    store_file& file;
    ::pid_t process = ::getpid();
    explicit unlocked_at_end(store_file& locked)
        : file(locked)
    {
    }
    ~unlocked_at_end()
    {
        if (process == ::getpid()) file.unlock();
    }
    unlocked_at_end(unlocked_at_end const&) = delete;
    unlocked_at_end& operator=(unlocked_at_end const&) = delete;
};

/// Throws an attune::error for a file that is missing or could not be opened or read.
[[noreturn]] inline void refuse_store_file(store_file const& file, std::string const& path)
{
    if (file.absent())
        throw error("there is no such store", path, "name a file that attune::store wrote");
    throw error("the store cannot be read: " + file.why(), path, "name another file");
}

} // namespace attune::inline ATTUNE_ABI::detail
