// attune/compile/source/source.hpp - the text of a kernel, and the request to compile a configuration.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/embedded_file.hpp>
#include <attune/core/launch.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/generated_code.hpp>
#include <attune/declare/point.hpp>

#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The value of a parameter. ATTUNE_TUNABLE(name, ...) and `name` expand to `value`.
struct macro_definition {
    std::string name;
    std::string value;
    /// True: the kernel declares this name, as in `constexpr int N = ATTUNE_TUNABLE(N, 4)`. The
    /// macro `name` is not defined then.
    bool is_own_name = false;

    friend bool operator==(macro_definition const&, macro_definition const&) = default;
};

/// A request to compile `result function(arguments...)` with `macros`. `flags` follow the flags of
/// the compiler and the kernel. If two flags contradict each other, the variant's flag holds.
struct compile_request {
    std::string function;               ///< "sgemm", "linear::sgemm" or "sgemm<4>"
    std::string result = "void";        ///< C++ text of the result's type
    std::vector<std::string> arguments; ///< C++ text of each argument's type, in order
    std::vector<macro_definition> macros;
    std::vector<std::string> flags{}; ///< of this variant only: "-O2", "-ffast-math"
    std::string compiler{};           ///< name in a compiler_choice; empty: its first compiler
    launch_geometry launch{};         ///< for a device; not part of the code
    std::string declarations{};       ///< lines for the types: includes, checks of their size

    friend bool operator==(compile_request const&, compile_request const&) = default;
};

namespace detail {

/// The signature in messages: "void(std::span<float const>, int)".
[[nodiscard]] std::string signature_text(compile_request const& v);

/// The macro by which <attune/tunable.hpp> detects that attune compiles the file.
inline constexpr char const* variant_flag = "-DATTUNE_COMPILES_VARIANT=2";

/// ATTUNE_TUNABLE(TILE_M, 16) expands to ATTUNE_VALUE_TILE_M, a name that no kernel declares.
inline constexpr std::string_view value_prefix = "ATTUNE_VALUE_";

/// The macros of a variant: {"TILE_M", "64"}, {"ATTUNE_VALUE_TILE_M", "64"}, ...
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
macros_defined(compile_request const& v);

} // namespace detail

/// The macros of a variant as compiler flags: "-DTILE_M=64", "-DATTUNE_VALUE_TILE_M=64", ...
[[nodiscard]] std::vector<std::string> macro_flags(compile_request const& v);

namespace detail {

/// A file name from the function and its macros: "sgemm.TILE_M=64.TILE_N=16".
[[nodiscard]] std::string file_name_of(compile_request const& v);

/// The flags in a text such as "-O3 -ffast-math", separated by blanks; there is no quoting.
[[nodiscard]] std::vector<std::string> split_flags(std::string_view text);

/// The flags, with the content of a file in place of each "@file". GCC and Clang read it the same
/// way: words between blanks, with quotes and backslashes; a word may name another file. An "@file"
/// that cannot be read stays.
[[nodiscard]] std::vector<std::string> expanded_flags(std::vector<std::string> const& flags);

/// The parts, each after a blank: " -O3 -ffast-math".
[[nodiscard]] std::string joined(std::vector<std::string> const& parts);

/// The kernel that was embedded from the file with this absolute path; null if there is none.
[[nodiscard]] embedded_file const* embedded_from(embedded_files const& files,
                                                 std::string const& path);

/// The kernel that was embedded with this name.
/// Errors   attune::error that lists the embedded names, or two files of this name
[[nodiscard]] embedded_file const& embedded_under(embedded_files const& files,
                                                  std::string const& name);

/// Returns true if the file with this absolute path was embedded with exactly this text.
[[nodiscard]] bool is_embedded(embedded_files const& files, char const* path,
                               std::string_view text);

/// A configuration of a generated kernel that each tuning tries at its beginning: the default, with
/// another value of one parameter.
struct guard_configuration {
    std::string parameter;
    std::string value;
    std::string if_it_wins; ///< a sentence of the report
};

/// Writes the texts of a kernel, one for each configuration. generated_source() makes it from a
/// function. A program has one of its own, in tune/program/.
class text_generator {
public:
    virtual ~text_generator() = default;
    /// The text of a configuration of `space`, from these two arguments alone. Several threads may
    /// call it.
    [[nodiscard]] virtual std::string text_at(description const& space, point const& at) const = 0;
    /// The code of a configuration for readers, perhaps with further facts.
    /// @param standard  the default configuration
    [[nodiscard]] virtual generated_code code_at(description const& space, point const& at,
                                                 point const& standard) const
    {
        return {.text = text_at(space, at), .fallback = text_at(space, standard)};
    }
    /// Returns true if the text takes attune_span<T> for std::span<T>, see
    /// compile/source/entry.hpp.
    [[nodiscard]] virtual bool has_own_spans() const { return false; }
    [[nodiscard]] virtual std::optional<guard_configuration> guard() const { return {}; }
};

/// The generator whose text `f(space, at)` writes.
template <class F>
[[nodiscard]] std::shared_ptr<text_generator const> generator_from(F f)
{
    struct function_generator final : text_generator {
        explicit function_generator(F from)
            : write(std::move(from))
        {
        }
        std::string text_at(description const& space, point const& at) const override
        {
            return write(space, at);
        }
        F write;
    };
    return std::make_shared<function_generator const>(std::move(f));
}

} // namespace detail

