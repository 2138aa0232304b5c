// attune/core/posix/descriptor.ipp - follows paths one name at a time; flock(2) with a bounded wait; closes a file.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/steady_seconds.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE void descriptor::close() noexcept
{
    if (number_ >= 0) ::close(std::exchange(number_, -1));
}

ATTUNE_INLINE bool has_free_descriptors(int count) noexcept
{
    std::array<descriptor, 16> held;
    bool all = true;
    for (int i = 0; i < std::min(count, static_cast<int>(held.size())) && all; ++i) {
        held[static_cast<std::size_t>(i)] = descriptor(::open("/", O_RDONLY | O_CLOEXEC));
        all = held[static_cast<std::size_t>(i)].is_open();
    }
    return all;
}

ATTUNE_INLINE int take_flock(int file, int operation, double wait_s) noexcept
{
    double const until = steady_seconds() + wait_s;
    // A holder needs the lock for some microseconds only.
    for (long pause_ns = 20'000;; pause_ns = std::min(2 * pause_ns, 1'000'000L)) {
        if (::flock(file, operation | LOCK_NB) == 0) return 0;
        int const why = errno == EINTR ? EWOULDBLOCK : errno;
        if (why != EWOULDBLOCK || steady_seconds() >= until) return why;
        std::timespec const pause{0, pause_ns};
        ::nanosleep(&pause, nullptr);
    }
}

ATTUNE_INLINE file_lock::file_lock(int file, double wait_s) noexcept
    : file_(file)
    , is_mine_(take_flock(file, LOCK_EX, wait_s) == 0)
    , process_(::getpid())
{
}

ATTUNE_INLINE file_lock::~file_lock()
{
    if (is_mine_ && process_ == ::getpid()) ::flock(file_, LOCK_UN);
}

/// Many systems give each user a group of the same number and a umask of 002.
[[nodiscard]] inline bool is_own_group(::gid_t group) noexcept
{
    constexpr ::uid_t first_person = 1000, nobody = 65534;
    ::uid_t const user = ::geteuid();
    return group == user && user >= first_person && user != nobody;
}

[[nodiscard]] inline bool others_may_write(struct ::stat const& status) noexcept
{
    return (status.st_mode & S_IWOTH) != 0 ||
           ((status.st_mode & S_IWGRP) != 0 && !is_own_group(status.st_gid));
}

[[nodiscard]] inline std::string mode_sentence(std::string const& path, struct ::stat const& status)
{
    std::array<char, 16> mode{};
    std::snprintf(mode.data(), mode.size(), "%04o", status.st_mode & 07777u);
    return path + " has mode " + mode.data() + " (chmod go-w it)";
}

[[nodiscard]] inline std::string uid_text(::uid_t user) { return "uid " + std::to_string(user); }

[[nodiscard]] inline std::string owner_sentence(std::string const& path,
                                                struct ::stat const& status)
{
    return uid_text(status.st_uid) + " owns " + path + " (chown it)";
}

ATTUNE_INLINE std::string other_writer_of(int file, std::string const& path)
{
    struct ::stat status{};
    if (::fstat(file, &status) != 0) return path + " cannot be looked at (name another one)";
    if (status.st_uid != ::geteuid() && status.st_uid != 0) return owner_sentence(path, status);
    return others_may_write(status) ? mode_sentence(path, status) : std::string();
}

class path_walk {
public:
    explicit path_walk(std::string_view path)
    {
        if (path.empty()) {
            out_.error = ENOENT;
            return;
        }
        std::string all(path);
        if (path.front() != '/') {
            std::array<char, PATH_MAX> here{};
            if (::getcwd(here.data(), here.size()) == nullptr || here[0] != '/') {
                // If "." has no absolute path, the folders above it are not checked.
                enter(descriptor(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)), ".");
            } else {
                all = std::string(here.data()) + '/' + all;
            }
        }
        if (all.front() == '/') {
            descriptor root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
            struct ::stat status{};
            // In a container that maps this user alone, root's files have another owner number.
            if (root && ::fstat(root.get(), &status) == 0) owner_of_root_ = status.st_uid;
            enter(std::move(root), "");
        }
        rest_ = std::move(all);
        while (out_.error == 0 && step()) {
        }
        if (out_.error != 0) out_.folder.close();
        if (out_.replaced_by_other.empty()) out_.replaced_by_other = out_.link_of_other;
    }

    [[nodiscard]] checked_place take() { return std::move(out_); }

