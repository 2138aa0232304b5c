// attune/compile/clang/detail/headers.hpp - the leading #include block of a kernel, parsed once.
// SPDX-License-Identifier: MIT
//
// Editors that use clang have the same mechanism (PrecompiledPreamble).
#pragma once

#include <attune/compile/clang/abi.hpp>
#include <attune/compile/clang/detail/files.hpp>
#include <attune/compile/source/scan.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/PrecompiledPreamble.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Serialization/PCHContainerOperations.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

[[nodiscard]] inline clang::LangOptions const&
language_of(clang::CompilerInvocation const& invocation)
{
#if LLVM_VERSION_MAJOR >= 18
    return invocation.getLangOpts();
#else
    return *invocation.getLangOpts();
#endif
}

/// Returns "TILE_M" for the flags "-DTILE_M=64" and "-DATTUNE_VALUE_TILE_M=64".
[[nodiscard]] inline std::string_view parameter_name(std::string_view flag)
{
    std::string_view name = flag.substr(2, flag.find('=') - 2);
    if (name.starts_with(value_prefix)) name.remove_prefix(value_prefix.size());
    return name;
}

/// Detects that headers mention a parameter. Every variant must then parse the headers, because
/// their meaning depends on the parameter's value.
class parameter_watch final : public clang::PreambleCallbacks {
public:
    explicit parameter_watch(attune_clang_request const& request)
        : request_(request)
    {
    }
    void AfterExecute(clang::CompilerInstance& instance) override
    {
        clang::IdentifierTable const& names = instance.getPreprocessor().getIdentifierTable();
        for (unsigned long i = 0; i < request_.macro_count; ++i) {
            std::string_view const name = parameter_name(request_.macros[i]);
            if (names.find({name.data(), name.size()}) != names.end()) mentioned_ = true;
        }
    }
    [[nodiscard]] bool mentioned() const noexcept { return mentioned_; }

private:
    attune_clang_request const& request_;
    bool mentioned_ = false;
};

/// The parsed leading #include block of a kernel.
class parsed_headers {
public:
    /// @param invocation  without the macros of a variant
    /// @param touched     the files that `files` has recorded
    /// @return  null if the kernel does not begin with includes, the headers contain an error
    ///          (which the variant reports), or they depend on a parameter
    [[nodiscard]] static std::unique_ptr<parsed_headers const>
    parse(clang::CompilerInvocation const& invocation, attune_clang_request const& request,
          clang::DiagnosticsEngine& diagnostics,
          llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, touched_files const& touched)
    {
        llvm::StringRef const text(request.text, request.text_size);
        clang::PreambleBounds const bounds = bounds_of(invocation, request);
        if (bounds.Size == 0 || !text.take_front(bounds.Size).contains("include")) return nullptr;
        std::unique_ptr<llvm::MemoryBuffer> const main =
            llvm::MemoryBuffer::getMemBufferCopy(text, request.path);
        parameter_watch watch(request);
        auto const made = clang::PrecompiledPreamble::Build(
            invocation, main.get(), bounds, diagnostics, files,
            std::make_shared<clang::PCHContainerOperations>(), true,
#if LLVM_VERSION_MAJOR >= 17
            "",
#endif
            watch);
        if (!made || watch.mentioned() || diagnostics.hasErrorOccurred() || touched.unlisted)
            return nullptr;
        // The bytes are readable only from the path at which a compilation would read them.
        clang::CompilerInvocation user(invocation);
        user.getPreprocessorOpts().RetainRemappedFileBuffers = true;
        made->AddImplicitPreamble(user, files, main.get());
        auto const bytes = files->getBufferForFile(user.getPreprocessorOpts().ImplicitPCHInclude);
        if (!bytes) return nullptr;
        auto headers = std::make_unique<parsed_headers>();
        headers->bounds_ = {bounds.Size, bounds.PreambleEndsAtStartOfLine};
        headers->bytes_ = (*bytes)->getBuffer().str();
        headers->touched_ = touched;
        return headers;
    }

