// attune/compile/system/detail/inputs.hpp - the files that a spawned compiler depends on.
// SPDX-License-Identifier: MIT
//
// A spawned compiler does not report files that it looked for and did not find. So every place
// before the system's folders where a file of a name that was read could appear counts as missed.
#pragma once

#include <attune/compile/cache/options.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/detail/file_text.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The files in a rule for make: "object: a.cpp b.hpp \"; a blank in a name is written as "\ ".
[[nodiscard]] inline std::vector<std::string> files_of_rule(std::string_view rule)
{
    std::vector<std::string> files;
    std::string name;
    auto const finish = [&] {
        if (!name.empty()) files.push_back(std::move(name));
        name.clear();
    };
    for (std::size_t i = std::min(rule.find(": "), rule.size()) + 1; i < rule.size(); ++i) {
        char const c = rule[i];
        char const next = i + 1 < rule.size() ? rule[i + 1] : '\0';
        if (c == '\\' && next == '\n') {
            finish();
            ++i;
        } else if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$')) {
            name += next;
            ++i;
        } else if (c == ' ' || c == '\n') {
            finish();
        } else {
            name += c;
        }
    }
    finish();
    return files;
}

/// @param own  the temporary folder of the compilation; its files do not count
[[nodiscard]] inline cache_inputs system_inputs(std::string_view rule,
                                                kernel_source const& kernel,
                                                std::string const& own,
                                                std::int64_t began_ns)
{
    namespace fs = std::filesystem;
    std::error_code no_throw;
    auto const absolute = [&](fs::path const& path) { return fs::absolute(path, no_throw); };
    std::vector<fs::path> folders{absolute(folder_of(kernel.path))};
    for (std::string const& folder : kernel.include_dirs)
        folders.push_back(absolute(folder));

    std::set<std::string> read;
    std::set<std::string> missed;
    for (std::string const& file : files_of_rule(rule)) {
        fs::path const path = absolute(file);
        if (path.string().starts_with(own + '/') || !read.insert(path.string()).second) continue;
        fs::path name = path.filename(); // <vector>, then <bits/vector>, then one folder more
        fs::path above = path.parent_path();
        for (int depth = 0; depth < 3 && above.has_filename(); ++depth) {
            for (fs::path const& folder : folders)
                if (std::string const place = (folder / name).string(); is_absent(place))
                    missed.insert(place);
            name = above.filename() / name;
            above = above.parent_path();
        }
    }
    return {{read.begin(), read.end()}, {missed.begin(), missed.end()}, {}, began_ns};
}

} // namespace attune::inline ATTUNE_ABI::detail
