// attune/search/meta/recommending_bandit.ipp - asks, counts, and replaces the worst technique.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/search/meta/detail/technique_pool.hpp>
#include <attune/search/meta/recommending_bandit.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/search/transfer/warm_portfolio.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// The first techniques of a search, with reasons.
struct opening_set {
    std::vector<technique> techniques;
    std::vector<technique_advice> reasons;
};
[[nodiscard]] inline opening_set opening_from(technique_history const& past,
                                              technique_maker const& make,
                                              space_structure const& structure,
                                              std::vector<technique> const& start, std::size_t most)
{
    opening_set out;
    if (most == 0) return {start, {}};
    out.reasons = recommend_start(past, structure, most, [&](std::string_view name) {
        return make && make(name).has_value();
    });
    for (technique_advice const& a : out.reasons)
        out.techniques.push_back(*make(a.technique));
    for (technique const& t : start) {
        bool is_new = out.techniques.size() < most || out.techniques.empty();
        for (technique const& chosen : out.techniques)
            is_new = is_new && chosen.name != t.name;
        if (is_new) out.techniques.push_back(t);
    }
    return out;
}

} // namespace detail

struct recommending_bandit::state {
    state(chain_of_trees of, std::uint64_t chosen_seed, technique_history history,
          technique_maker maker, std::vector<technique> set,
          recommending_bandit_options const& chosen)
        : space(std::move(of))
        , seed(chosen_seed)
        , engine(chosen_seed)
        , start(std::move(set))
        , past(std::move(history))
        , make(std::move(maker))
        , options(chosen)
        , opening(detail::opening_from(past, make, structure_of(space.describe()), start,
                                       chosen.from_history))
        , pool(space, engine, opening.techniques)
        , credit(pool.size(), chosen.bandit.window)
    {
        ATTUNE_ASSERT(chosen.interval > 0, "recommendations are at least one outcome apart");
    }

    [[nodiscard]] std::optional<point> next()
    {
        if (std::optional<point> p = next_start()) return p;
        for (std::size_t const t :
             attune::detail::turn_order(credit, pool.size(), options.bandit.exploration, engine)) {
            if (pool.is_retired(t)) continue;
            if (std::optional<point> p = pool.ask(t)) return p;
            credit.push(t, false);
        }
        return {};
    }

    /// The next configuration of other sessions that is not yet known.
    [[nodiscard]] std::optional<point> next_start()
    {
        if (!std::exchange(is_begun, true) && !informed.empty() && options.starts > 0)
            starts = transferred_starts(space, informed, options.starts);
        while (starts_asked < starts.size()) {
            point const& p = starts[starts_asked++];
            if (pool.claim(p)) return p;
        }
        return {};
    }

    /// The active technique with the lowest affinity; of equal ones that with most requests.
    /// Nothing before the first request.
    [[nodiscard]] std::optional<std::size_t> worst() const
    {
        std::optional<std::size_t> out;
        for (std::size_t t = 0; t < pool.size(); ++t) {
            if (pool.is_retired(t)) continue;
            auto const affinity = search_affinity(pool.uses()[t]);
            if (!affinity) continue;
            double const least = out ? *search_affinity(pool.uses()[*out]) : 2;
            if (*affinity < least ||
                (*affinity == least && pool.uses()[t].requests > pool.uses()[*out].requests))
                out = t;
        }
        return out;
    }

    /// A technique may be replaced, and join again.
    [[nodiscard]] std::vector<technique_use> summed_uses() const
    {
        std::vector<technique_use> out;
        for (technique_use const& use : pool.uses()) {
            auto const at = std::ranges::find(out, use.name, &technique_use::name);
            if (at == out.end()) {
                out.push_back(use);
            } else {
                at->requests += use.requests;
                at->new_bests += use.new_bests;
            }
        }
        return out;
    }