    template <class Self, class Visit>
    static void members(Self& self, Visit& visit)
    {
        visit(self.bounds_, self.touched_, self.bytes_);
    }
    [[nodiscard]] touched_files const& touched() const noexcept { return touched_; }

    /// Returns false if a header has changed on disk, or an absent one has appeared. Times count as
    /// well as contents, because Clang compares them when it quotes a header.
    [[nodiscard]] bool usable() const { return touched_.unchanged(); }
    /// Makes `invocation` begin after the headers.  @param main  the whole text; must outlive it
    void apply(clang::CompilerInvocation& invocation,
               llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& files,
               llvm::MemoryBuffer& main) const
    {
        constexpr char const* path = "/attune-headers/kernel.pch";
        clang::PreprocessorOptions& options = invocation.getPreprocessorOpts();
        options.addRemappedFile(invocation.getFrontendOpts().Inputs[0].getFile(), &main);
        options.PrecompiledPreambleBytes = bounds_;
        options.DisablePCHOrModuleValidation = clang::DisableValidationForModuleKind::PCH;
        options.UsePredefines = false; // the parsed headers contain them
        options.ImplicitPCHInclude = path;
        auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
        memory->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(bytes_, path, false));
        auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(files);
        overlay->pushOverlay(memory);
        files = overlay;
    }

private:
    [[nodiscard]] static clang::PreambleBounds
    bounds_of(clang::CompilerInvocation const& invocation, attune_clang_request const& request)
    {
        // Searches only the kernel's text, because the text that attune appends begins with
        // directives too. A line such as `#define BLOCK (2 * TILE_M)` ends the block, because
        // variants differ.
        llvm::StringRef const kernel(request.text, request.kernel_size);
        clang::PreambleBounds bounds =
            clang::Lexer::ComputePreamble(kernel, language_of(invocation));
        std::size_t const limit = first_line_that_mentions(kernel, request);
        if (limit < bounds.Size) bounds = {static_cast<unsigned>(limit), true};
        return bounds;
    }

    /// Returns the start of the first line that mentions a parameter outside of comments; npos if
    /// there is none.
    [[nodiscard]] static std::size_t first_line_that_mentions(llvm::StringRef kernel,
                                                              attune_clang_request const& request)
    {
        std::size_t line_begin = 0;
        code_cursor cursor({kernel.data(), kernel.size()});
        while (!cursor.at_end()) {
            if (code_cursor::is_word(cursor.peek())) {
                std::string_view const word = cursor.word();
                for (unsigned long i = 0; i < request.macro_count; ++i)
                    if (word == parameter_name(request.macros[i])) return line_begin;
                continue;
            }
            if (cursor.peek() == '\n') line_begin = cursor.position() + 1;
            cursor.step();
        }
        return std::string_view::npos;
    }

    std::pair<unsigned, bool> bounds_{}; ///< bytes of the text; true if they end a line
    std::string bytes_{};
    touched_files touched_{};
};

/// Returns the bytes of headers that an earlier process parsed; empty if there are none.
[[nodiscard]] inline std::string kept_headers(std::string const& key,
                                              attune_clang_request const& request)
{
    if (request.keeper == nullptr) return {};
    unsigned long size = 0;
    auto const* const bytes = request.keeper->find(request.keeper->self, key.c_str(), &size);
    return bytes != nullptr ? std::string(reinterpret_cast<char const*>(bytes), size)
                            : std::string{};
}

/// @param bytes  later result of kept_headers()
inline void keep_headers(std::string const& key, std::string const& bytes,
                         touched_files const& touched, attune_clang_request const& request)
{
    if (request.keeper == nullptr || touched.unlisted) return;
    std::vector<char const*> read;
    std::vector<char const*> missed;
    for (auto const& [path, seen] : touched.read)
        read.push_back(path.c_str());
    for (std::string const& path : touched.missed)
        missed.push_back(path.c_str());
    request.keeper->keep(request.keeper->self, key.c_str(),
                         reinterpret_cast<unsigned char const*>(bytes.data()), bytes.size(),
                         read.data(), read.size(), missed.data(), missed.size());
}

} // namespace attune::inline ATTUNE_ABI::detail
