// attune/core/posix/replace_file.ipp - open, write, fsync, rename or link.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/replace_file.hpp>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// A file beside another file; the destructor removes it.
class file_beside {
public:
    /// Chooses a name that no file has. Never opens an existing file or follows a link.
    /// @param target  outlives this object
    /// @param mode    until be_like()
    explicit file_beside(checked_place const& target, ::mode_t mode = 0666)
        : target_(target)
    {
        static std::atomic<unsigned> count{0};
        for (int tries_left = 1000; tries_left > 0; --tries_left) {
            name_ = target.name + '.' + std::to_string(::getpid()) + '-' +
                    std::to_string(count.fetch_add(1)) + ".new";
            file_ =
                descriptor(::openat(target.folder.get(), name_.c_str(),
                                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
            if (file_.is_open() || errno != EEXIST) break;
        }
        why_ = file_.is_open() ? 0 : errno;
    }
    ~file_beside()
    {
        if (file_.is_open() && !is_moved_ && process_ == ::getpid())
            ::unlinkat(target_.folder.get(), name_.c_str(), 0);
    }
    file_beside(file_beside const&) = delete;
    file_beside& operator=(file_beside const&) = delete;

    /// Takes over the mode of `old`, and its owner if this process may give files away.
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
    /// Flushes the text to disk, so that it survives a loss of power.
    void settle()
    {
        if (why_ == 0 && ::fsync(file_.get()) != 0 && errno != EINVAL) why_ = errno;
    }
    /// @param may_replace  replaces an existing target; if false, why() is then EEXIST
    void move_into_place(bool may_replace)
    {
        if (why_ != 0) return;
        int const folder = target_.folder.get();
        char const* const from = name_.c_str();
        char const* const to = target_.name.c_str();
        if (may_replace) {
            if (::renameat(folder, from, folder, to) != 0) why_ = errno;
            is_moved_ = why_ == 0;
        } else if (::linkat(folder, from, folder, to, 0) != 0) {
            why_ = errno;
            // The file system has no links.
            if (why_ == EPERM || why_ == EOPNOTSUPP || why_ == ENOSYS) {
                unsigned const no_replace = 1; // RENAME_NOREPLACE
                is_moved_ = ::syscall(SYS_renameat2, folder, from, folder, to, no_replace) == 0;
                why_ = is_moved_ ? 0 : errno;
            }
        }
        if (why_ != 0) return;
        // Flushes the name too. Some file systems cannot do so.
        descriptor const there(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (there.is_open()) static_cast<void>(::fsync(there.get()));
    }
    [[nodiscard]] int why() const noexcept { return why_; }

private:
    checked_place const& target_;
    std::string name_{};
    ::pid_t process_ = ::getpid(); ///< a forked child must not remove the parent's file
    descriptor file_{};
    bool is_moved_ = false;
    int why_ = 0;
};

[[noreturn]] inline void refuse_to_write(std::string const& path, std::string const& why)
{
    throw error("a file cannot be written: " + why, path,
                "name another one, or see to its folder's permissions and free space");
}

/// Throws if a step of writing `made` has failed.
inline void require_written(file_beside const& made, std::string const& path)
{
    if (made.why() != 0) refuse_to_write(path, std::generic_category().message(made.why()));
}

/// The file at the end of this user's links. A later chdir() of the program does not change it.
[[nodiscard]] inline checked_place target_of(std::string const& path)
{
    checked_place out = place_of(path);
    if (!out.folder.is_open()) refuse_to_write(path, std::generic_category().message(out.error));
    if (!out.link_of_other.empty()) refuse_to_write(path, out.link_of_other);
    return out;
}

/// A file written under another name, then renamed.
class file_in_writing {
public:
    /// Makes an empty file beside the target, with the mode and owner of the target.
    /// @param path  the path to name in messages
    explicit file_in_writing(std::string const& path, bool may_replace = true,
                             file_readers who = file_readers::by_umask)
        : path_(path)
        , target_(target_of(path))
    {
        int const folder = target_.folder.get();
        char const* const name = target_.name.c_str();
        struct ::stat old{};
        is_there_ = ::fstatat(folder, name, &old, AT_SYMLINK_NOFOLLOW) == 0;
        is_there_ = is_there_ || (!may_replace && target_.is_linked);
        if (!may_replace && is_there_) return;
        if (is_there_ && !S_ISREG(old.st_mode)) refuse_to_write(path, "it is not a regular file");
        if (is_there_ && ::faccessat(folder, name, W_OK, AT_EACCESS) != 0)
            refuse_to_write(path, std::generic_category().message(errno));
        if (!is_there_ && target_.is_linked)
            refuse_to_write(path,
                            "it is a symbolic link to " + target_.path + ", which is not there");
        bool const is_private = who == file_readers::owner;
        made_ = std::make_unique<file_beside>(target_, is_there_ || is_private ? 0600 : 0666);
        if (is_private) old.st_mode = 0600;
        if (is_there_) made_->be_like(old);
        require_written(*made_, path_);
    }
    [[nodiscard]] bool was_there() const noexcept { return is_there_; }
    [[nodiscard]] bool is_finished() const noexcept { return made_ == nullptr; }

    void write(std::string_view piece)
    {
        made_->write(piece);
        require_written(*made_, path_);
    }
    void settle()
    {
        made_->settle();
        require_written(*made_, path_);
    }
    /// @return  false: the target exists and may not be replaced
    bool finish(bool may_replace = true)
    {
        made_->move_into_place(may_replace);
        if (!may_replace && made_->why() == EEXIST) return false;
        require_written(*made_, path_);
        made_.reset();
        return true;
    }

private:
    std::string path_;
    checked_place target_; ///< fixed at construction
    bool is_there_ = false;
    std::unique_ptr<file_beside> made_{}; ///< null after finish()
};

ATTUNE_INLINE void replace_file(std::string const& path, std::string_view text, file_readers who)
{
    file_in_writing made(path, true, who);
    made.write(text);
    made.settle();
    made.finish();
}

ATTUNE_INLINE void replace_files(std::vector<file_content> const& all)
{
    std::vector<std::unique_ptr<file_in_writing>> made;
    for (file_content const& one : all) {
        made.push_back(std::make_unique<file_in_writing>(one.path));
        made.back()->write(one.text);
        made.back()->settle();
    }
    for (auto const& one : made)
        one->finish();
}

ATTUNE_INLINE bool create_file(std::string const& path, std::string_view text)
{
    file_in_writing made(path, false);
    if (made.was_there()) return false;
    made.write(text);
    made.settle();
    return made.finish(false);
}

ATTUNE_INLINE replaced_file::replaced_file(std::string path)
    : path_(std::move(path))
    , made_(std::make_unique<file_in_writing>(path_))
{
}

ATTUNE_INLINE replaced_file::~replaced_file() = default;

ATTUNE_INLINE void replaced_file::write(std::string_view piece)
{
    if (made_->is_finished()) refuse_to_write(path_, "it is finished");
    made_->write(piece);
}

ATTUNE_INLINE void replaced_file::finish()
{
    if (made_->is_finished()) refuse_to_write(path_, "it is finished");
    made_->settle();
    made_->finish();
}

} // namespace attune::inline ATTUNE_ABI::detail