    void follow_history()
    {
        std::optional<std::size_t> const given_up = worst();
        if (!given_up || !make) return;
        std::vector<std::string> in_use;
        for (std::size_t t = 0; t < pool.size(); ++t)
            if (!pool.is_retired(t)) in_use.push_back(pool.uses()[t].name);
        std::optional<technique_advice> advised =
            recommend_next(past, summed_uses(), in_use,
                           [this](std::string_view name) { return make(name).has_value(); });
        if (!advised) return;
        pool.retire(*given_up);
        std::size_t const joined = pool.size();
        pool.add(*make(advised->technique), space, engine);
        credit.add_technique();
        for (auto const& [p, result] : told)
            pool.tell_one(joined, p, result);
        opening.reasons.push_back(std::move(*advised));
    }

    chain_of_trees space;
    std::uint64_t seed;
    random_engine engine;
    std::vector<technique> start;
    technique_history past;
    technique_maker make;
    recommending_bandit_options options;
    detail::opening_set opening;
    attune::detail::technique_pool pool;
    attune::detail::credit_window credit;
    std::vector<std::pair<point, outcome>> told;
    std::size_t since_advice = 0;
    std::vector<past_session> informed{};
    std::vector<point> starts{};
    std::size_t starts_asked = 0;
    bool is_begun = false; // starts are chosen
};

ATTUNE_INLINE
recommending_bandit::recommending_bandit(chain_of_trees space, std::uint64_t seed,
                                         technique_history past, technique_maker make,
                                         std::vector<technique> start,
                                         recommending_bandit_options const& options)
    : state_(std::make_unique<state>(std::move(space), seed, std::move(past), std::move(make),
                                     std::move(start), options))
{
}
ATTUNE_INLINE recommending_bandit::~recommending_bandit() = default;
ATTUNE_INLINE recommending_bandit::recommending_bandit(recommending_bandit&&) noexcept = default;
ATTUNE_INLINE recommending_bandit&
recommending_bandit::operator=(recommending_bandit&&) noexcept = default;

ATTUNE_INLINE std::vector<point> recommending_bandit::ask(std::size_t k)
{
    std::vector<point> out;
    while (out.size() < k) {
        std::optional<point> p = state_->next();
        if (!p) break;
        out.push_back(std::move(*p));
    }
    return out;
}
ATTUNE_INLINE void recommending_bandit::tell(point const& p, outcome const& result)
{
    state_->told.emplace_back(p, result);
    auto const event = state_->pool.tell(p, result);
    if (!event) return;
    state_->credit.push(event->technique, event->is_best);
    if (++state_->since_advice < state_->options.interval) return;
    state_->since_advice = 0;
    state_->follow_history();
}
ATTUNE_INLINE void recommending_bandit::tell_metrics(point const& p,
                                                     std::span<double const> numbers)
{
    state_->pool.tell_metrics(p, numbers);
}
ATTUNE_INLINE void recommending_bandit::tell_excess(point const& p, double value,
                                                    std::span<double const> excess)
{
    state_->pool.tell_excess(p, value, excess);
}
ATTUNE_INLINE void recommending_bandit::inform(std::vector<past_session> const& past)
{
    state_->pool.inform(past);
    state_->informed.insert(state_->informed.end(), past.begin(), past.end());
}
ATTUNE_INLINE void recommending_bandit::learn_from(technique_history const& past)
{
    ATTUNE_ASSERT(state_->told.empty(), "a history is learnt before the search begins");
    state& s = *state_;
    std::vector<past_session> const informed = std::move(s.informed);
    state_ = std::make_unique<state>(s.space, s.seed, past, s.make, s.start, s.options);
    if (!informed.empty()) inform(informed);
}
ATTUNE_INLINE std::vector<technique_use> recommending_bandit::uses() const
{
    return state_->summed_uses();
}
ATTUNE_INLINE std::string recommending_bandit::proposer_of(point const& p) const
{
    return state_->pool.proposer_of(p);
}
ATTUNE_INLINE std::vector<technique_advice> const& recommending_bandit::advice() const
{
    return state_->opening.reasons;
}
ATTUNE_INLINE std::vector<point> const& recommending_bandit::starts() const
{
    return state_->starts;
}

} // namespace attune::inline ATTUNE_ABI::search
