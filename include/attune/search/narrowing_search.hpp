// attune/search/narrowing_search.hpp - a search that can go on in a part of its space.
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

/// Models `searcher`. Until narrow() it is the searcher that `make` makes; from then on, a new one
/// of the part, which is told all that is known of the part's points. Points are those of the whole
/// space all the time, and none is proposed twice. What is told of points outside the part is kept
/// for the time when the whole space, or another part, takes its place.
class narrowing_search {
public:
    using part_type = std::optional<kept_settings>; ///< of narrow()

    narrowing_search(search_factory make, chain_of_trees whole, std::uint64_t seed);

    /// Goes on in that part of the whole space; nothing: in all of it.
    /// @return  false: the part, or a search of it, cannot be built (see part_of()); all stays as it
    ///          was
    bool narrow(part_type const& part);

    /// Once narrowed, it ends where so many requests in a row bring points that were proposed or
    /// told before: a search may repeat one for ever.
    static constexpr std::size_t most_rounds_without_news = 1'000;
    [[nodiscard]] std::vector<point> ask(std::size_t k);
    void tell(point const& p, outcome const& result);
    void tell_bound(point const& p, double value);
    void tell_metrics(point const& p, std::span<double const> numbers);
    void tell_excess(point const& p, double value, std::span<double const> excess);
    void inform(std::vector<past_session> const& past);
    /// @return  as any_searcher
    bool learn_from(cost_samples const& others);
    bool learn_from(search::technique_history const& past);
    /// Of all searchers so far.
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

    /// Makes a call now, and again where another searcher takes over.
    void make_call(point const& about, call made);

    search_factory make_;
    chain_of_trees whole_;
    std::uint64_t seed_;
    any_searcher now_;
    std::optional<chain_of_trees> part_{}; ///< nothing: the whole space
    std::uint64_t begun_ = 0;              ///< searchers after the first
    std::vector<call> before_{};           ///< what the first one was told before its first point
    std::vector<std::pair<point, call>> calls_{};
    std::unordered_set<point, point_hash> seen_{}; ///< proposed or told
    std::vector<search::technique_use> earlier_uses_{};
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/narrowing_search.ipp>
#endif
