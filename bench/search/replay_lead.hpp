// bench/search/replay_lead.hpp - where a strategy is not ahead of the others.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "replay_beside.hpp"

namespace bench {

/// A strategy against another one on one space after so many evaluations.
struct replay_rival {
    std::string space;
    std::string other;
    std::size_t after = 0;
    double difference = 0; ///< of mean fractions; above 0: the other is better
    /// Standard error of the difference, for runs that share nothing; NaN where one of both is not
    /// known, as of a single run.
    double error = 0;

    static constexpr double rounding = 0.0005; ///< of a line's three digits

    /// The other is better by more than chance and rounding explain.
    [[nodiscard]] bool is_ahead() const { return difference > 2 * error + rounding; }
    /// Neither is, or it is not known.
    [[nodiscard]] bool is_level() const { return !(std::abs(difference) > 2 * error + rounding); }
};

/// One strategy against every other one, at the replay_checkpoints that both have, by space and
/// name.
/// @param its     space -> its line
/// @param others  without the strategy itself
[[nodiscard]] inline std::vector<replay_rival>
rivals_of(std::map<std::string, replay_line> const& its, replay_table const& others)
{
    std::vector<replay_rival> out;
    for (auto const& [space, own] : its) {
        auto const there = others.find(space);
        if (there == others.end()) continue;
        for (auto const& [name, other] : there->second)
            for (std::size_t i = 0; i < replay_checkpoints.size(); ++i)
                if (double const d = other.fraction[i] - own.fraction[i]; !std::isnan(d))
                    out.push_back({space, name, replay_checkpoints[i], d,
                                   std::hypot(own.error[i], other.error[i])});
    }
    return out;
}

} // namespace bench
