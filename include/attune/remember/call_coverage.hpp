// attune/remember/call_coverage.hpp - how many calls of a kernel the winner ran, and why others ran the rest.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Calls of one shape that the winner did not run.
struct uncovered_calls {
    std::string shape{}; ///< "argument 0 has 513 elements"
    std::string why{};   ///< "the default serves: no shape like this one was verified yet (...)"
    std::uint64_t calls = 0;
    double seconds = 0; ///< in these calls; 0: not measured
};

/// The calls of a kernel since its construction, by the code that ran them. The winner is the best
/// known configuration for a call's inputs, which may be the default. For inputs without a tuning,
/// the winner is that of related problems, or of ATTUNE_FORCE.
///
/// Counts of calls are exact with one thread; with several threads at once a few may be lost.
/// Seconds are an estimate: attune times some calls of each shape, and takes the fastest for all of
/// them. Calls on a device have no seconds. Unknown shapes in signal handlers are not counted.
///
/// The end of a `tuned` leaves the coverage of its calls in its store, for `attune show` and the
/// page: README.md of this folder.
struct call_coverage {
    std::uint64_t calls = 0;
    std::uint64_t by_winner = 0; ///< calls that ran the winner
    double seconds = 0;          ///< in all calls
    double winner_s = 0;         ///< in calls that ran the winner
    /// At most 16 shapes: the most seconds first, then the most calls.
    std::vector<uncovered_calls> rest{};
    std::uint64_t more_shapes = 0; ///< shapes beyond these

    /// "97 % of 1000 calls and 99 % of their time ran the winner; the rest: 30 calls where argument
    /// 0 has 999 elements: the default serves: ..."
    [[nodiscard]] std::string text() const;
};

namespace detail {

/// The most shapes of call_coverage::rest.
inline constexpr std::size_t most_uncovered_shapes = 16;

/// Adds calls of another program. Equal shapes with equal reasons become one. Counts beyond the
/// largest number, and seconds beyond the largest double, stay there.
void add_to(call_coverage& to, call_coverage const& more);

/// The calls of programs that ended.
struct past_calls {
    call_coverage coverage{};
    double from_s = 0; ///< begin of the first program, seconds since 1970
    double to_s = 0;   ///< end of the last one

    /// Takes the calls of another program. The calls of programs that ran at the same time add up.
    /// The calls of a later program replace those of earlier ones.
    void take(past_calls more);
};

} // namespace detail

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/call_coverage.ipp>
#endif
#endif // ATTUNE_OFF
