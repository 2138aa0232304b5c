// attune/search/meta/detail/technique_pool.hpp - searches that share their results, and the order in which a bandit asks them.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/outcome.hpp>
#include <attune/core/random.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/core/version.hpp>
#include <attune/search/meta/auc_bandit.hpp>
#include <attune/search/searcher.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// All techniques, the one with the highest score first, equal ones in random order.
[[nodiscard]] inline std::vector<std::size_t> turn_order(credit_window const& credit,
                                                         std::size_t techniques, double exploration,
                                                         random_engine& engine)
{
    std::vector<std::pair<double, std::size_t>> scored;
    for (std::size_t t = 0; t < techniques; ++t)
        scored.emplace_back(credit.score(t, exploration), t);
    shuffle(std::span(scored), engine);
    sort_stably(scored, [](auto const& a, auto const& b) { return a.first > b.first; });
    std::vector<std::size_t> out;
    for (auto const& [score, t] : scored)
        out.push_back(t);
    return out;
}

/// The techniques of a meta technique, their proposals, and the gains of these.
class technique_pool {
public:
    technique_pool(chain_of_trees const& space, random_engine& engine,
                   std::vector<search::technique> const& among)
    {
        ATTUNE_ASSERT(!among.empty(), "a meta technique needs at least one technique");
        for (search::technique const& t : among)
            add(t, space, engine);
    }

    /// Adds a technique; its number is the largest.
    void add(search::technique const& t, chain_of_trees const& space, random_engine& engine)
    {
        searchers_.emplace_back(t.make(space, engine()));
        uses_.push_back({t.name});
    }
    /// Removes a technique; it is no longer asked, and receives no outcomes. Its uses() stay.
    void retire(std::size_t technique) { searchers_[technique].reset(); }
    [[nodiscard]] bool is_retired(std::size_t technique) const
    {
        return !searchers_[technique].has_value();
    }
    /// Passes an outcome of another technique to one technique only.
    void tell_one(std::size_t technique, point const& p, outcome const& result)
    {
        if (searchers_[technique]) searchers_[technique]->tell(p, result);
    }

    [[nodiscard]] std::size_t size() const noexcept { return searchers_.size(); }
    [[nodiscard]] std::vector<search::technique_use> const& uses() const noexcept { return uses_; }

    /// A configuration that no technique proposed yet; nothing if this technique has none. Skips a
    /// configuration of another technique whose outcome is pending.
    [[nodiscard]] std::optional<point> ask(std::size_t technique)
    {
        for (;;) {
            if (!searchers_[technique]) return {};
            std::vector<point> asked = searchers_[technique]->ask(1);
            if (asked.empty()) return {};
            if (proposed_by_.try_emplace(asked.front(), technique).second)
                return std::move(asked.front());
        }
    }

    /// Returns true if `p` is new; then no technique proposes it or gets its credit.
    [[nodiscard]] bool claim(point const& p)
    {
        return proposed_by_.try_emplace(p, no_technique).second;
    }

    /// Name of the technique that proposed `p`; empty if none did, or after its outcome.
    [[nodiscard]] std::string proposer_of(point const& p) const
    {
        auto const by = proposed_by_.find(p);
        return by == proposed_by_.end() || by->second == no_technique ? std::string()
                                                                      : uses_[by->second].name;
    }

    /// An outcome of a configuration that a technique proposed.
    struct event {
        std::size_t technique = 0;
        bool is_best = false;
    };
    /// Passes an outcome to all techniques. A value that is not finite is never a new best.
    /// @return nothing for a configuration without a proposer, or with an earlier outcome
    std::optional<event> tell(point const& p, outcome const& result)
    {
        for (auto& s : searchers_)
            if (s) s->tell(p, result);
        auto const* const measured = std::get_if<measurement>(&result);
        bool const is_best =
            measured != nullptr && std::isfinite(measured->value) && measured->value < best_;
        if (is_best) best_ = measured->value;
        auto const [known, is_new] = proposed_by_.try_emplace(p, no_technique);
        if (known->second == no_technique) return {};
        std::size_t const technique = std::exchange(known->second, no_technique);
        ++uses_[technique].requests;
        if (is_best) ++uses_[technique].new_bests;
        return event{technique, is_best};
    }
    void tell_metrics(point const& p, std::span<double const> numbers)
    {
        for (auto& s : searchers_)
            if (s) s->tell_metrics(p, numbers);
    }
    void tell_excess(point const& p, double value, std::span<double const> excess)
    {
        for (auto& s : searchers_)
            if (s) s->tell_excess(p, value, excess);
    }
    void inform(std::vector<past_session> const& past)
    {
        for (auto& s : searchers_)
            if (s) s->inform(past);
    }

private:
    static constexpr std::size_t no_technique = std::numeric_limits<std::size_t>::max();

    std::vector<std::optional<any_searcher>> searchers_; ///< nothing: retired
    std::vector<search::technique_use> uses_;
    std::unordered_map<point, std::size_t, point_hash> proposed_by_; ///< no_technique: told
    double best_ = std::numeric_limits<double>::infinity();
};

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI::search::detail {

/// The techniques of a shared_search, and the rule that chooses among them.
struct shared_search::state {
    state(chain_of_trees const& space, std::uint64_t seed, std::vector<technique> const& among)
        : engine(seed)
        , pool(space, engine, among)
    {
    }
    state(state const&) = delete;
    state& operator=(state const&) = delete;
    virtual ~state() = default;

    /// The next configuration to propose.
    [[nodiscard]] virtual std::optional<point> next() = 0;
    /// Learns an outcome after all techniques; `event` is empty if no technique proposed it.
    virtual void learn(point const& p, outcome const& result,
                       std::optional<attune::detail::technique_pool::event> const& event) = 0;
    virtual void inform(std::vector<past_session> const& past) { pool.inform(past); }
    [[nodiscard]] virtual std::vector<technique_use> uses() const { return pool.uses(); }

    random_engine engine;
    attune::detail::technique_pool pool;
};

} // namespace attune::inline ATTUNE_ABI::search::detail
