// attune/compile/clang/detail/assembled_files.hpp - the files that inline assembly of a kernel reads.
// SPDX-License-Identifier: MIT
//
// LLVM's assembler opens the file of an .incbin itself, past the file system of the front end.
#pragma once

#include <attune/compile/clang/detail/files.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/core/version.hpp>

#include <clang/Lex/HeaderSearchOptions.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Casting.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The file of an .incbin, and the places that the assembler looks at before it.
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

/// Adds the files that a text of assembly names. A text that includes another, or that macros of
/// the assembler make, has no list.
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

/// @param search  whose folders the assembler searches too
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
