// attune/compile/source/source.hpp - the text of a kernel and how it is to be compiled.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>

#include <source_location>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A kernel as plain text. All members may be changed freely before it is compiled.
struct kernel_source {
    std::string text;
    std::string path; ///< as messages name it; quoted includes are looked up in its folder first
    std::vector<std::string> include_dirs{}; ///< searched for `#include`, in order
    std::vector<std::string> flags{};        ///< added to the compiler's own flags, for this kernel
};

/// Reads a kernel file.
///
/// @param path   absolute, or relative to the folder of the file that calls this function, or (when
///               it is not there) to the current folder of the process
/// @return  its text, and the path under which it was found; where no file is there, the text that
///          attune_embed_kernel or attune_add_kernel has put into the program from such a path
/// Errors   attune::error that names every place where it looked
[[nodiscard]] kernel_source
source_file(std::string const& path,
            std::source_location const& caller = std::source_location::current());

/// A kernel given as text.  @param name  how messages shall call it: "sgemm.kernel.cpp"
[[nodiscard]] kernel_source source_text(std::string text, std::string name);

/// The kernel that attune_embed_kernel(target file) has put into this program. Its path is that of
/// the build, so messages point at the file; what it includes by quotes is looked up there.
///
/// @param name  as in the call of attune_embed_kernel
/// Errors   attune::error that lists the names there are. Those of a shared library are seen by
///          code whose attune::tune is linked into the same library.
[[nodiscard]] kernel_source embedded_source(std::string const& name);

/// One file of a kernel: the kernel file itself or one that it includes.
struct source_part {
    std::string path;
    std::string text;
};

/// The kernel and every file it reaches by `#include "..."`, each once, in order of first mention.
/// A quoted file is looked up beside the including file, then in the include folders; one that is
/// not found is left to the compiler to report. `#if` is not evaluated: both branches count.
[[nodiscard]] std::vector<source_part> source_parts(kernel_source const& kernel);

/// 32 hexadecimal digits that change when the text of a part or a flag changes.
/// Paths do not count, so that a kernel keeps its records when the project moves.
[[nodiscard]] std::string source_fingerprint(kernel_source const& kernel);

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/source/source.ipp>
#endif
