// attune/search/compose/recommended.ipp - a bandit whose techniques change, and one with all names.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/search/compose/recommended.hpp>
#include <attune/search/compose/technique_sets.hpp>
#include <attune/search/compose/technique_text.hpp>
#include <attune/search/meta/detail/technique_pool.hpp>
#include <attune/search/transfer/past_session.hpp>
#include <attune/search/transfer/warm_portfolio.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

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

struct recommending_bandit::recommending_state : detail::shared_search::state {
    recommending_state(chain_of_trees of, std::uint64_t chosen_seed, technique_history history,
                       technique_maker maker, std::vector<technique> set,
                       recommending_bandit_options const& chosen, detail::opening_set opened)
        : state(of, chosen_seed, opened.techniques)
        , space(std::move(of))
        , seed(chosen_seed)
        , start(std::move(set))
        , past(std::move(history))
        , make(std::move(maker))
        , options(chosen)
        , opening(std::move(opened))
        , credit(pool.size(), chosen.bandit.window)
    {
        ATTUNE_ASSERT(chosen.interval > 0, "recommendations are at least one outcome apart");
    }
    [[nodiscard]] static attune::detail::owned_state<state>
    made(chain_of_trees const& of, std::uint64_t seed, technique_history const& history,
         technique_maker const& maker, std::vector<technique> const& set,
         recommending_bandit_options const& chosen)
    {
        return attune::detail::make_state<state, recommending_state>(
            of, seed, history, maker, set, chosen,
            detail::opening_from(history, maker, structure_of(of.describe()), set,
                                 chosen.from_history));
    }

    std::optional<point> next() override
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
    std::vector<technique_use> uses() const override
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

    void learn(point const& p, outcome const& result,
               std::optional<attune::detail::technique_pool::event> const& event) override
    {
        told.emplace_back(p, result);
        if (!event) return;
        credit.push(event->technique, event->is_best);
        if (++since_advice < options.interval) return;
        since_advice = 0;
        follow_history();
    }
    void inform(std::vector<past_session> const& sessions) override
    {
        pool.inform(sessions);
        informed.insert(informed.end(), sessions.begin(), sessions.end());
    }

    void follow_history()
    {
        std::optional<std::size_t> const given_up = worst();
        if (!given_up || !make) return;
        std::vector<std::string> in_use;
        for (std::size_t t = 0; t < pool.size(); ++t)
            if (!pool.is_retired(t)) in_use.push_back(pool.uses()[t].name);
        std::optional<technique_advice> advised = recommend_next(
            past, uses(), in_use, [this](std::string_view name) { return make(name).has_value(); });
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
    std::vector<technique> start;
    technique_history past;
    technique_maker make;
    recommending_bandit_options options;
    detail::opening_set opening;
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
    : shared_search(recommending_state::made(space, seed, past, make, start, options))
{
}

ATTUNE_INLINE recommending_bandit::recommending_state& recommending_bandit::own() const
{
    return static_cast<recommending_state&>(*state_);
}
ATTUNE_INLINE void recommending_bandit::learn_from(technique_history const& past)
{
    recommending_state& s = own();
    ATTUNE_ASSERT(s.told.empty(), "a history is learnt before the search begins");
    std::vector<past_session> const informed = std::move(s.informed);
    state_ = recommending_state::made(s.space, s.seed, past, s.make, s.start, s.options);
    if (!informed.empty()) inform(informed);
}
ATTUNE_INLINE std::vector<technique_advice> const& recommending_bandit::advice() const
{
    return own().opening.reasons;
}
ATTUNE_INLINE std::vector<point> const& recommending_bandit::starts() const { return own().starts; }

ATTUNE_INLINE technique_maker techniques_by_name()
{
    return [known = std::make_shared<vocabulary const>()](
               std::string_view name) -> std::optional<technique> {
        try {
            return parse_technique(name, *known);
        } catch (error const&) { // a name of another release, or of the user
            return {};
        }
    };
}

ATTUNE_INLINE search_factory recommended(technique_history past,
                                         recommending_bandit_options const& options)
{
    bool const is_usual = options == recommending_bandit_options{};
    search_factory make = [past = std::move(past), options](chain_of_trees const& space,
                                                            std::uint64_t seed) -> any_searcher {
        return recommending_bandit(space, seed, past, techniques_by_name(),
                                   technique_set_for(space.describe()), options);
    };
    return is_usual ? attune::detail::named_search(detail::recommended_name, std::move(make))
                    : make;
}

namespace detail {

struct named_set {
    char const* name;
    std::vector<technique> (*make)();
    std::size_t from_history;
};
inline constexpr named_set approach_sets[] = {{"A", technique_set_a, 0},
                                              {"pgd", technique_set_pgd, 0},
                                              {"D", technique_set_d, 0},
                                              {"dbi", technique_set_a, 5}};
inline constexpr std::string_view approach_kinds[] = {"bndt", "rec-bndt", "rec"};

} // namespace detail

ATTUNE_INLINE std::vector<std::string> approach_names()
{
    std::vector<std::string> out;
    for (std::string_view const kind : detail::approach_kinds)
        for (detail::named_set const& set : detail::approach_sets)
            out.push_back(std::string(kind) + '-' + set.name);
    return out;
}

ATTUNE_INLINE search_factory approach(std::string_view name, technique_history past)
{
    for (std::string_view const kind : detail::approach_kinds)
        for (detail::named_set const& set : detail::approach_sets) {
            if (name != std::string(kind) + '-' + set.name) continue;
            recommending_bandit_options options;
            options.from_history = set.from_history;
            constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
            options.interval = kind == "bndt" ? never : 25;
            if (kind == "rec")
                options.bandit = recommending_bandit_options::without_bandit().bandit;
            return [past = std::move(past), options, start = set.make()](
                       chain_of_trees const& space, std::uint64_t seed) -> any_searcher {
                return recommending_bandit(space, seed, past, techniques_by_name(), start, options);
            };
        }
    std::string all;
    for (std::string const& known : approach_names())
        all += (all.empty() ? "" : ", ") + known;
    throw error("there is no such search approach", std::string(name), "name one of " + all);
}

} // namespace attune::inline ATTUNE_ABI::search
