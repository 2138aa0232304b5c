// attune/search/meta/auc_bandit.ipp - chooses the technique to ask.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/search/meta/detail/technique_pool.hpp>

#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

ATTUNE_INLINE shared_search::shared_search(attune::detail::owned_state<state> with) noexcept
    : state_(std::move(with))
{
}

ATTUNE_INLINE std::vector<point> shared_search::ask(std::size_t k)
{
    std::vector<point> out;
    while (out.size() < k) {
        std::optional<point> p = state_->next();
        if (!p) break;
        out.push_back(std::move(*p));
    }
    return out;
}
ATTUNE_INLINE void shared_search::tell(point const& p, outcome const& result)
{
    state_->learn(p, result, state_->pool.tell(p, result));
}
ATTUNE_INLINE void shared_search::tell_metrics(point const& p, std::span<double const> numbers)
{
    state_->pool.tell_metrics(p, numbers);
}
ATTUNE_INLINE void shared_search::tell_excess(point const& p, double value,
                                              std::span<double const> excess)
{
    state_->pool.tell_excess(p, value, excess);
}
ATTUNE_INLINE void shared_search::inform(std::vector<past_session> const& past)
{
    state_->inform(past);
}
ATTUNE_INLINE std::vector<technique_use> shared_search::uses() const { return state_->uses(); }
ATTUNE_INLINE std::string shared_search::proposer_of(point const& p) const
{
    return state_->pool.proposer_of(p);
}

struct auc_state : shared_search::state {
    auc_state(chain_of_trees const& space, std::uint64_t seed, std::vector<technique> const& among,
              auc_bandit_options const& chosen)
        : state(space, seed, among)
        , credit(among.size(), chosen.window)
        , exploration(chosen.exploration)
    {
    }

    std::optional<point> next() override
    {
        for (std::size_t const t :
             attune::detail::turn_order(credit, pool.size(), exploration, engine)) {
            if (std::optional<point> p = pool.ask(t)) return p;
            credit.push(t, false);
        }
        return {};
    }
    void learn(point const&, outcome const&,
               std::optional<attune::detail::technique_pool::event> const& event) override
    {
        if (event) credit.push(event->technique, event->is_best);
    }

    attune::detail::credit_window credit;
    double exploration;
};

struct turns_state : shared_search::state {
    using state::state;

    std::optional<point> next() override
    {
        for (std::size_t tried = 0; tried < pool.size(); ++tried) {
            std::size_t const t = std::exchange(turn, (turn + 1) % pool.size());
            if (std::optional<point> p = pool.ask(t)) return p;
        }
        return {};
    }
    void learn(point const&, outcome const&,
               std::optional<attune::detail::technique_pool::event> const&) override
    {
    }

    std::size_t turn = 0;
};

[[nodiscard]] inline std::string with_names(std::string name, std::vector<technique> const& among)
{
    for (technique const& t : among)
        name += " {" + t.name + "}";
    return name;
}

} // namespace detail

ATTUNE_INLINE auc_bandit::auc_bandit(chain_of_trees space, std::uint64_t seed,
                                     std::vector<technique> among,
                                     auc_bandit_options const& options)
    : shared_search(
          attune::detail::make_state<state, detail::auc_state>(space, seed, among, options))
{
}
ATTUNE_INLINE
round_robin::round_robin(chain_of_trees space, std::uint64_t seed, std::vector<technique> among)
    : shared_search(attune::detail::make_state<state, detail::turns_state>(space, seed, among))
{
}

ATTUNE_INLINE technique auc_bandit_of(std::vector<technique> among,
                                      auc_bandit_options const& options)
{
    std::string const name = "auc_bandit;exploration," +
                             attune::detail::text_of_real(options.exploration) + ";window," +
                             std::to_string(options.window);
    std::string const whole = detail::with_names(name, among);
    return {whole, attune::detail::named_search(
                       whole,
                       [among = std::move(among), options](chain_of_trees const& space,
                                                           std::uint64_t seed) -> any_searcher {
                           return auc_bandit(space, seed, among, options);
                       })};
}
ATTUNE_INLINE technique round_robin_of(std::vector<technique> among)
{
    std::string const whole = detail::with_names("round_robin", among);
    return {whole, attune::detail::named_search(
                       whole,
                       [among = std::move(among)](chain_of_trees const& space, std::uint64_t seed)
                           -> any_searcher { return round_robin(space, seed, among); })};
}

} // namespace attune::inline ATTUNE_ABI::search
