// attune/compile/clang/detail/files.hpp - the files that Clang reads or searches for, also for assembly.
// SPDX-License-Identifier: MIT
//
// Absent files count too. A header that appears in an earlier include folder changes the code,
// although all files that were read are unchanged. Folders count too: a folder with a header's name
// may become a file.
//
// LLVM's assembler opens the file of an .incbin without the front end's file system.
#pragma once

#include <attune/compile/clang/abi.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <clang/Lex/HeaderSearchOptions.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Casting.h>
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
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The state of a file at Clang's first access.
struct seen_file {
    file_stamp stamp{};
    std::string hash{}; ///< hash of the content, if the stamp could miss a change; else empty

    template <class Self, class Visit>
    static void members(Self& self, Visit& visit)
    {
        visit(self.stamp, self.hash);
    }
};

/// The files that a compilation depends on. Absolute paths.
struct touched_files {
    std::map<std::string, seen_file> read{}; ///< files, and folders with listed entries
    std::set<std::string> missed{};          ///< absent files; with a slash at the end: folders
    std::string folder{};  ///< the current folder, if a relative path was searched; else empty
    bool unlisted = false; ///< true: these lists are incomplete

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

    /// Returns true if a compilation would now find the same files with the same content.
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
    /// Notes an existing file or folder.
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

/// Records the files that Clang reads or searches for. One thread at a time.
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
        note_read(path); // before reading: a later change then shows
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
    /// Returns the absolute path, without a slash at the end; empty if there is none.
    /// @param counts  a relative path makes the compilation depend on the current folder
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

/// Returns the real file system.
/// @param touched  records the files that Clang reads or searches for; must outlive the result
[[nodiscard]] inline llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
real_file_system(touched_files& touched)
{
    // LLVM's shared real file system uses the current folder of the process, which another thread
    // may change.
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> const real(
        llvm::vfs::createPhysicalFileSystem().release());
    return llvm::makeIntrusiveRefCnt<watched_file_system>(real, touched);
}

inline constexpr char const* overlay_folder = "/attune-overlay";

/// Returns the real file system, with the kernel's text, <attune/tunable.hpp> and
/// <attune/matrix_view.hpp> added in memory.
/// @param touched  records the real files that Clang reads or searches for; must outlive the result
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

/// Notes the file of an .incbin, and the places that the assembler searches before it.
inline void note_incbin(std::string const& name, std::vector<std::string> const& folders,
                        touched_files& touched)
{
    std::error_code no_throw;
    std::vector<std::string> places{name};
    for (std::string const& folder : folders)
        places.push_back(folder + '/' + name);
    for (std::string const& place : places) {
        if (!place.starts_with('/'))
            touched.folder = std::filesystem::current_path(no_throw).string();
        std::string const full = std::filesystem::absolute(place, no_throw).string();
        if (stamp_of(full)) return touched.note(full);
        if (is_absent(full))
            touched.missed.insert(full);
        else
            touched.unlisted = true;
    }
}

/// Adds the files in a text of assembly. A text that includes another text, or uses macros of the
/// assembler, makes the list incomplete.
inline void note_assembly(std::string_view text, std::vector<std::string> const& folders,
                          touched_files& touched)
{
    for (std::string_view const word : {".include", ".macro", ".altmacro", ".irp", ".rept"})
        if (text.find(word) != text.npos) touched.unlisted = true;
    constexpr std::string_view directive = "incbin";
    for (std::size_t at = 0; (at = text.find(directive, at)) != text.npos;) {
        at += directive.size();
        std::size_t const open = text.find_first_not_of(" \t", at);
        std::size_t const close =
            open == text.npos ? open : text.find_first_of("\"\\$\n", open + 1);
        if (close == text.npos || text[open] != '"' || text[close] != '"')
            touched.unlisted = true;
        else
            note_incbin(std::string(text.substr(open + 1, close - open - 1)), folders, touched);
    }
}

/// @param search  has the folders that the assembler searches too
inline void note_assembled_files(llvm::Module const& module,
                                 clang::HeaderSearchOptions const& search, touched_files& touched)
{
    std::vector<std::string> folders;
    for (clang::HeaderSearchOptions::Entry const& one : search.UserEntries)
        folders.push_back(one.Path);
    note_assembly(module.getModuleInlineAsm(), folders, touched);
    for (llvm::Function const& function : module)
        for (llvm::Instruction const& one : llvm::instructions(function))
            if (auto const* const call = llvm::dyn_cast<llvm::CallBase>(&one))
                if (auto const* const code =
                        llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
                    note_assembly(std::string(code->getAsmString()), folders, touched);
}

} // namespace attune::inline ATTUNE_ABI::detail