private:
    static constexpr int most_links = 40; // the limit of Linux

    [[nodiscard]] bool is_trusted(::uid_t user) const noexcept
    {
        return user == ::geteuid() || user == 0 || user == owner_of_root_;
    }

    void enter(descriptor folder, std::string path)
    {
        struct ::stat status{};
        if (!folder || ::fstat(folder.get(), &status) != 0) {
            out_.error = errno;
            return;
        }
        std::string const shown = path.empty() ? "/" : path;
        if (out_.replaced_by_other.empty()) {
            if (!is_trusted(status.st_uid))
                out_.replaced_by_other = owner_sentence("the folder " + shown, status);
            else if (others_may_write(status) && (status.st_mode & S_ISVTX) == 0)
                out_.replaced_by_other = mode_sentence("the folder " + shown, status);
        }
        out_.folder = std::move(folder);
        here_ = std::move(path);
    }

    /// Takes the next name. Returns false after the last one.
    [[nodiscard]] bool step()
    {
        rest_.erase(0, std::min(rest_.find_first_not_of('/'), rest_.size()));
        std::string const name = rest_.substr(0, rest_.find('/'));
        rest_.erase(0, name.size());
        bool const is_last = rest_.find_first_not_of('/') == rest_.npos;
        if (name.empty() || (is_last && (name == "." || name == ".."))) { // a folder, not a file
            out_.name = name.empty() ? "." : name;
            out_.path = here_ + '/' + out_.name;
            return false;
        }
        int const folder = out_.folder.get();
        if (!is_last) {
            descriptor next(
                ::openat(folder, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
            if (next) {
                enter(std::move(next), path_with(name));
                return true;
            }
            if (errno != ENOTDIR && errno != ELOOP) {
                out_.error = errno;
                return false;
            }
        }
        descriptor const link(::openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        struct ::stat status{};
        bool const is_there = link && ::fstat(link.get(), &status) == 0;
        if (is_there && S_ISLNK(status.st_mode)) {
            follow(link.get(), status, name, is_last);
            return true;
        }
        if (!is_last) {
            out_.error = is_there ? ENOTDIR : errno;
            return false;
        }
        out_.name = name;
        out_.path = here_ + '/' + name;
        return false;
    }

    void follow(int link, struct ::stat const& status, std::string const& name, bool is_last)
    {
        std::string to(PATH_MAX, '\0');
        ::ssize_t const length = ::readlinkat(link, "", to.data(), to.size());
        if (length <= 0 || ++links_ > most_links) {
            out_.error = length == 0 ? ENOENT : length < 0 ? errno : ELOOP;
            return;
        }
        to.resize(static_cast<std::size_t>(length));
        if (!is_trusted(status.st_uid) && out_.link_of_other.empty())
            out_.link_of_other = here_ + '/' + name + " is a symbolic link of " +
                                 uid_text(status.st_uid) + " (name the file itself)";
        out_.is_linked = out_.is_linked || is_last;
        rest_ = to + rest_;
        if (to.front() != '/') return;
        enter(descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)), "");
    }

    [[nodiscard]] std::string path_with(std::string const& name) const
    {
        if (name == ".") return here_;
        if (name != "..") return here_ + '/' + name;
        return here_.substr(0, std::min(here_.rfind('/'), here_.size()));
    }

    checked_place out_{};
    std::string here_{}; ///< path of the folder; empty: "/"
    std::string rest_{};
    int links_ = 0;
    ::uid_t owner_of_root_ = 0;
};

ATTUNE_INLINE checked_place place_of(std::string const& path) { return path_walk(path).take(); }

ATTUNE_INLINE checked_file open_checked(std::string const& path, int flags, unsigned mode)
{
    checked_file out;
    bool const writes = (flags & O_ACCMODE) != O_RDONLY;
    for (int attempt = 0; attempt < 100; ++attempt) {
        checked_place const place = place_of(path);
        out.error = place.error;
        if (!place.folder) return out;
        if (writes && !place.link_of_other.empty()) {
            out.error = EACCES;
            out.refused = place.link_of_other;
            return out;
        }
        // O_NONBLOCK: opening a named pipe must not wait for its other end.
        int const always = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
        auto const open = [&](int with) {
            do {
                out.file = descriptor(
                    ::openat(place.folder.get(), place.name.c_str(), with | always, mode));
            } while (!out.file && errno == EINTR);
            out.error = out.file ? 0 : errno;
        };
        open(flags & ~(O_CREAT | O_EXCL));
        if (out.error == ENOENT && (flags & O_CREAT) != 0) {
            if (place.is_linked) {
                out.refused = "it is a symbolic link to " + place.path +
                              ", which is not there (create that file, or remove the link)";
                return out;
            }
            open(flags | O_EXCL);
        }
        // Another process created it first.
        if (out.error == EEXIST || out.error == ELOOP) continue;
        if (!out.file) return out;
        out.replaced_by_other = place.replaced_by_other;
        return out;
    }
    return out;
}

ATTUNE_INLINE int create_folders_of(std::string const& path, unsigned mode)
{
    std::filesystem::path const folder = std::filesystem::path(path).parent_path();
    if (folder.empty()) return 0;
    checked_place place = place_of(folder.string());
    if (place.error == ENOENT && folder != folder.parent_path()) {
        if (int const failed = create_folders_of(folder.string(), mode); failed != 0) return failed;
        place = place_of(folder.string());
    }
    if (place.error != 0) return place.error;
    if (!place.link_of_other.empty()) return EACCES;
    struct ::stat status{};
    if (::fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
        return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
    if (errno != ENOENT || place.is_linked) return errno;
    bool const is_made = ::mkdirat(place.folder.get(), place.name.c_str(), mode) == 0;
    return is_made || errno == EEXIST ? 0 : errno;
}

} // namespace attune::inline ATTUNE_ABI::detail
