// attune/search/meta/auc_bandit.ipp - chooses the technique to ask.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/search/meta/detail/technique_pool.hpp>

#include <optional>
#include <span>
#include <utility>

namespace attune::inline ATTUNE_ABI::search {

struct auc_bandit::state {
    state(chain_of_trees const& space, std::uint64_t seed, std::vector<technique> const& among,
          auc_bandit_options const& chosen)
        : engine(seed)
        , pool(space, engine, among)
        , credit(among.size(), chosen.window)
        , exploration(chosen.exploration)
    {
    }

    [[nodiscard]] std::optional<point> next()
    {
        for (std::size_t const t :
             attune::detail::turn_order(credit, pool.size(), exploration, engine)) {
            if (std::optional<point> p = pool.ask(t)) return p;
            credit.push(t, false);
        }
        return {};
    }

    random_engine engine;
    attune::detail::technique_pool pool;
    attune::detail::credit_window credit;
    double exploration;
};

ATTUNE_INLINE auc_bandit::auc_bandit(chain_of_trees space, std::uint64_t seed,
                                     std::vector<technique> among,
                                     auc_bandit_options const& options)
    : state_(std::make_unique<state>(space, seed, among, options))
{
}
ATTUNE_INLINE auc_bandit::~auc_bandit() = default;
ATTUNE_INLINE auc_bandit::auc_bandit(auc_bandit&&) noexcept = default;
ATTUNE_INLINE auc_bandit& auc_bandit::operator=(auc_bandit&&) noexcept = default;

ATTUNE_INLINE std::vector<point> auc_bandit::ask(std::size_t k)
{
    std::vector<point> out;
    while (out.size() < k) {
        std::optional<point> p = state_->next();
        if (!p) break;
        out.push_back(std::move(*p));
    }
    return out;
}
ATTUNE_INLINE void auc_bandit::tell(point const& p, outcome const& result)
{
    if (auto const event = state_->pool.tell(p, result))
        state_->credit.push(event->technique, event->is_best);
}
ATTUNE_INLINE void auc_bandit::tell_metrics(point const& p, std::span<double const> numbers)
{
    state_->pool.tell_metrics(p, numbers);
}
ATTUNE_INLINE void auc_bandit::tell_excess(point const& p, double value,
                                           std::span<double const> excess)
{
    state_->pool.tell_excess(p, value, excess);
}
ATTUNE_INLINE void auc_bandit::inform(std::vector<past_session> const& past)
{
    state_->pool.inform(past);
}
ATTUNE_INLINE std::vector<technique_use> auc_bandit::uses() const { return state_->pool.uses(); }
ATTUNE_INLINE std::string auc_bandit::proposer_of(point const& p) const
{
    return state_->pool.proposer_of(p);
}

struct round_robin::state {
    state(chain_of_trees const& space, std::uint64_t seed, std::vector<technique> const& among)
        : engine(seed)
        , pool(space, engine, among)
    {
    }

    [[nodiscard]] std::optional<point> next()
    {
        for (std::size_t tried = 0; tried < pool.size(); ++tried) {
            std::size_t const t = std::exchange(turn, (turn + 1) % pool.size());
            if (std::optional<point> p = pool.ask(t)) return p;
        }
        return {};
    }

    random_engine engine;
    attune::detail::technique_pool pool;
    std::size_t turn = 0;
};

ATTUNE_INLINE
round_robin::round_robin(chain_of_trees space, std::uint64_t seed, std::vector<technique> among)
    : state_(std::make_unique<state>(space, seed, among))
{
}
ATTUNE_INLINE round_robin::~round_robin() = default;
ATTUNE_INLINE round_robin::round_robin(round_robin&&) noexcept = default;
ATTUNE_INLINE round_robin& round_robin::operator=(round_robin&&) noexcept = default;

ATTUNE_INLINE std::vector<point> round_robin::ask(std::size_t k)
{
    std::vector<point> out;
    while (out.size() < k) {
        std::optional<point> p = state_->next();
        if (!p) break;
        out.push_back(std::move(*p));
    }
    return out;
}
ATTUNE_INLINE void round_robin::tell(point const& p, outcome const& result)
{
    state_->pool.tell(p, result);
}
ATTUNE_INLINE void round_robin::tell_metrics(point const& p, std::span<double const> numbers)
{
    state_->pool.tell_metrics(p, numbers);
}
ATTUNE_INLINE void round_robin::tell_excess(point const& p, double value,
                                            std::span<double const> excess)
{
    state_->pool.tell_excess(p, value, excess);
}
ATTUNE_INLINE void round_robin::inform(std::vector<past_session> const& past)
{
    state_->pool.inform(past);
}
ATTUNE_INLINE std::vector<technique_use> round_robin::uses() const { return state_->pool.uses(); }
ATTUNE_INLINE std::string round_robin::proposer_of(point const& p) const
{
    return state_->pool.proposer_of(p);
}

namespace detail {

[[nodiscard]] inline std::string with_names(std::string name, std::vector<technique> const& among)
{
    for (technique const& t : among)
        name += " {" + t.name + "}";
    return name;
}

} // namespace detail

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
