// attune/core/posix/replace_file.ipp - open, write, fsync, rename or link.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/version.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A file beside another one; the destructor removes it.
class file_beside {
public:
    /// Takes a name that no file has: an existing file is neither opened nor followed.
    /// @param mode  until be_like()
    explicit file_beside(std::filesystem::path const& target, ::mode_t mode = 0666)
    {
        static std::atomic<unsigned> count{0};
        for (int tries_left = 1000; tries_left > 0; --tries_left) {
            path_ = target.string() + '.' + std::to_string(::getpid()) + '-' +
                    std::to_string(count.fetch_add(1)) + ".new";
            file_ = descriptor(
                ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
            if (file_.is_open() || errno != EEXIST) break;
        }
        why_ = file_.is_open() ? 0 : errno;
    }
    ~file_beside()
    {
        if (file_.is_open() && !is_moved_ && process_ == ::getpid()) ::unlink(path_.c_str());
    }
    file_beside(file_beside const&) = delete;
    file_beside& operator=(file_beside const&) = delete;

    /// Takes over the mode, and the owner where this process may give files away.
    void be_like(struct ::stat const& old)
    {
        if (why_ != 0) return;
        if (::fchown(file_.get(), old.st_uid, old.st_gid) != 0 && ::geteuid() == 0)
            why_ = errno;
        else if (::fchmod(file_.get(), old.st_mode & 07777u) != 0)
            why_ = errno;
    }
    void write(std::string_view text)
    {
        quiet_writes const quiet;
        while (why_ == 0 && !text.empty()) {
            ::ssize_t const written = ::write(file_.get(), text.data(), text.size());
            if (written > 0)
                text.remove_prefix(static_cast<std::size_t>(written));
            else if (written == 0 || errno != EINTR)
                why_ = written == 0 ? ENOSPC : errno;
        }
    }
    /// So that what was written outlives a loss of power.
    void settle()
    {
        if (why_ == 0 && ::fsync(file_.get()) != 0 && errno != EINVAL) why_ = errno;
    }
    /// @param may_replace  what is at `target`; otherwise why() is EEXIST then
    void move_to(std::filesystem::path const& target, bool may_replace)
    {
        if (why_ != 0) return;
        if (may_replace) {
            if (std::rename(path_.c_str(), target.c_str()) != 0) why_ = errno;
            is_moved_ = why_ == 0;
        } else if (::link(path_.c_str(), target.c_str()) != 0) {
            why_ = errno;
            // A file system without links.
            if (why_ == EPERM || why_ == EOPNOTSUPP || why_ == ENOSYS) {
                unsigned const no_replace = 1; // RENAME_NOREPLACE
                is_moved_ = ::syscall(SYS_renameat2,
                                      AT_FDCWD,
                                      path_.c_str(),
                                      AT_FDCWD,
                                      target.c_str(),
                                      no_replace) == 0;
                why_ = is_moved_ ? 0 : errno;
            }
        }
        if (why_ != 0) return;
        // So that the name outlives a loss of power; some file systems cannot.
        std::filesystem::path const folder = target.parent_path();
        descriptor const there(
            ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (there.is_open()) static_cast<void>(::fsync(there.get()));
    }
    /// 0, or an errno
    [[nodiscard]] int why() const noexcept { return why_; }

private:
    std::string path_{};
    ::pid_t process_ = ::getpid(); ///< in the child of a fork the file is the parent's
    descriptor file_{};
    bool is_moved_ = false;
    int why_ = 0;
};

[[noreturn]] inline void refuse_to_write(std::string const& path, std::string const& why)
{
    throw error("a file cannot be written: " + why,
                path,
                "name another one, or see to its folder's permissions and free space");
}

/// The file that a path leads to through links, wherever the program goes meanwhile.
[[nodiscard]] inline std::filesystem::path target_of(std::string const& path)
{
    std::error_code failed;
    std::filesystem::path out = std::filesystem::weakly_canonical(path, failed);
    if (!failed && !path.empty()) out = std::filesystem::absolute(out, failed);
    return failed || path.empty() ? std::filesystem::path(path) : out;
}

/// Throws when a step of writing `made` has failed.
inline void require_written(file_beside const& made, std::string const& path)
{
    if (made.why() != 0) refuse_to_write(path, std::generic_category().message(made.why()));
}

/// An empty file beside `target`, with the mode and owner of what is there.
/// @param path  as messages have it
[[nodiscard]] inline std::unique_ptr<file_beside> begun_beside(std::string const& path,
                                                               std::filesystem::path const& target)
{
    struct ::stat old{};
    bool const is_there = ::stat(target.c_str(), &old) == 0;
    if (is_there && !S_ISREG(old.st_mode)) refuse_to_write(path, "it is not a regular file");
    if (is_there && ::access(target.c_str(), W_OK) != 0)
        refuse_to_write(path, std::generic_category().message(errno));
    auto made = std::make_unique<file_beside>(target, is_there ? 0600 : 0666);
    if (is_there) made->be_like(old);
    require_written(*made, path);
    return made;
}

/// Written beside its place, and not moved there yet.
[[nodiscard]] inline std::unique_ptr<file_beside>
written_beside(std::string const& path, std::filesystem::path const& target, std::string_view text)
{
    auto made = begun_beside(path, target);
    made->write(text);
    made->settle();
    require_written(*made, path);
    return made;
}

inline void
move_into_place(file_beside& made, std::string const& path, std::filesystem::path const& target)
{
    made.move_to(target, true);
    require_written(made, path);
}

ATTUNE_INLINE void replace_file(std::string const& path, std::string_view text)
{
    std::filesystem::path const target = target_of(path);
    move_into_place(*written_beside(path, target, text), path, target);
}

ATTUNE_INLINE void replace_files(std::vector<file_content> const& all)
{
    std::vector<std::unique_ptr<file_beside>> made;
    for (file_content const& one : all)
        made.push_back(written_beside(one.path, target_of(one.path), one.text));
    for (std::size_t i = 0; i < all.size(); ++i)
        move_into_place(*made[i], all[i].path, target_of(all[i].path));
}

ATTUNE_INLINE bool create_file(std::string const& path, std::string_view text)
{
    std::filesystem::path const target = target_of(path);
    struct ::stat there{};
    if (::lstat(target.c_str(), &there) == 0) return false;
    file_beside made(target);
    made.write(text);
    made.settle();
    made.move_to(target, false);
    if (made.why() == EEXIST) return false;
    require_written(made, path);
    return true;
}

ATTUNE_INLINE replaced_file::replaced_file(std::string path)
    : path_(std::move(path))
    , target_(target_of(path_).string())
    , made_(begun_beside(path_, target_))
{
}

ATTUNE_INLINE replaced_file::~replaced_file() = default;

ATTUNE_INLINE void replaced_file::write(std::string_view piece)
{
    if (!made_) refuse_to_write(path_, "it is finished");
    made_->write(piece);
    require_written(*made_, path_);
}

ATTUNE_INLINE void replaced_file::finish()
{
    if (!made_) refuse_to_write(path_, "it is finished");
    made_->settle();
    require_written(*made_, path_);
    move_into_place(*made_, path_, target_);
    made_.reset();
}

} // namespace attune::inline ATTUNE_ABI::detail
