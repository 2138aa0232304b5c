// attune/compile/clang/detail/headers.hpp - the leading #include block of a kernel, parsed once.
// SPDX-License-Identifier: MIT
//
// The mechanism is that of editors that use clang (PrecompiledPreamble)
#pragma once

#include <attune/compile/clang/abi.hpp>
#include <attune/compile/clang/detail/files.hpp>
#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/scan.hpp>
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

/// "TILE_M" of the flags "-DTILE_M=64" and "-DATTUNE_VALUE_TILE_M=64".
[[nodiscard]] inline std::string_view parameter_name(std::string_view flag)
{
    std::string_view name = flag.substr(2, flag.find('=') - 2);
    if (name.starts_with(value_prefix)) name.remove_prefix(value_prefix.size());
    return name;
}

/// Finds out whether the headers mention a parameter: then their meaning depends on its value, and
/// they must be parsed for every variant.
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

/// The parsed headers of a kernel.
class parsed_headers {
public:
    /// @param invocation  without the macros of a variant
    /// @param touched     the files that `files` has recorded
    /// @return  null when the kernel does not begin with includes, the headers contain an error
    ///          (which the variant reports), or they depend on a parameter
    [[nodiscard]] static std::unique_ptr<parsed_headers const>
    parse(clang::CompilerInvocation const& invocation,
          attune_clang_request const& request,
          clang::DiagnosticsEngine& diagnostics,
          llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
          touched_files const& touched)
    {
        llvm::StringRef const text(request.text, request.text_size);
        clang::PreambleBounds const bounds = bounds_of(invocation, request);
        if (bounds.Size == 0 || !text.take_front(bounds.Size).contains("include")) return nullptr;
        std::unique_ptr<llvm::MemoryBuffer> const main =
            llvm::MemoryBuffer::getMemBufferCopy(text, request.path);
        parameter_watch watch(request);
        auto const made =
            clang::PrecompiledPreamble::Build(invocation,
                                              main.get(),
                                              bounds,
                                              diagnostics,
                                              files,
                                              std::make_shared<clang::PCHContainerOperations>(),
                                              true,
#if LLVM_VERSION_MAJOR >= 17
                                              "",
#endif
                                              watch);
        if (!made || watch.mentioned() || diagnostics.hasErrorOccurred() || touched.unlisted)
            return nullptr;
        // The bytes can only be read from the path at which a compilation would read them.
        clang::CompilerInvocation user(invocation);
        user.getPreprocessorOpts().RetainRemappedFileBuffers = true;
        made->AddImplicitPreamble(user, files, main.get());
        auto const bytes = files->getBufferForFile(user.getPreprocessorOpts().ImplicitPCHInclude);
        if (!bytes) return nullptr;
        std::unique_ptr<parsed_headers> headers(new parsed_headers);
        headers->bounds_ = {bounds.Size, bounds.PreambleEndsAtStartOfLine};
        headers->bytes_ = (*bytes)->getBuffer().str();
        headers->touched_ = touched;
        return headers;
    }

