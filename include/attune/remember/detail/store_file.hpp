// attune/remember/detail/store_file.hpp - an opened store file: its identity, its lock, appending.
// SPDX-License-Identifier: MIT
//
// The lock is flock(2): it belongs to the open file, so it works between threads and forked
// processes, and the kernel releases it when its holder dies.
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/checked_open.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/file_lock.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
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

    /// Maximum size of a file that is read, in bytes: some million records. A larger file, such as
    /// a sparse one, could fill the memory.
    static constexpr std::size_t largest = std::size_t{1} << 30;

    /// Identifies a file and its state: it differs after another process replaced or changed it.
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
    /// A lock of its own needs an opened file that may be written, on NFS.
    [[nodiscard]] static store_file open_to_replace(std::string const& path)
    {
        return store_file(path, O_RDWR);
    }
    /// Creates the file and its parent directories when they are missing.
    /// @param is_shared  other users may write what is created, where the umask lets them
    [[nodiscard]] static store_file open_to_append(std::string const& path, bool is_shared = false)
    {
        // open() reports the failure, with its reason
        static_cast<void>(create_folders_of(path, is_shared ? 0777 : 0755));
        return store_file(path, O_RDWR | O_APPEND | O_CREAT, is_shared ? 0666 : 0644);
    }
    /// The same for a file that is there.
    [[nodiscard]] static store_file open_to_extend(std::string const& path)
    {
        return store_file(path, O_RDWR | O_APPEND);
    }
    store_file(store_file&&) noexcept = default;
    store_file& operator=(store_file&&) noexcept = default;

    [[nodiscard]] bool usable() const noexcept { return file_.is_open(); }
    /// True when the file does not exist; false when it exists and cannot be opened.
    [[nodiscard]] bool absent() const noexcept { return error_ == ENOENT || error_ == ENOTDIR; }
    [[nodiscard]] std::string why() const
    {
        return !refused_.empty()       ? refused_
               : irregular_            ? "not a regular file"
               : error_ == EWOULDBLOCK ? "another writer keeps it locked"
                                       : std::generic_category().message(error_);
    }

    /// Why another user could have written it, as checked_file::by_others; of the file as it is
    /// now.
    [[nodiscard]] std::string by_others() const
    {
        return replaced_by_other_.empty() ? other_writer_of(file_.get(), path_)
                                          : replaced_by_other_;
    }

    /// This user owns it, and it has no second name.
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
    /// Of the file that is there now.
    [[nodiscard]] static identity stamp_at(std::string const& path) noexcept
    {
        struct ::stat status{};
        return ::stat(path.c_str(), &status) == 0 ? identity_of(status) : identity{};
    }

    /// False when another process has replaced the file since this object opened it.
    [[nodiscard]] bool still_at(std::string const& path) const noexcept
    {
        struct ::stat there{};
        if (::stat(path.c_str(), &there) != 0) return false;
        identity const here = stamp();
        return here.device == static_cast<std::uint64_t>(there.st_dev) &&
               here.number == static_cast<std::uint64_t>(there.st_ino);
    }

    /// The size; nothing where another process has replaced the file since this object opened it.
    [[nodiscard]] std::optional<std::uint64_t> size_at(std::string const& path) const noexcept
    {
        struct ::stat there{}, here{};
        if (::stat(path.c_str(), &there) != 0 || ::fstat(file_.get(), &here) != 0 ||
            here.st_dev != there.st_dev || here.st_ino != there.st_ino)
            return std::nullopt;
        return static_cast<std::uint64_t>(here.st_size);
    }

    /// Waits for the lock for `wait_s` seconds at most: its holder may be a stopped process. The
    /// lock is released with this object. Also true, without a lock, where the file system has
    /// none. False, with why(), where it is held or the file system fails.
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
    /// True when the last lock() failed because another one has it.
    [[nodiscard]] bool is_held() const noexcept { return error_ == EWOULDBLOCK; }
    /// True when a server has forgotten the opened file (NFS), as after another process replaced
    /// it.
    [[nodiscard]] bool is_stale() const noexcept { return error_ == ESTALE; }
    /// False also where the file system has no locks.
    [[nodiscard]] bool is_locked() const noexcept { return is_locked_; }

    /// lock(sharing::exclusive) without waiting.
    [[nodiscard]] bool try_lock() noexcept { return lock(sharing::exclusive, 0); }

    /// Reads `length` bytes at `offset`. False when there are fewer, or they cannot be read.
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

    /// Reads the whole text. False, with why(), when that fails or the file exceeds `largest`.
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

    /// Appends `text` by one write. When the disk is full, removes the part already written, if the
    /// exclusive lock is held; without the lock, another writer's text may follow that part.
    [[nodiscard]] bool append(std::string_view text) const
    {
        ::off_t const end = ::lseek(file_.get(), 0, SEEK_END);
        return append(text, end < 0 ? 0 : static_cast<std::uint64_t>(end));
    }
    /// @param end  size of the file, where the lock is held
    [[nodiscard]] bool append(std::string_view text, std::uint64_t end) const
    {
        quiet_writes const quiet;
        for (std::string_view rest = text; !rest.empty();) {
            ::ssize_t const written = ::write(file_.get(), rest.data(), rest.size());
            if (written > 0) {
                rest.remove_prefix(static_cast<std::size_t>(written));
            } else if (written == 0 || errno != EINTR) {
                error_ = written == 0 ? ENOSPC : errno;
                // A part that cannot be removed is a damaged line; readers skip it.
                if (rest.size() < text.size())
                    static_cast<void>(cut_to(static_cast<std::size_t>(end)));
                return false;
            }
        }
        return true;
    }

    /// Removes everything from byte `size` on, such as a line whose writer was killed. Does nothing
    /// without the exclusive lock.
    [[nodiscard]] bool cut_to(std::size_t size) const noexcept
    {
        return is_exclusive_ && ::ftruncate(file_.get(), static_cast<::off_t>(size)) == 0;
    }

private:
    /// Whether flock() fails so where a file system has no locks, or its server does not give any.
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

/// Releases a lock at once: closing the file does not where a child of fork() has it open too. A
/// child that destroys its copy releases nothing.
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

/// Throws an attune::error for a file that is not there or could not be opened or read.
[[noreturn]] inline void refuse_store_file(store_file const& file, std::string const& path)
{
    if (file.absent())
        throw error("there is no such store", path, "name a file that attune::store wrote");
    throw error("the store cannot be read: " + file.why(), path, "name another file");
}

} // namespace attune::inline ATTUNE_ABI::detail
