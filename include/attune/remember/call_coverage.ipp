// attune/remember/call_coverage.ipp - the coverage of calls as one line of text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/number_text.hpp>
#include <attune/core/own_float_environment.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/remember/call_coverage.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline void add_up(std::uint64_t& to, std::uint64_t more) noexcept
{
    to += std::min(more, std::numeric_limits<std::uint64_t>::max() - to);
}
inline void add_up(double& to, double more) noexcept
{
    to = std::min(to + more, std::numeric_limits<double>::max());
}

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
    std::uint64_t others = more_shapes;
    detail::add_up(others, rest.size() - std::min(most, rest.size()));
    if (others > 0) out += "; and " + std::to_string(others) + " more shapes";
    return out;
}

namespace detail {

ATTUNE_INLINE void add_to(call_coverage& to, call_coverage const& more)
{
    add_up(to.calls, more.calls);
    add_up(to.by_winner, more.by_winner);
    add_up(to.seconds, more.seconds);
    add_up(to.winner_s, more.winner_s);
    add_up(to.more_shapes, more.more_shapes);
    for (uncovered_calls const& one : more.rest) {
        auto const same = std::find_if(to.rest.begin(), to.rest.end(), [&](auto const& known) {
            return known.shape == one.shape && known.why == one.why;
        });
        if (same == to.rest.end()) {
            to.rest.push_back(one);
            continue;
        }
        add_up(same->calls, one.calls);
        add_up(same->seconds, one.seconds);
    }
    sort_stably(to.rest, [](uncovered_calls const& a, uncovered_calls const& b) {
        return a.seconds != b.seconds ? a.seconds > b.seconds : a.calls > b.calls;
    });
    if (to.rest.size() <= most_uncovered_shapes) return;
    add_up(to.more_shapes, to.rest.size() - most_uncovered_shapes);
    to.rest.resize(most_uncovered_shapes);
}

ATTUNE_INLINE void past_calls::take(past_calls more)
{
    // A clock was wrong where a program ends in the future, or ran for years.
    constexpr double day_s = 86'400, year_s = 366 * day_s;
    using namespace std::chrono;
    double const now_s = duration<double>(system_clock::now().time_since_epoch()).count();
    if (more.coverage.calls == 0 || more.to_s > now_s + day_s) return;
    if (coverage.calls > 0 && more.to_s <= from_s) return;
    bool const is_doubtful = to_s - from_s > year_s || more.to_s - more.from_s > year_s;
    if (coverage.calls == 0 || more.from_s >= to_s || is_doubtful) {
        *this = std::move(more);
        return;
    }
    add_to(coverage, more.coverage);
    from_s = std::min(from_s, more.from_s);
    to_s = std::max(to_s, more.to_s);
}

} // namespace detail

} // namespace attune::inline ATTUNE_ABI
