// attune/compile/cache/request_key.ipp - hashes all inputs of a compilation.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/detail/flag_files.hpp>
#include <attune/compile/cache/request_key.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/matrix_view_text.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

namespace attune::inline ATTUNE_ABI::detail {

/// The variables that GCC, Clang and their linkers read and that may change the code.
inline constexpr std::array<char const*, 22> compiler_variables{
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "OBJCPLUS_INCLUDE_PATH",
    "COMPILER_PATH",
    "LIBRARY_PATH", // up to here: folders, separated by colons
    "GCC_EXEC_PREFIX",
    "GCC_COMPARE_DEBUG",
    "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES",
    "SOURCE_DATE_EPOCH",
    "LD_RUN_PATH",
    "LDEMULATION",
    "GNUTARGET",
    "CCC_OVERRIDE_OPTIONS",
    "CCC_ADD_ARGS",
    "QA_OVERRIDE_GCC3_OPTIONS",
    "CLANG_NO_DEFAULT_CONFIG",
    "CLANG_CONFIG_FILE_USER_DIR",
    "CLANG_CONFIG_FILE_SYSTEM_DIR",
    "SDKROOT"};
inline constexpr std::size_t folder_variables = 7; ///< so many of them hold folders

/// True when a list such as "/a:b" has a relative folder; an empty part is the current folder.
[[nodiscard]] inline bool has_relative_folder(std::string_view list)
{
    if (list.empty()) return false;
    for (;;) {
        std::size_t const end = std::min(list.find(':'), list.size());
        if (!list.substr(0, end).starts_with('/')) return true;
        if (end == list.size()) return false;
        list.remove_prefix(end + 1);
    }
}

/// True when the text may name a file other than as <name>: by quotes, by a macro, in assembly.
[[nodiscard]] inline bool may_name_file(std::string_view text)
{
    std::string plain(text);
    for (std::size_t at = 0; (at = plain.find("\\\n", at)) != plain.npos;)
        plain.erase(at, 2);
    if (plain.find("incbin") != plain.npos || plain.find("embed") != plain.npos ||
        plain.find("import") != plain.npos)
        return true;
    constexpr std::string_view word = "include";
    for (std::size_t at = 0; (at = plain.find(word, at)) != plain.npos;) {
        if (at > 0 && plain[at - 1] == '.') return true; // of the assembler
        at += word.size();
        for (std::string_view const next : {"_next", "__"})
            if (plain.compare(at, next.size(), next) == 0) at += next.size();
        while (at < plain.size() &&
               std::string_view(" \t(").find(plain[at]) != std::string_view::npos)
            ++at;
        if (at >= plain.size() || plain[at] != '<') return true;
    }
    return false;
}

/// True when the result may depend on the current folder.
[[nodiscard]] inline bool depends_on_current_folder(kernel_source const& kernel,
                                                    compile_request const& v)
{
    auto const relative = [](std::string const& path) { return !path.starts_with('/'); };
    auto const named = [](std::string const& flag) { return may_hold_path(flag); };
    std::vector<std::string> flags = kernel.flags;
    flags.insert(flags.end(), v.flags.begin(), v.flags.end());
    flags = expanded_flags(flags); // "@file" itself is a relative path
    return std::any_of(kernel.include_dirs.begin(), kernel.include_dirs.end(), relative) ||
           std::any_of(flags.begin(), flags.end(), named) ||
           std::any_of(
               compiler_variables.begin(), compiler_variables.begin() + folder_variables,
               [](char const* name) { return has_relative_folder(environment_variable(name)); }) ||
           (relative(kernel.path) && may_name_file(kernel.text)) ||
           kernel.text.find("incbin") != std::string::npos;
}

ATTUNE_INLINE std::string surroundings_of(kernel_source const& kernel, compile_request const& v)
{
    content_hash key;
    for (char const* const name : compiler_variables)
        key.add(environment_variable(name));
    std::error_code no_throw;
    if (depends_on_current_folder(kernel, v))
        key.add("folder").add(std::filesystem::current_path(no_throw).string());
    return key.hex();
}

ATTUNE_INLINE std::string request_key(std::string_view kind, std::string_view compiler,
                                      kernel_source const& kernel, compile_request const& v)
{
    content_hash key;
    auto const list = [&](std::string_view name, std::vector<std::string> const& texts) {
        key.add(name);
        for (std::string const& text : texts)
            key.add(text);
    };
    key.add(kind).add(compiler).add(translation_unit(kernel, v)).add(kernel.path);
    key.add(tunable_overlay).add(matrix_view_overlay);
    list("folders", kernel.include_dirs);
    list("flags", expanded_flags(kernel.flags));
    list("flags of the variant", expanded_flags(v.flags));
    list("macros", macro_flags(v));
    key.add(surroundings_of(kernel, v));
    return key.hex();
}

} // namespace attune::inline ATTUNE_ABI::detail
