// attune/compile/cache/detail/flag_files.hpp - the files that flags name.
// SPDX-License-Identifier: MIT
// tested by compile/identity.cpp
#pragma once

#include <attune/compile/cache/options.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// True when a flag may name a file, or writes the current folder into debug information.
[[nodiscard]] inline bool may_hold_path(std::string_view flag)
{
    // What -Wp, -Wa and -Wl hand on may be a path, and so may the value of some flags of -f and -m.
    if (flag.starts_with("-Wp,") || flag.starts_with("-Wa,") || flag.starts_with("-Wl,"))
        return true;
    constexpr std::array<std::string_view, 7> pure{"-O", "-m", "-std=", "-W", "-D", "-U", "-f"};
    if (std::none_of(pure.begin(), pure.end(),
                     [&](std::string_view start) { return flag.starts_with(start); }))
        return true;
    if (!flag.starts_with("-f") && !flag.starts_with("-m")) return false;
    constexpr std::array<std::string_view, 6> of_files{"file",   "list", "plugin",
                                                       "module", "dump", "specs"};
    return flag.find('/') != flag.npos ||
           std::any_of(of_files.begin(), of_files.end(),
                       [&](std::string_view word) { return flag.find(word) != flag.npos; });
}

/// True when a flag makes a compiler read more than a list of files can tell: a profile of the
/// program's runs, modules that are made on the way, a plugin, another installation.
[[nodiscard]] inline bool reads_the_unknown(std::string_view flag)
{
    constexpr std::array<std::string_view, 22> starts{"-fprofile-",
                                                      "-fauto-profile",
                                                      "-fbranch-prob",
                                                      "-fcs-profile",
                                                      "-fmodule",
                                                      "-fimplicit-module",
                                                      "-fprebuilt-module",
                                                      "-fplugin",
                                                      "-fpass-plugin",
                                                      "-load",
                                                      "-fthinlto",
                                                      "-specs",
                                                      "--specs",
                                                      "-B",
                                                      "--sysroot",
                                                      "-isysroot",
                                                      "--gcc-",
                                                      "--config",
                                                      "-ivfsoverlay",
                                                      "-working-directory",
                                                      "-vfsoverlay",
                                                      "-resource-dir"};
    return flag.find('@') == 0 || flag.find(",@") != flag.npos ||
           std::any_of(starts.begin(), starts.end(),
                       [&](std::string_view start) { return flag.starts_with(start); });
}

/// Adds the files that flags name: each word that is a file counts by its content, one that looks
/// like a path must stay absent.
/// @param flags  of the compiler, the kernel and the variant, without files of flags
inline void add_flag_files(std::vector<std::string> const& flags, cache_inputs& inputs)
{
    std::error_code no_throw;
    for (std::string const& flag : flags) {
        if (!may_hold_path(flag)) continue;
        inputs.unlisted = inputs.unlisted || reads_the_unknown(flag);
        for (std::string_view rest = flag; !rest.empty();) {
            std::size_t const end = std::min(rest.find_first_of("=,"), rest.size());
            std::string_view const word = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            if (word.empty() || word.front() == '-') continue;
            std::string const path = std::filesystem::absolute(word, no_throw).string();
            if (stamp_of(path))
                inputs.read.push_back(path);
            else if (word.find_first_of("./") != word.npos && is_absent(path))
                inputs.missed.push_back(path);
        }
    }
}

} // namespace attune::inline ATTUNE_ABI::detail
