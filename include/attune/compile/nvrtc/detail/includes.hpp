// attune/compile/nvrtc/detail/includes.hpp - the files that NVRTC may read for a kernel.
// SPDX-License-Identifier: MIT
//
// NVRTC does not report the files it reads, and does not check whether precompiled headers have
// changed. So every file that an include may refer to counts, in both branches of an `#if`. Headers
// of the toolkit count, but the files that they include do not.
#pragma once

#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/detail/file_text.hpp>
#include <attune/compile/nvrtc/detail/flags.hpp>
#include <attune/compile/source/device_text.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The file of every `#include`, `#embed` and `__has_include`, as include_name() returns it.
[[nodiscard]] inline std::vector<std::string> included_names(std::string_view text)
{
    std::vector<std::string> names;
    code_cursor cursor(text);
    bool line_start = true;
    while (!cursor.at_end()) {
        char const c = cursor.peek();
        if (line_start && c == '#') {
            std::size_t const begin = cursor.position();
            while (!cursor.at_end() && cursor.peek() != '\n')
                cursor.step();
            std::string_view line = text.substr(begin, cursor.position() - begin);
            std::size_t const word = std::min(line.find_first_not_of(" \t", 1), line.size());
            if (line.substr(word).starts_with("include")) names.push_back(include_name(line));
            while (line.find("__has_include") != line.npos) {
                line.remove_prefix(line.find("__has_include") + 6);
                std::size_t const open = std::min(line.find_first_of("\"<"), line.size());
                names.push_back(include_name("include " + std::string(line.substr(open))));
            }
            continue;
        }
        if (!code_cursor::is_space(c)) line_start = false;
        if (c == '\n') line_start = true;
        if (code_cursor::is_word(c))
            cursor.word();
        else
            cursor.step();
    }
    return names;
}

/// The files that one compilation may read.
struct include_closure {
    std::set<std::string> read{};   ///< absolute paths
    std::set<std::string> missed{}; ///< absent files, absolute paths
    bool is_known = true;           ///< false: an `#include` names its file by a macro
    std::string fingerprint{};      ///< hash of paths and contents of `read`
};

/// Follows includes. Thread-safe; a file is read again only after it changed.
class include_scanner {
public:
    /// @param folders  absolute paths, searched in order; their files are followed
    /// @param toolkit  folders of the toolkit, searched last; their files are not followed
    struct places {
        std::vector<std::string> folders{};
        std::vector<std::string> toolkit{};
    };

    /// All files that `names`, included by a file in `folder`, lead to.
    [[nodiscard]] include_closure closure(std::vector<std::string> const& names,
                                          std::string const& folder, places const& where)
    {
        include_closure found;
        content_hash hash;
        follow(names, folder, where, found);
        for (std::string const& path : found.read)
            hash.add(path).add(file(path).hash);
        found.fingerprint = hash.hex();
        return found;
    }

    /// True when a file of a closure mentions one of the macros.
    [[nodiscard]] bool any_mentions(include_closure const& files,
                                    std::vector<macro_definition> const& macros)
    {
        return std::any_of(files.read.begin(), files.read.end(), [&](std::string const& path) {
            return mentions(file(path).text, macros);
        });
    }

private:
    struct known_file {
        file_stamp stamp{};
        std::string text{};
        std::string hash{};
        std::vector<std::string> names{};
    };

    void follow(std::vector<std::string> const& names, std::string const& folder,
                places const& where, include_closure& found)
    {
        for (std::string const& name : names) {
            if (name.size() < 3 || (name.front() != '"' && name.front() != '<')) {
                found.is_known = false;
                continue;
            }
            std::string const file_name = name.substr(1, name.size() - 2);
            if (file_name == "attune/tunable.hpp" || file_name == "attune/matrix_view.hpp")
                continue;
            if (file_name.front() == '/') {
                visit(file_name, where, found, true);
                continue;
            }
            if (name.front() == '"') visit(folder + '/' + file_name, where, found, true);
            for (std::string const& place : where.folders)
                visit(place + '/' + file_name, where, found, true);
            for (std::string const& place : where.toolkit)
                visit(place + '/' + file_name, where, found, false);
        }
    }

    void visit(std::string const& path, places const& where, include_closure& found, bool follows)
    {
        std::string const plain = std::filesystem::path(path).lexically_normal().string();
        if (!stamp_of(plain)) {
            if (follows) found.missed.insert(plain);
            return;
        }
        if (!found.read.insert(plain).second || !follows) return;
        follow(file(plain).names, folder_of(plain), where, found);
    }

    [[nodiscard]] known_file file(std::string const& path)
    {
        std::optional<file_stamp> const stamp = stamp_of(path);
        if (!stamp) return {};
        {
            std::lock_guard const lock(mutex_);
            auto const found = files_.find(path);
            if (found != files_.end() && found->second.stamp == *stamp) return found->second;
        }
        bool const keep = settled(*stamp, system_clock_ns());
        known_file made;
        made.stamp = *stamp;
        made.text = file_text(path).value_or(std::string{});
        made.hash = content_hash{}.add_raw(made.text).hex();
        made.names = included_names(made.text);
        std::lock_guard const lock(mutex_);
        if (keep) files_[path] = made;
        return made;
    }

    std::mutex mutex_{};
    std::map<std::string, known_file> files_{};
};

/// The folders in which a kernel's includes are searched for; its own folder is the first.
/// @param flags  as plain_flags() returns them
[[nodiscard]] inline include_scanner::places nvrtc_places(kernel_source const& kernel,
                                                          std::vector<std::string> const& flags,
                                                          std::vector<std::string> const& toolkit)
{
    std::error_code no_throw;
    include_scanner::places where;
    auto const add = [&](std::string const& folder) {
        where.folders.push_back(std::filesystem::absolute(folder, no_throw).string());
    };
    add(folder_of(kernel.path));
    for (std::string const& folder : kernel.include_dirs)
        add(folder);
    for (std::string const& flag : flags)
        if (std::string const folder = include_folder_of_flag(flag); !folder.empty()) add(folder);
    where.toolkit = toolkit;
    return where;
}

} // namespace attune::inline ATTUNE_ABI::detail
