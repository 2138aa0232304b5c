// bench/search/replay_beside.hpp - what other programs printed, beside results of ours.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <istream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// The evaluations after which results are compared.
inline constexpr std::array<std::size_t, 3> replay_checkpoints{40, 100, 220};

/// A number per checkpoint; NaN: beyond the budget.
using replay_fractions = std::array<double, replay_checkpoints.size()>;

/// One strategy on one space.
struct replay_line {
    replay_fractions fraction{}; ///< means over runs of best possible / best found
    replay_fractions error{};    ///< their standard errors; NaN where they are not known
};

/// space -> strategy -> its line
using replay_table = std::map<std::string, std::map<std::string, replay_line>>;

namespace detail {

/// Errors  std::runtime_error: the field is neither a number of at least `least`, nor "na"
[[nodiscard]] inline double number_or_na(std::string const& field, double least,
                                         std::string const& line)
{
    if (field == "na") return std::numeric_limits<double>::quiet_NaN();
    std::istringstream text(field);
    double out = 0;
    if (!(text >> out) || !text.eof() || !(out >= least))
        throw std::runtime_error("'" + field + "' is no such number, nor na, in: " + line);
    return out;
}

} // namespace detail

/// Reads the lines "replay space=S strategy=N ... frac40=X ... frac100=X ... frac220=X ..." of a
/// text, with "na" beyond the budget, and their error40=, error100= and error220= if they have
/// them; other lines, the means too, are passed over.
/// Errors  std::runtime_error: a line of that form lacks a field, a fraction is no number above 0,
///         or two lines are of the same space and strategy
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
        replay_line of;
        for (std::size_t i = 0; i < replay_checkpoints.size(); ++i) {
            std::string const after = std::to_string(replay_checkpoints[i]);
            double const above_zero = std::numeric_limits<double>::min();
            of.fraction[i] = detail::number_or_na(fields["frac" + after], above_zero, line);
            auto const error = fields.find("error" + after);
            of.error[i] =
                detail::number_or_na(error == fields.end() ? "na" : error->second, 0, line);
        }
        for (char const* const name : {"space", "strategy"})
            if (fields[name].empty())
                throw std::runtime_error("no " + std::string(name) + "= in: " + line);
        if (!out[fields["space"]].emplace(fields["strategy"], of).second)
            throw std::runtime_error("a space and strategy twice: " + line);
    }
    return out;
}

/// Means of two strategies, at each checkpoint over the spaces in which both have it.
struct beside_row {
    std::string strategy;
    std::string other;
    std::array<std::size_t, replay_checkpoints.size()> spaces{};
    replay_fractions its{};    ///< NaN without a space
    replay_fractions others{}; ///< the same

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
                for (std::size_t i = 0; i < replay_checkpoints.size(); ++i) {
                    if (std::isnan(its.fraction[i]) || std::isnan(others.fraction[i])) continue;
                    ++row.spaces[i];
                    row.its[i] += its.fraction[i];
                    row.others[i] += others.fraction[i];
                }
            }
    }
    std::vector<beside_row> out;
    for (auto& [names, row] : rows) {
        for (std::size_t i = 0; i < replay_checkpoints.size(); ++i) {
            row.its[i] /= static_cast<double>(row.spaces[i]);
            row.others[i] /= static_cast<double>(row.spaces[i]);
        }
        out.push_back(row);
    }
    return out;
}

} // namespace bench
