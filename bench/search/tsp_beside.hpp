// bench/search/tsp_beside.hpp - the tours that another program found, as baselines.py prints them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <istream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

namespace bench {

/// What another program found on one instance.
struct other_tours {
    double median = 0;      ///< length of the best tour of a run
    std::size_t tested = 0; ///< tours in each run
};

/// Reads the lines "tours NAME ... opentuner=LENGTH ... tested=COUNT ..." of a text, by name; other
/// lines are passed over.
/// Errors  std::runtime_error: a line of that form lacks a number above 0, or an instance is there
///         twice
[[nodiscard]] inline std::map<std::string, other_tours> read_tours_lines(std::istream& in)
{
    std::map<std::string, other_tours> out;
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("tours ")) continue;
        std::istringstream words(line.substr(6));
        std::string name;
        words >> name;
        std::map<std::string, double> numbers;
        for (std::string word; words >> word;) {
            std::size_t const sign = word.find('=');
            if (sign == std::string::npos) continue;
            std::istringstream text(word.substr(sign + 1));
            double number = 0;
            if (text >> number && text.eof()) numbers[word.substr(0, sign)] = number;
        }
        for (char const* const needed : {"opentuner", "tested"})
            if (!(numbers[needed] > 0))
                throw std::runtime_error("no number above 0 as " + std::string(needed) +
                                         "= in: " + line);
        other_tours const of{numbers["opentuner"], static_cast<std::size_t>(numbers["tested"])};
        if (!out.emplace(name, of).second) throw std::runtime_error("an instance twice: " + line);
    }
    return out;
}

} // namespace bench
