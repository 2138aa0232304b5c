// attune/remember/detail/store_file.hpp - one opened store file: its identity, its lock, one write.
// SPDX-License-Identifier: MIT
//
// flock(2), because it belongs to the open file, so threads and forks exclude each other too, and
// the kernel releases it when its holder dies
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/version.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
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

    /// Bytes of a file that is read: some million records. A file of holes must not fill the
    /// memory.
    static constexpr std::size_t largest = std::size_t{1} << 30;

    /// Differs when another process replaced or changed the file.
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
    /// Makes the file and the directories above it when they are missing.
    [[nodiscard]] static store_file open_to_append(std::string const& path)
    {
        std::error_code ignored; // open() reports the failure, with its reason
        std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
        return store_file(path, O_RDWR | O_APPEND | O_CREAT);
    }
    store_file(store_file const&) = delete;
    store_file& operator=(store_file const&) = delete;

    [[nodiscard]] bool usable() const noexcept { return file_.is_open(); }
    /// Not there, as opposed to there and not readable.
    [[nodiscard]] bool absent() const noexcept { return error_ == ENOENT || error_ == ENOTDIR; }
    [[nodiscard]] std::string why() const
    {
        return irregular_ ? "not a regular file" : std::generic_category().message(error_);
    }

    [[nodiscard]] identity stamp() const noexcept
    {
        struct ::stat status{};
        if (::fstat(file_.get(), &status) != 0) return {};
        return {true,
                static_cast<std::uint64_t>(status.st_dev),
                static_cast<std::uint64_t>(status.st_ino),
                static_cast<std::int64_t>(status.st_size),
                static_cast<std::int64_t>(status.st_ctim.tv_sec),
                static_cast<std::int64_t>(status.st_ctim.tv_nsec),
                static_cast<std::int64_t>(status.st_mtim.tv_sec),
                static_cast<std::int64_t>(status.st_mtim.tv_nsec)};
    }

    /// False when another process replaced the file after it was opened here.
    [[nodiscard]] bool still_at(std::string const& path) const noexcept
    {
        struct ::stat there{};
        if (::stat(path.c_str(), &there) != 0) return false;
        identity const here = stamp();
        return here.device == static_cast<std::uint64_t>(there.st_dev) &&
               here.number == static_cast<std::uint64_t>(there.st_ino);
    }

    /// Waits for the lock, at most about 3 s: a stopped process must not stop this one. The lock
    /// goes with the object. True as well where the file system has no locks; then it is not held.
    [[nodiscard]] bool lock(sharing how) noexcept
    {
        sharing_ = how;
        int const operation = (how == sharing::shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
        for (int attempt = 0; attempt < 3000; ++attempt) {
            if (::flock(file_.get(), operation) == 0) {
                is_exclusive_ = how == sharing::exclusive;
                return true;
            }
            if (errno != EWOULDBLOCK && errno != EINTR) return true;
            std::timespec const pause{0, 1'000'000};
            ::nanosleep(&pause, nullptr);
        }
        return false;
    }

    /// The exclusive lock, now or not at all. True as well where the file system has no locks.
    [[nodiscard]] bool try_lock() noexcept
    {
        sharing_ = sharing::exclusive;
        is_exclusive_ = ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0;
        return is_exclusive_ || errno != EWOULDBLOCK;
    }

    /// Readers let writers go on while they make sense of the text.
    void unlock_when_shared() const noexcept
    {
        if (sharing_ == sharing::shared) ::flock(file_.get(), LOCK_UN);
    }

    /// The whole text. False, with why(), when it cannot be read, or is larger than `largest`.
    [[nodiscard]] bool read_all(std::string& text) const
    {
        constexpr std::size_t block = std::size_t{1} << 16;
        text.clear();
        identity const about = stamp();
        if (about.known && about.bytes > static_cast<std::int64_t>(largest)) {
            error_ = EFBIG;
            return false;
        }
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

    /// Appends `text` by one write. When the disk is full, takes back the part that was written if
    /// the lock is held, exclusively: without it, what stands behind may be another writer's.
    [[nodiscard]] bool append(std::string_view text) const
    {
        quiet_writes const quiet;
        ::off_t const end = ::lseek(file_.get(), 0, SEEK_END);
        for (std::string_view rest = text; !rest.empty();) {
            ::ssize_t const written = ::write(file_.get(), rest.data(), rest.size());
            if (written > 0) {
                rest.remove_prefix(static_cast<std::size_t>(written));
            } else if (written == 0 || errno != EINTR) {
                error_ = written == 0 ? ENOSPC : errno;
                // A part that stays is a damaged line, which readers skip.
                if (end >= 0 && rest.size() < text.size())
                    static_cast<void>(cut_to(static_cast<std::size_t>(end)));
                return false;
            }
        }
        return true;
    }

    /// Drops everything from byte `size` on: a line whose writer was killed in the middle of it.
    /// Does nothing without the exclusive lock.
    [[nodiscard]] bool cut_to(std::size_t size) const noexcept
    {
        return is_exclusive_ && ::ftruncate(file_.get(), static_cast<::off_t>(size)) == 0;
    }

private:
    store_file(std::string const& path, int flags)
    {
        // O_NONBLOCK: opening a named pipe must not wait for its other end.
        do {
            file_ = descriptor(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666));
        } while (!file_.is_open() && errno == EINTR);
        if (!file_.is_open()) {
            error_ = errno;
            return;
        }
        struct ::stat status{};
        if (::fstat(file_.get(), &status) == 0 && S_ISREG(status.st_mode)) return;
        irregular_ = true;
        file_.close();
    }

    descriptor file_;
    mutable int error_ = 0;
    sharing sharing_ = sharing::shared;
    bool is_exclusive_ = false;
    bool irregular_ = false;
};

} // namespace attune::inline ATTUNE_ABI::detail