/// A kernel as text. All members may be changed before the compilation.
struct kernel_source {
    std::string text;
    std::string path; ///< path in messages; quoted includes are searched first in its folder
    std::vector<std::string> include_dirs{}; ///< searched for `#include`, in order
    std::vector<std::string> flags{}; ///< further flags for this kernel, besides the compiler's
    /// Null: `text` is the text of all configurations. Otherwise `text` is only the revision of the
    /// generated text, and parameters are no macros. See generated_source().
    std::shared_ptr<detail::text_generator const> generator{};
};

/// Reads a kernel file.
///
/// @param path   absolute, or relative to the folder of the file that calls this function, or else
///               to the current folder of the process
/// @return  its text, and the path at which it was found. If there is no file: the text that
///          attune_embed_kernel or attune_add_kernel put into the program from such a path
/// Errors   attune::error that names every place of the search
[[nodiscard, gnu::visibility("hidden")]] kernel_source
source_file(std::string const& path,
            std::source_location const& caller = std::source_location::current());

/// A kernel given as text.  @param name  the file name in messages: "sgemm.kernel.cpp"
[[nodiscard]] kernel_source source_text(std::string text, std::string name);

/// The kernel that attune_embed_kernel(target file) put into this program. The kernel has its path
/// at build time, for messages and quoted includes.
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
/// mention. Searches for a quoted file beside the including file, then in the include folders;
/// skips a missing file. Does not evaluate `#if`: both branches count. For a generated kernel: its
/// revision.
[[nodiscard]] std::vector<source_part> source_parts(kernel_source const& kernel);

/// 32 hexadecimal digits that change with the text of a part or a flag. Paths do not count, so
/// records stay valid if the project moves.
[[nodiscard]] std::string source_fingerprint(kernel_source const& kernel);

/// The code of a generated kernel's configuration that a record keeps.
/// @param standard  the default configuration
/// Errors   exceptions of the generator
/// @pre     kernel.generator
[[nodiscard]] generated_code code_to_keep(kernel_source const& kernel, description const& space,
                                          point const& at, point const& standard);

/// The configuration that each tuning of a generated kernel tries; empty: none.
[[nodiscard]] std::optional<guard_configuration> declared_guard(kernel_source const& kernel);

/// A fingerprint of the three texts.
[[nodiscard]] std::string fingerprint_of(generated_code const& code);

/// The compiler's input for configuration `at`: the kernel, with the text of its generator, if it
/// has one. An exception of the generator is a failure of stage `compile`.
[[nodiscard]] std::variant<kernel_source, failure>
source_at(kernel_source const& kernel, description const& space, point const& at);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/source/source.ipp>
#endif
