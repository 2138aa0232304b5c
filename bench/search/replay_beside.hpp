// bench/search/replay_beside.hpp - what other programs printed, beside results of ours.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <istream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Best possible / best found after 40, 100 and 220 evaluations.
using replay_fractions = std::array<double, 3>;

/// space -> strategy -> fractions
using replay_table = std::map<std::string, std::map<std::string, replay_fractions>>;

/// Reads the lines "replay space=S strategy=N ... frac40=X ... frac100=X ... frac220=X ..." of a
/// text; other lines, the means too, are passed over.
/// Errors  std::runtime_error: a line of that form lacks a field, a field is no number above 0, or
///         two lines are of the same space and strategy
[[nodiscard]] inline replay_table read_replay_lines(std::istream& in)
{
    replay_table out;
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("replay space=")) continue;
        std::map<std::string, std::string> fields;
        std::istringstream words(line);
        for (std::string word; words >> word;)
            if (std::size_t const sign = word.find('='); sign != std::string::npos)
                fields[word.substr(0, sign)] = word.substr(sign + 1);
        replay_fractions of{};
        char const* const names[] = {"frac40", "frac100", "frac220"};
        for (std::size_t i = 0; i < of.size(); ++i) {
            std::istringstream number(fields[names[i]]);
            if (!(number >> of[i]) || !number.eof() || !(of[i] > 0))
                throw std::runtime_error("no number above 0 as " + std::string(names[i]) +
                                         "= in: " + line);
        }
        for (char const* const name : {"space", "strategy"})
            if (fields[name].empty())
                throw std::runtime_error("no " + std::string(name) + "= in: " + line);
        if (!out[fields["space"]].emplace(fields["strategy"], of).second)
            throw std::runtime_error("a space and strategy twice: " + line);
    }
    return out;
}

/// Means over the spaces that two strategies share.
struct beside_row {
    std::string strategy;
    std::string other;
    std::size_t spaces = 0;
    replay_fractions its{};
    replay_fractions others{};

    /// Above 1: the strategy is better.
    [[nodiscard]] double ratio(std::size_t i) const { return its[i] / others[i]; }
};

/// Every strategy of `ours` beside every one of `theirs` with which it shares a space.
[[nodiscard]] inline std::vector<beside_row> compare_replays(replay_table const& ours,
                                                             replay_table const& theirs)
{
    std::map<std::pair<std::string, std::string>, beside_row> rows;
    for (auto const& [space, by_name] : ours) {
        auto const there = theirs.find(space);
        if (there == theirs.end()) continue;
        for (auto const& [name, its] : by_name)
            for (auto const& [other, others] : there->second) {
                beside_row& row = rows[{name, other}];
                row.strategy = name;
                row.other = other;
                ++row.spaces;
                for (std::size_t i = 0; i < its.size(); ++i) {
                    row.its[i] += its[i];
                    row.others[i] += others[i];
                }
            }
    }
    std::vector<beside_row> out;
    for (auto& [names, row] : rows) {
        for (std::size_t i = 0; i < row.its.size(); ++i) {
            row.its[i] /= static_cast<double>(row.spaces);
            row.others[i] /= static_cast<double>(row.spaces);
        }
        out.push_back(row);
    }
    return out;
}

} // namespace bench
