// bench/support/names.hpp - lists of names, as a command line has them: "a,b,c".
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// What stands between the commas; nothing for an empty list.
[[nodiscard]] inline std::vector<std::string> names_in(std::string_view list)
{
    std::vector<std::string> out;
    if (list.empty()) return out;
    for (std::size_t begin = 0; begin <= list.size();) {
        std::size_t const end = std::min(list.find(',', begin), list.size());
        out.emplace_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

/// Whether the list has the name; an empty list has them all.
[[nodiscard]] inline bool is_in(std::string_view list, std::string_view name)
{
    std::vector<std::string> const names = names_in(list);
    return list.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether the name has one of the list in it; of an empty list every name has one.
[[nodiscard]] inline bool has_part(std::string_view name, std::string_view list)
{
    std::vector<std::string> const parts = names_in(list);
    return list.empty() || std::any_of(parts.begin(), parts.end(), [&](std::string const& part) {
               return name.find(part) != std::string_view::npos;
           });
}

/// Errors  std::runtime_error naming the argument, a name that is not known, and those that are
inline void require_known(std::string const& argument, std::string_view list,
                          std::vector<std::string> const& known)
{
    for (std::string const& name : names_in(list)) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        std::string text = argument + ": there is no '" + name + "'; there are:";
        for (std::string const& other : known)
            text += ' ' + other;
        throw std::runtime_error(text);
    }
}

} // namespace bench
