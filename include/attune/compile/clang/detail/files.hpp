// attune/compile/clang/detail/files.hpp - the files that Clang reads or looks for.
// SPDX-License-Identifier: MIT
//
// Absent files count too: a header that appears in an earlier include folder changes the code
// although no file that was read has changed.
#pragma once

#include <attune/compile/clang/abi.hpp>
#include <attune/core/version.hpp>

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Absolute paths.
struct touched_files {
    std::set<std::string> read{};
    std::set<std::string> missed{};

    void add(touched_files const& other)
    {
        read.insert(other.read.begin(), other.read.end());
        missed.insert(other.missed.begin(), other.missed.end());
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
            note(touched_.missed, path);
        else if (!found->isDirectory())
            note(touched_.read, path);
        return found;
    }
    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
    openFileForRead(llvm::Twine const& path) override
    {
        auto opened = ProxyFileSystem::openFileForRead(path);
        note(opened ? touched_.read : touched_.missed, path);
        return opened;
    }
#if LLVM_VERSION_MAJOR >= 19
    bool exists(llvm::Twine const& path) override { return static_cast<bool>(status(path)); }
#endif

private:
    void note(std::set<std::string>& where, llvm::Twine const& path) const
    {
        llvm::SmallString<256> full;
        path.toVector(full);
        if (!makeAbsolute(full)) where.insert(full.str().str());
    }

    touched_files& touched_;
};

inline constexpr char const* overlay_folder = "/attune-overlay";

/// The real file system, with the kernel's text, <attune/tunable.hpp> and <attune/matrix_view.hpp>
/// added in memory.
/// @param touched  records the real files that are looked at; must outlive the result
[[nodiscard]] inline llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> kernel_file_system(
    attune_clang_request const& request, llvm::StringRef text, touched_files& touched)
{
    // Not the shared real file system: its current folder is the process's, which another thread
    // may change.
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> const real(
        llvm::vfs::createPhysicalFileSystem().release());
    auto const base = llvm::makeIntrusiveRefCnt<watched_file_system>(real, touched);
    auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(base);
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    if (auto const folder = base->getCurrentWorkingDirectory())
        memory->setCurrentWorkingDirectory(*folder);
    memory->addFile(std::string(overlay_folder) + "/attune/tunable.hpp",
                    0,
                    llvm::MemoryBuffer::getMemBufferCopy(request.overlay));
    memory->addFile(std::string(overlay_folder) + "/attune/matrix_view.hpp",
                    0,
                    llvm::MemoryBuffer::getMemBufferCopy(request.views));
    memory->addFile(request.path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, request.path));
    overlay->pushOverlay(memory);
    return overlay;
}

} // namespace attune::inline ATTUNE_ABI::detail
