// attune/compile/source/source.hpp - the text of a kernel, its includes and flags.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/generated_code.hpp>
#include <attune/declare/point.hpp>

#include <functional>
#include <source_location>
#include <string>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// A kernel as text. All members may be changed before it is compiled.
struct kernel_source {
    std::string text;
    std::string path; ///< in messages; its folder is searched first for quoted includes
    std::vector<std::string> include_dirs{}; ///< searched for `#include`, in order
    std::vector<std::string> flags{};        ///< added to the compiler's own flags, for this kernel
    /// Writes the text of a configuration of the space, from that alone; empty: `text` is the text
    /// of all. With it, `text` is only the revision of what it writes, and parameters are no
    /// macros. See generated_source().
    std::function<std::string(description const& space, point const& at)> generate{};
    /// Of generated text that takes attune_span<T> for std::span<T>, see
    /// compile/source/own_span.hpp.
    bool has_own_spans = false;
    /// Of a program: the same text as people read it, and what is beside it; without its print.
    /// Empty: it is what `generate` writes.
    std::function<generated_code(description const& space, point const& at)> tell{};
};

/// Reads a kernel file.
///
/// @param path   absolute, or relative to the folder of the file that calls this function, or else
///               to the current folder of the process
/// @return  its text, and the path at which it was found. If there is no file: the text that
///          attune_embed_kernel or attune_add_kernel put into the program from such a path
/// Errors   attune::error that names every place that was tried
[[nodiscard, gnu::visibility("hidden")]] kernel_source
source_file(std::string const& path,
            std::source_location const& caller = std::source_location::current());

/// A kernel given as text.  @param name  the file name in messages: "sgemm.kernel.cpp"
[[nodiscard]] kernel_source source_text(std::string text, std::string name);

/// The kernel that attune_embed_kernel(target file) put into this program. Its path is that at
/// build time, for messages and for quoted includes.
///
/// @param name  as in the call of attune_embed_kernel
/// Errors   attune::error that lists the embedded names, or two files that were embedded with this
///          name. A program and each of its shared libraries find only their own kernels
[[nodiscard, gnu::visibility("hidden")]] kernel_source embedded_source(std::string const& name);

namespace detail {

/// A file of a kernel: the kernel file, or a file that it includes.
struct source_part {
    std::string path;
    std::string text;
};

/// The kernel and every file that it reaches by `#include "..."`, each once, in order of first
/// mention. A quoted file is searched for beside the including file, then in the include folders; a
/// missing file is skipped. `#if` is not evaluated: both branches count. Of a generated kernel: its
/// revision.
[[nodiscard]] std::vector<source_part> source_parts(kernel_source const& kernel);

/// 32 hexadecimal digits that change with the text of a part or a flag. Paths do not count, so that
/// records stay valid when the project moves.
[[nodiscard]] std::string source_fingerprint(kernel_source const& kernel);

/// The part of a generated kernel's configuration that a record keeps.
/// @param standard  the default configuration
/// Errors   what the generator throws
/// @pre     kernel.generate
[[nodiscard]] generated_code code_to_keep(kernel_source const& kernel, description const& space,
                                          point const& at, point const& standard);

/// Stands for the three texts.
[[nodiscard]] std::string fingerprint_of(generated_code const& code);

/// What a compiler is given for configuration `at`: the kernel, with the text that its generator
/// writes, if it has one. What the generator throws is a failure of stage `compile`.
[[nodiscard]] std::variant<kernel_source, failure>
source_at(kernel_source const& kernel, description const& space, point const& at);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/source/source.ipp>
#endif
