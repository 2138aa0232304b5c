// attune/tune/program/configuration_text.ipp - finds the names of parameters in a text, and their values.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/declare/text.hpp>
#include <attune/space/query/nearest.hpp>
#include <attune/tune/program/configuration_text.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE point default_schedule_of(chain_of_trees const& space)
{
    point out;
    for (parameter_description const& p : space.describe().parameters) {
        std::optional<coordinate> const at =
            p.default_text ? coordinate_of(p, *p.default_text) : std::nullopt;
        out.push_back(at.value_or(coordinate{}));
    }
    out = space.settled(std::move(out));
    if (space.contains(out)) return out;
    std::vector<point> const near = nearest_valid(space, out, {.count = 1});
    if (near.empty())
        throw error("a program has no schedule", text_of(space.describe(), out),
                    "the rules' constraints exclude each other for its extents");
    return near.front();
}

/// Where "NAME=" or "NAME+=" begins a value in " " + text; npos: nowhere.
[[nodiscard]] inline std::size_t place_of_value(std::string const& text, std::string const& name)
{
    for (std::size_t at = text.find(' ' + name); at != text.npos;
         at = text.find(' ' + name, at + 1)) {
        std::size_t const behind = at + 1 + name.size();
        if (text.compare(behind, 1, "=") == 0 || text.compare(behind, 2, "+=") == 0) return at;
    }
    return text.npos;
}

ATTUNE_INLINE point point_in_text(chain_of_trees const& space, point at,
                                  std::string_view configuration)
{
    description const& d = space.describe();
    std::string const text = ' ' + std::string(configuration);
    std::vector<std::size_t> places;
    for (parameter_description const& p : d.parameters)
        places.push_back(place_of_value(text, p.name));
    std::vector<std::size_t> ends = places;
    ends.push_back(text.size());
    std::sort(ends.begin(), ends.end());
    std::string names;
    for (parameter_description const& p : d.parameters)
        names += (names.empty() ? "" : ", ") + p.name;
    if (text.find_first_not_of(' ') < ends.front())
        throw error("a configuration names a parameter that the program does not have",
                    std::string(configuration), "the parameters are " + names);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] == text.npos) continue;
        std::size_t const begin = text.find('=', places[i]) + 1;
        std::size_t const end = *std::upper_bound(ends.begin(), ends.end(), places[i]);
        std::string value = text.substr(begin, end - begin);
        value.erase(value.find_last_not_of(' ') + 1);
        if (value == inactive_text) continue;
        std::optional<coordinate> const found = coordinate_of(d.parameters[i], value);
        if (!found)
            throw error("a parameter of the program has no such value",
                        d.parameters[i].name + '=' + value,
                        "take the text from explain(...) or a report of the same program");
        at[i] = *found;
    }
    at = space.settled(std::move(at));
    if (std::vector<std::string> const broken = space.violations(at); !broken.empty())
        throw error("a configuration breaks a constraint", text_of(d, at) + ": " + broken.front(),
                    "take the text from explain(...) or a report of the same program");
    return at;
}

} // namespace attune::inline ATTUNE_ABI::detail
