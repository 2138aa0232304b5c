// attune/tune/call_coverage.ipp - the coverage of calls as one line of text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/count_text.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/call_coverage.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// "97.1 %". Below 100 % for a part, and above 0 % for more than nothing.
[[nodiscard]] inline std::string percent_text(double part, double of)
{
    double const percent = part >= of  ? 100
                           : part <= 0 ? 0
                                       : std::clamp(100 * part / of, 0.1, 99.9);
    return formatted("%.3g", percent) + " %";
}

} // namespace detail

ATTUNE_INLINE std::string call_coverage::text() const
{
    constexpr std::size_t most = 3;
    detail::own_float_environment const numbers;
    if (calls == 0) return "no calls so far";
    if (by_winner == calls) return "the winner ran all calls: " + std::to_string(calls);
    std::string out =
        detail::percent_text(static_cast<double>(by_winner), static_cast<double>(calls)) + " of " +
        detail::count_text(calls, "call");
    if (seconds > 0) out += " and " + detail::percent_text(winner_s, seconds) + " of their time";
    out += " ran the winner";
    for (std::size_t i = 0; i < std::min(most, rest.size()); ++i) {
        uncovered_calls const& one = rest[i];
        out += (i == 0 ? "; the rest: " : "; ") + detail::count_text(one.calls, "call");
        if (!one.shape.empty() && one.why.find(one.shape) == std::string::npos)
            out += " where " + one.shape;
        out += ": " + one.why;
    }
    std::uint64_t const others = more_shapes + rest.size() - std::min(most, rest.size());
    if (others > 0) out += "; and " + std::to_string(others) + " more shapes";
    return out;
}

} // namespace attune::inline ATTUNE_ABI
