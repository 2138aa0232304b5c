// attune/compile/source/compile_request.hpp - one configuration as a compiler's request: function and macros.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/launch.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The value of a parameter. ATTUNE_TUNABLE(name, ...) expands to `value`, and so does `name`.
struct macro_definition {
    std::string name;
    std::string value;
    /// True: the kernel declares this name, as in `constexpr int N = ATTUNE_TUNABLE(N, 4)`, and
    /// `name` is not defined as a macro.
    bool is_own_name = false;

    friend bool operator==(macro_definition const&, macro_definition const&) = default;
};

/// A request to compile `result function(arguments...)` with `macros`. `flags` follow those of the
/// compiler and the kernel, so the variant's flag holds when two contradict each other.
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

/// The signature as messages show it: "void(std::span<float const>, int)".
[[nodiscard]] std::string signature_text(compile_request const& v);

/// <attune/tunable.hpp> tests this macro to find out that attune compiles the file.
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

/// The flags with the content of a file in place of each "@file", as GCC and Clang read it: words
/// between blanks, with quotes and backslashes; a word may name another file. A file that cannot be
/// read is left as it is.
[[nodiscard]] std::vector<std::string> expanded_flags(std::vector<std::string> const& flags);

/// The parts, each after a blank: " -O3 -ffast-math".
[[nodiscard]] std::string joined(std::vector<std::string> const& parts);

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/source/compile_request.ipp>
#endif
