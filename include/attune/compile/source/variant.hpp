// attune/compile/source/variant.hpp - one configuration as a compiler sees it: an entry and its macros.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/launch.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// The value of a parameter. ATTUNE_TUNABLE(name, ...) becomes `value`, and so does `name` itself.
struct macro_definition {
    std::string name;
    std::string value;
    /// The kernel declares something of this name, such as `constexpr int N = ATTUNE_TUNABLE(N,
    /// 4)`: then `name` alone is no macro.
    bool is_own_name = false;

    friend bool operator==(macro_definition const&, macro_definition const&) = default;
};

/// What is compiled: `result function(arguments...)` under `macros`, with `flags` after those of
/// the compiler and of the kernel, so that of two that contradict each other the variant's holds.
struct compile_request {
    std::string function;               ///< "sgemm", "linear::sgemm" or "sgemm<4>"
    std::string result = "void";        ///< C++ text of the result's type
    std::vector<std::string> arguments; ///< C++ text of each argument's type, in order
    std::vector<macro_definition> macros;
    std::vector<std::string> flags{}; ///< of this variant alone: "-O2", "-ffast-math"
    std::string compiler{};           ///< which one of a compiler_choice; empty: its first
    launch_geometry launch{};         ///< of a kernel for a device; no part of the code itself
    std::string declarations{};       ///< lines that the types need: includes, checks of their size

    friend bool operator==(compile_request const&, compile_request const&) = default;
};

/// The signature as a sentence shows it: "void(std::span<float const>, int)".
[[nodiscard]] inline std::string signature_text(compile_request const& v)
{
    std::string text = v.result + '(';
    for (std::size_t i = 0; i < v.arguments.size(); ++i)
        text += (i == 0 ? "" : ", ") + v.arguments[i];
    return text + ')';
}

/// What <attune/tunable.hpp> tests to see that attune compiles the file.
inline constexpr char const* variant_flag = "-DATTUNE_COMPILES_VARIANT=2";

/// ATTUNE_TUNABLE(TILE_M, 16) becomes ATTUNE_VALUE_TILE_M, a name that no kernel declares.
inline constexpr std::string_view value_prefix = "ATTUNE_VALUE_";

/// What is defined for a variant: {"TILE_M", "64"}, {"ATTUNE_VALUE_TILE_M", "64"}, ...
[[nodiscard]] inline std::vector<std::pair<std::string, std::string>>
macros_defined(compile_request const& v)
{
    std::vector<std::pair<std::string, std::string>> out;
    for (macro_definition const& macro : v.macros) {
        if (!macro.is_own_name) out.emplace_back(macro.name, macro.value);
        out.emplace_back(std::string(value_prefix) + macro.name, macro.value);
    }
    return out;
}

/// The same as compiler arguments: "-DTILE_M=64", "-DATTUNE_VALUE_TILE_M=64", ...
[[nodiscard]] inline std::vector<std::string> macro_flags(compile_request const& v)
{
    std::vector<std::string> flags;
    for (auto const& [name, value] : macros_defined(v))
        flags.push_back("-D" + name + '=' + value);
    return flags;
}

/// The function and its macros as the start of a file's name: "sgemm.TILE_M=64.TILE_N=16".
[[nodiscard]] inline std::string file_name_of(compile_request const& v)
{
    std::string name = v.function;
    for (macro_definition const& macro : v.macros)
        name += '.' + macro.name + '=' + macro.value;
    std::string out;
    for (char const c : name) {
        bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') ||
                           std::string_view("._=-+,").find(c) != std::string_view::npos;
        if (c != ' ') out += plain ? c : '_';
    }
    return out.substr(0, 150);
}

/// The single flags of a text such as "-O3 -ffast-math"; blanks separate, nothing is quoted.
[[nodiscard]] inline std::vector<std::string> split_flags(std::string_view text)
{
    std::vector<std::string> flags;
    for (;;) {
        std::size_t const begin = text.find_first_not_of(" \t\n");
        if (begin == std::string_view::npos) return flags;
        text.remove_prefix(begin);
        std::size_t const end = text.find_first_of(" \t\n");
        flags.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return flags;
        text.remove_prefix(end);
    }
}

namespace detail {

/// A blank before each: " -O3 -ffast-math".
[[nodiscard]] inline std::string joined(std::vector<std::string> const& parts)
{
    std::string text;
    for (std::string const& part : parts)
        text += ' ' + part;
    return text;
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
