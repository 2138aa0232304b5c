// attune/search/narrowing_search.hpp - a search that can continue in a part of its space.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/outcome.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/point.hpp>
#include <attune/search/searcher.hpp>
#include <attune/space/chain_of_trees.hpp>
#include <attune/space/kept_settings.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Models `searcher`. Until narrow() it is the searcher of `make`. Afterwards it is a new searcher
/// of the part, which receives all outcomes of the part's points. Points are always those of the
/// whole space, and none is proposed twice. Outcomes outside the part are kept for a later narrow()
/// to another part or the whole space.
class narrowing_search {
public:
    using part_type = std::optional<kept_settings>; ///< of narrow()

    narrowing_search(search_factory make, chain_of_trees whole, std::uint64_t seed);

    /// Continues in `part` of the whole space; without a part, in the whole space.
    /// @return  false, without a change, if the part or a search of it cannot be built (see
    ///          part_of())
    bool narrow(part_type const& part);

    /// A narrowed search ends after so many requests in a row without a new point, because a search
    /// may repeat a point without end.
    static constexpr std::size_t most_rounds_without_news = 1'000;
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);
    void tell_bound(point const& p, double value);
    void tell_metrics(point const& p, std::span<double const> numbers);
    void tell_excess(point const& p, double value, std::span<double const> excess);
    void inform(std::vector<past_session> const& past);
    /// @return  see any_searcher
    bool learn_from(cost_samples const& others);
    bool learn_from(search::technique_history const& past);
    /// Gains of all searchers so far.
    [[nodiscard]] std::vector<search::technique_use> uses() const;
    [[nodiscard]] std::string strategy() const { return now_.strategy(); }
    [[nodiscard]] std::string proposer_of(point const& p) const { return now_.proposer_of(p); }
    [[nodiscard]] std::optional<double> expected_gain() { return now_.expected_gain(); }
    [[nodiscard]] std::optional<double> prediction_of(point const& p) const
    {
        return now_.prediction_of(p);
    }

private:
    using call = std::function<void(any_searcher&)>;

    /// Makes a call now, and again for each later searcher.
    void make_call(point const& about, call made);

    search_factory make_;
    chain_of_trees whole_;
    std::uint64_t seed_;
    any_searcher now_;
    std::optional<chain_of_trees> part_{}; ///< nothing: the whole space
    std::uint64_t begun_ = 0;              ///< number of searchers after the first
    std::vector<call> before_{};           ///< calls to the first searcher before its first point
    std::vector<std::pair<point, call>> calls_{};
    std::unordered_set<point, point_hash> seen_{}; ///< proposed, or with an outcome
    std::vector<search::technique_use> earlier_uses_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/narrowing_search.ipp>
#endif
