// attune/tune/loop/logged_search.hpp - a searcher that logs each of its calls.
// SPDX-License-Identifier: MIT
//
// The state of a searcher is the sequence of its calls, see search/searcher.hpp
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/remember/files/event_log.hpp>
#include <attune/search/searcher.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/kept_settings.hpp>
#include <attune/tune/loop/detail/logged_outcomes.hpp>
#include <attune/tune/loop/session_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The result of repeating the calls of a log.
struct replayed_calls {
    /// In order; each configuration once, with what was told of it last.
    std::vector<std::pair<point, outcome>> told{};
    std::vector<point> open{};   ///< asked, and not told yet
    std::vector<point> pruned{}; ///< not evaluated: they could not win
    std::unordered_set<point, point_hash> metrics_told{};
    std::optional<kept_settings> part{}; ///< in which the search goes on; nothing: the whole space
    std::optional<point> chosen{};
    std::string problem{}; ///< the first difference between searcher and log; empty: none
};

/// Repeats the logged calls on a new searcher of that space. Compares its proposals with the logged
/// ones, and the logged outcomes with the logged times. Checks that every logged configuration
/// belongs to the space, because a file may be damaged.
[[nodiscard]] replayed_calls repeat_calls(any_searcher& search, chain_of_trees const& space,
                                          std::vector<event> const& events);

/// What `make` makes; where `is_narrowed`, or one of the events is of a narrow(), it can be
/// narrowed if a part of this program can do that: see time_bounds.
[[nodiscard]] any_searcher search_for(search_factory const& make, chain_of_trees const& space,
                                      std::uint64_t seed, std::vector<event> const& events,
                                      bool is_narrowed = false);

/// Models `searcher`. Points that were asked but not told before an interruption come first.
class logged_search {
public:
    /// Repeats the past of `log`, which must outlive this object, or what a damaged one still says.
    /// If the searcher now proposes other points (another attune, another search, a lost line), a
    /// new session begins, which knows all outcomes that can be read. These outcomes and the
    /// session are one write.
    /// @param memory  known: where the log has none to continue, told as the search asks for them,
    ///                while it does, and then all others: equal seeds go on as if there had been no
    ///                interruption. So are the outcomes that a new session knows from the log, with
    ///                which these are, too. related, lessons: what the search begins
    ///                with; they are logged, so that a replay needs nothing but the log
    /// @param ahead   configurations that are asked for before the outcome of one is told
    /// @param is_narrowed  false: narrow() is not called, unless the log has such a call
    logged_search(search_factory const& make, chain_of_trees const& space, std::uint64_t seed,
                  event_log& log, session_memory const& memory = {}, std::size_t ahead = 0,
                  bool is_narrowed = true);

    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);
    /// Logged as pruned: `p` takes at least `value` seconds, and is not evaluated.
    void tell_bound(point const& p, double value);
    using part_type = std::optional<kept_settings>;
    /// any_searcher::narrow()
    bool narrow(part_type const& part);
    /// Passes on the code metrics of a point once: equal code has equal metrics.
    void tell_metrics(point const& p, std::span<double const> numbers);
    /// Logged with the outcome of `p`, which is told next.
    void tell_excess(point const& p, double value, std::span<double const> excess);
    /// Not logged: the call does not change later proposals.
    [[nodiscard]] std::optional<double> expected_gain() { return search_.expected_gain(); }
    /// What each technique of the search gained; empty for one without techniques.
    [[nodiscard]] std::vector<search::technique_use> uses() const { return search_.uses(); }
    /// Its name, with all options; empty: unknown.
    [[nodiscard]] std::string strategy() const { return search_.strategy(); }
    /// The technique that proposed `p`, logged with its outcome; empty: none did.
    [[nodiscard]] std::string proposer_of(point const& p) const { return search_.proposer_of(p); }
    /// Logged with the outcome of `p`.
    [[nodiscard]] std::optional<double> prediction_of(point const& p) const
    {
        return search_.prediction_of(p);
    }

    /// Outcomes told before the interruption; empty for a new session.
    [[nodiscard]] std::vector<std::pair<point, outcome>> const& past() const noexcept
    {
        return past_.told;
    }
    /// What was pruned before the interruption.
    [[nodiscard]] std::vector<point> const& past_pruned() const noexcept { return past_.pruned; }
    /// The part of the space in which the search went on before the interruption.
    [[nodiscard]] std::optional<kept_settings> const& past_part() const noexcept
    {
        return past_.part;
    }
    /// Why the past could not be continued, or what is not as it was when it began; else empty.
    [[nodiscard]] std::string const& notice() const noexcept { return notice_; }

private:
    void inform(session_memory const& memory);
    void tell_known(std::vector<logged_outcome> const& known, std::size_t ahead);
    /// With its times and metrics.
    void tell_again(logged_outcome const& known);
    /// Who proposed it and what was expected are added where the search says so.
    void tell(event happened);
    void write(event happened);

    event_log* log_;
    std::optional<std::vector<event>> unwritten_{}; ///< a new session, until it is complete
    any_searcher search_;
    replayed_calls past_;
    std::vector<double> excess_{}; ///< of the next outcome
    std::string notice_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/tune/loop/logged_search.ipp>
#endif
