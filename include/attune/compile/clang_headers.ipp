// attune/compile/clang_headers.ipp - the leading #include block of a kernel, parsed once.
// SPDX-License-Identifier: MIT
//
// Stage    declare -> space -> search -> [compile] -> measure -> remember
// In       a kernel's text and the names of its parameters
// Out      a precompiled header in memory that every variant starts from
// Source   own; the mechanism is the preamble of clang's editors (PrecompiledPreamble)
// Depends  LLVM and Clang 16 to 19
// Tests    tests/compile/clang.cpp
#pragma once

#include <attune/compile/clang_abi.hpp>
#include <attune/compile/scan.hpp>

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/PrecompiledPreamble.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Serialization/PCHContainerOperations.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::detail {

[[nodiscard]] inline clang::LangOptions const&
language_of(clang::CompilerInvocation const& invocation)
{
#if LLVM_VERSION_MAJOR >= 18
    return invocation.getLangOpts();
#else
    return *invocation.getLangOpts();
#endif
}

/// "TILE_M" of "-DTILE_M=64".
[[nodiscard]] inline std::string_view parameter_name(std::string_view flag)
{
    return flag.substr(2, flag.find('=') - 2);
}

/// Looks whether the headers mention a parameter: then what they mean depends on its value, and
/// they must be read anew for every variant.
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

/// Headers parsed once.
class parsed_headers {
public:
    /// @param invocation  without the macros of a variant
    /// @return  null when the kernel does not begin with includes, they contain an error (which the
    ///          variant will report), or they depend on a parameter
    [[nodiscard]] static std::unique_ptr<parsed_headers const>
    parse(clang::CompilerInvocation const& invocation,
          attune_clang_request const& request,
          clang::DiagnosticsEngine& diagnostics,
          llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> const& files)
    {
        llvm::StringRef const text(request.text, request.text_size);
        clang::PreambleBounds const bounds = bounds_of(invocation, request);
        if (bounds.Size == 0 || !text.take_front(bounds.Size).contains("include")) return nullptr;
        std::unique_ptr<llvm::MemoryBuffer> const main =
            llvm::MemoryBuffer::getMemBufferCopy(text, request.path);
        parameter_watch watch(request);
        auto made =
            clang::PrecompiledPreamble::Build(invocation,
                                              main.get(),
                                              bounds,
                                              diagnostics,
                                              files,
                                              std::make_shared<clang::PCHContainerOperations>(),
                                              true,
                                              "",
                                              watch);
        if (!made || watch.mentioned() || diagnostics.hasErrorOccurred()) return nullptr;
        return std::unique_ptr<parsed_headers const>(new parsed_headers(std::move(*made), bounds));
    }

    /// False once a header has changed on disk.
    [[nodiscard]] bool usable_for(clang::CompilerInvocation const& invocation,
                                  llvm::MemoryBuffer const& main,
                                  llvm::vfs::FileSystem& files) const
    {
        return preamble_.CanReuse(invocation, main.getMemBufferRef(), bounds_, files);
    }
    void apply(clang::CompilerInvocation& invocation,
               llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>& files,
               llvm::MemoryBuffer& main) const
    {
        preamble_.AddImplicitPreamble(invocation, files, &main);
    }

private:
    parsed_headers(clang::PrecompiledPreamble preamble, clang::PreambleBounds bounds)
        : preamble_(std::move(preamble))
        , bounds_(bounds)
    {
    }

    [[nodiscard]] static clang::PreambleBounds
    bounds_of(clang::CompilerInvocation const& invocation, attune_clang_request const& request)
    {
        // Of the kernel's own text: what attune puts after it begins with directives, too. A line
        // such as `#define BLOCK (2 * TILE_M)` ends the block: it belongs to the variant.
        llvm::StringRef const kernel(request.text, request.kernel_size);
        clang::PreambleBounds bounds =
            clang::Lexer::ComputePreamble(kernel, language_of(invocation));
        std::size_t const limit = first_line_that_mentions(kernel, request);
        if (limit < bounds.Size) bounds = {static_cast<unsigned>(limit), true};
        return bounds;
    }

    /// Where the line begins that first mentions a parameter outside of comments; npos without one.
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

    clang::PrecompiledPreamble preamble_;
    clang::PreambleBounds bounds_;
};

} // namespace attune::detail