    /// @param kept  the result of text(), in this or another process
    /// @return  null when `kept` has another form
    [[nodiscard]] static std::unique_ptr<parsed_headers const> restore(llvm::StringRef kept)
    {
        auto const line = [&kept] {
            auto const [first, rest] = kept.split('\n');
            kept = rest;
            return first;
        };
        std::unique_ptr<parsed_headers> headers(new parsed_headers);
        std::size_t read = 0;
        std::size_t missed = 0;
        if (line() != first_line || line().getAsInteger(10, headers->bounds_.first) ||
            line().getAsInteger(10, read) || line().getAsInteger(10, missed))
            return nullptr;
        headers->bounds_.second = line() == "1";
        headers->touched_.folder = line().str();
        for (std::size_t i = 0; i < read; ++i) {
            std::string const path = line().str();
            seen_file& seen = headers->touched_.read[path];
            for (std::int64_t* const n : {&seen.stamp.bytes,
                                          &seen.stamp.modified_ns,
                                          &seen.stamp.changed_ns,
                                          &seen.stamp.number})
                if (line().getAsInteger(10, *n)) return nullptr;
            seen.hash = line().str();
        }
        for (std::size_t i = 0; i < missed; ++i)
            headers->touched_.missed.insert(line().str());
        headers->bytes_ = kept.str();
        if (headers->touched_.read.size() != read || headers->bytes_.empty()) return nullptr;
        return headers;
    }
    /// Everything, as text for restore().
    [[nodiscard]] std::string text() const
    {
        std::string out = first_line.str() + '\n';
        auto const add = [&out](std::string const& line) { out += line + '\n'; };
        add(std::to_string(bounds_.first));
        add(std::to_string(touched_.read.size()));
        add(std::to_string(touched_.missed.size()));
        add(bounds_.second ? "1" : "0");
        add(touched_.folder);
        for (auto const& [path, seen] : touched_.read) {
            add(path);
            for (std::int64_t const n : {seen.stamp.bytes,
                                         seen.stamp.modified_ns,
                                         seen.stamp.changed_ns,
                                         seen.stamp.number})
                add(std::to_string(n));
            add(seen.hash);
        }
        for (std::string const& path : touched_.missed)
            add(path);
        return out + bytes_;
    }
    [[nodiscard]] touched_files const& touched() const noexcept { return touched_; }

    /// False when a header has changed on disk, or an absent one has appeared. Times count as well
    /// as contents, because Clang compares them when it quotes a header.
    [[nodiscard]] bool usable() const { return touched_.unchanged(); }
    /// Lets `invocation` begin after the headers.  @param main  the whole text; must outlive it
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
    static constexpr llvm::StringLiteral first_line = "attune headers 2";

    parsed_headers() = default;

    [[nodiscard]] static clang::PreambleBounds
    bounds_of(clang::CompilerInvocation const& invocation, attune_clang_request const& request)
    {
        // Only in the kernel's text, because the text that attune appends begins with directives
        // too. A line such as `#define BLOCK (2 * TILE_M)` ends the block, since variants differ.
        llvm::StringRef const kernel(request.text, request.kernel_size);
        clang::PreambleBounds bounds =
            clang::Lexer::ComputePreamble(kernel, language_of(invocation));
        std::size_t const limit = first_line_that_mentions(kernel, request);
        if (limit < bounds.Size) bounds = {static_cast<unsigned>(limit), true};
        return bounds;
    }

    /// Start of the first line that mentions a parameter outside of comments; npos without one.
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

    std::pair<unsigned, bool> bounds_{}; ///< bytes of the text; true when they end a line
    std::string bytes_{};
    touched_files touched_{};
};

/// The text of headers that an earlier process parsed; empty when there is none.
[[nodiscard]] inline std::string kept_headers(std::string const& key,
                                              attune_clang_request const& request)
{
    if (request.keeper == nullptr) return {};
    unsigned long size = 0;
    auto const* const bytes = request.keeper->find(request.keeper->self, key.c_str(), &size);
    return bytes != nullptr ? std::string(reinterpret_cast<char const*>(bytes), size)
                            : std::string{};
}

/// @param first_line  stands before the headers in what kept_headers() gives
inline void keep_headers(std::string const& key,
                         std::string const& first_line,
                         parsed_headers const& headers,
                         attune_clang_request const& request)
{
    if (request.keeper == nullptr || headers.touched().unlisted) return;
    std::string const text = first_line + '\n' + headers.text();
    std::vector<char const*> read;
    std::vector<char const*> missed;
    for (auto const& [path, seen] : headers.touched().read)
        read.push_back(path.c_str());
    for (std::string const& path : headers.touched().missed)
        missed.push_back(path.c_str());
    request.keeper->keep(request.keeper->self,
                         key.c_str(),
                         reinterpret_cast<unsigned char const*>(text.data()),
                         text.size(),
                         read.data(),
                         read.size(),
                         missed.data(),
                         missed.size());
}

} // namespace attune::inline ATTUNE_ABI::detail
