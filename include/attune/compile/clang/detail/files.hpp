// attune/compile/clang/detail/files.hpp - the files that Clang reads or looks for.
// SPDX-License-Identifier: MIT
//
// Absent files count too: a header that appears in an earlier include folder changes the code
// although no file that was read has changed. So do folders: one named as a header may become it.
#pragma once

#include <attune/compile/clang/abi.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/detail/file_text.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The state of a file when Clang looked at it for the first time.
struct seen_file {
    file_stamp stamp{};
    std::string hash{}; ///< of the content, where the stamp could not show a change; else empty

    template <class Self, class Visit>
    static void members(Self& self, Visit& visit)
    {
        visit(self.stamp, self.hash);
    }
};

/// The files that a compilation depends on. Absolute paths.
struct touched_files {
    std::map<std::string, seen_file> read{}; ///< files, and folders whose entries were listed
    std::set<std::string> missed{};          ///< absent; with a slash at the end: folders
    std::string folder{};  ///< the current folder, where a relative path was looked at; else empty
    bool unlisted = false; ///< there is more than these lists tell

    template <class Self, class Visit>
    static void members(Self& self, Visit& visit)
    {
        visit(self.read, self.missed, self.folder, self.unlisted);
    }
    void add(touched_files const& other)
    {
        read.insert(other.read.begin(), other.read.end());
        missed.insert(other.missed.begin(), other.missed.end());
        if (folder.empty()) folder = other.folder;
        unlisted = unlisted || other.unlisted;
    }

    /// True when a compilation would now find the same files with the same content.
    [[nodiscard]] bool unchanged() const
    {
        std::error_code no_throw;
        if (unlisted ||
            (!folder.empty() && std::filesystem::current_path(no_throw).string() != folder))
            return false;
        return std::all_of(read.begin(), read.end(),
                           [](auto const& one) {
                               auto const& [path, seen] = one;
                               if (stamp_of_any(path) != seen.stamp) return false;
                               return seen.hash.empty() || hash_of(path) == seen.hash;
                           }) &&
               std::all_of(missed.begin(), missed.end(), [](std::string const& path) {
                   return path.ends_with('/') ? is_folder(path) : is_absent(path);
               });
    }
    /// Notes a file or folder that is there.
    void note(std::string const& path)
    {
        auto const [place, is_new] = read.try_emplace(path);
        if (!is_new) return;
        place->second.stamp = stamp_of_any(path);
        if (settled(place->second.stamp, system_clock_ns())) return;
        place->second.hash = hash_of(path);
        unlisted = unlisted || is_folder(path);
    }

private:
    /// @return  not empty
    [[nodiscard]] static std::string hash_of(std::string const& path)
    {
        std::optional<std::string> const text = file_text(path);
        return text ? content_hash{}.add(*text).hex() : "none";
    }
};

/// Records the files that are looked at. For one thread.
class watched_file_system final : public llvm::vfs::ProxyFileSystem {
public:
    /// @param touched  must outlive this
    watched_file_system(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> real,
                        touched_files& touched)
        : ProxyFileSystem(std::move(real))
        , touched_(touched)
    {
    }

    llvm::ErrorOr<llvm::vfs::Status> status(llvm::Twine const& path) override
    {
        auto found = ProxyFileSystem::status(path);
        if (!found)
            note_missed(path);
        else if (found->isDirectory())
            note_folder(path);
        else
            note_read(path);
        return found;
    }
    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
    openFileForRead(llvm::Twine const& path) override
    {
        note_read(path); // before it is read: a later change then shows
        auto opened = ProxyFileSystem::openFileForRead(path);
        if (!opened) note_missed(path);
        return opened;
    }
    llvm::vfs::directory_iterator dir_begin(llvm::Twine const& path,
                                            std::error_code& problem) override
    {
        note_read(path);
        auto entries = ProxyFileSystem::dir_begin(path, problem);
        if (problem) note_missed(path);
        return entries;
    }
#if LLVM_VERSION_MAJOR >= 19
    bool exists(llvm::Twine const& path) override { return static_cast<bool>(status(path)); }
#endif

private:
    /// The absolute path, without a slash at the end; empty when there is none.
    /// @param counts  the compilation depends on the current folder where the path is relative
    [[nodiscard]] std::string absolute(llvm::Twine const& path, bool counts) const
    {
        llvm::SmallString<256> full;
        path.toVector(full);
        bool const is_relative = !llvm::sys::path::is_absolute(full);
        if (makeAbsolute(full)) return {};
        if (auto const here = getCurrentWorkingDirectory(); counts && is_relative && here)
            touched_.folder = *here;
        return full.str().rtrim('/').str();
    }
    void note_read(llvm::Twine const& path) const
    {
        std::string const full = absolute(path, true);
        if (!full.empty() && !is_absent(full)) touched_.note(full);
    }
    void note_missed(llvm::Twine const& path) const
    {
        if (std::string full = absolute(path, true); !full.empty())
            touched_.missed.insert(std::move(full));
    }
    void note_folder(llvm::Twine const& path) const
    {
        if (std::string const full = absolute(path, false); !full.empty())
            touched_.missed.insert(full + '/');
    }

    touched_files& touched_;
};

/// The real file system.
/// @param touched  records the files that are looked at; must outlive the result
[[nodiscard]] inline llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
real_file_system(touched_files& touched)
{
    // Not the shared real file system: its current folder is the process's, which another thread
    // may change.
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> const real(
        llvm::vfs::createPhysicalFileSystem().release());
    return llvm::makeIntrusiveRefCnt<watched_file_system>(real, touched);
}

inline constexpr char const* overlay_folder = "/attune-overlay";

/// The real file system, with the kernel's text, <attune/tunable.hpp> and <attune/matrix_view.hpp>
/// added in memory.
/// @param touched  records the real files that are looked at; must outlive the result
[[nodiscard]] inline llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
kernel_file_system(attune_clang_request const& request, llvm::StringRef text,
                   touched_files& touched)
{
    auto const base = real_file_system(touched);
    auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(base);
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    if (auto const folder = base->getCurrentWorkingDirectory())
        memory->setCurrentWorkingDirectory(*folder);
    memory->addFile(std::string(overlay_folder) + "/attune/tunable.hpp", 0,
                    llvm::MemoryBuffer::getMemBufferCopy(request.overlay));
    memory->addFile(std::string(overlay_folder) + "/attune/matrix_view.hpp", 0,
                    llvm::MemoryBuffer::getMemBufferCopy(request.views));
    memory->addFile(request.path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, request.path));
    overlay->pushOverlay(memory);
    return overlay;
}

} // namespace attune::inline ATTUNE_ABI::detail
