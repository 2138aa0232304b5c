// attune/tune/loop/logged_search.hpp - a searcher whose every question and answer is written down.
// SPDX-License-Identifier: MIT
//
// A searcher gives the same points for the same calls (search/searcher.hpp), so that its calls are
// its state
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/event_log.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// What the calls in a log led to.
struct replayed_calls {
    std::vector<std::pair<point, outcome>> told{}; ///< in order
    std::vector<point> open{};                     ///< asked, and not told yet
    std::unordered_set<point, point_hash> metrics_told{};
    std::optional<point> chosen{};
    std::string problem{}; ///< not empty: where the searcher first differs from the log
};

/// Repeats the logged calls on a new searcher of that space. Compares its proposals with the logged
/// ones, and the logged outcomes with the logged times. Every configuration of an event
/// has to be one of the space: a file may say anything.
[[nodiscard]] replayed_calls
repeat_calls(any_searcher& search, chain_of_trees const& space, std::vector<event> const& events);

/// Models `searcher`. Points that were asked before an interruption and never told come first.
class logged_search {
public:
    /// Repeats the past of `log`, which must outlive this object. Where the searcher now proposes
    /// something else (another attune, another search), the session begins anew, with a notice.
    logged_search(search_factory const& make,
                  chain_of_trees const& space,
                  std::uint64_t seed,
                  event_log& log);

    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);
    /// Passes on the numbers of a point once: numbers of the same code do not change.
    void tell_metrics(point const& p, std::span<double const> numbers);
    /// Not written down: asking for it changes no proposal.
    [[nodiscard]] std::optional<double> expected_gain() { return search_.expected_gain(); }

    /// What was told before the interruption; empty for a session from the beginning.
    [[nodiscard]] std::vector<std::pair<point, outcome>> const& past() const noexcept
    {
        return past_.told;
    }
    /// Why a past could not be continued; else empty.
    [[nodiscard]] std::string const& notice() const noexcept { return past_.problem; }

private:
    event_log* log_;
    any_searcher search_;
    replayed_calls past_;
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/logged_search.ipp>
#endif
