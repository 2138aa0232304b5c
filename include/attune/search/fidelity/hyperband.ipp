// attune/search/fidelity/hyperband.ipp - fills brackets, and lets the best of each rung go on.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/fidelity/detail/halving_bracket.hpp>
#include <attune/search/fidelity/hyperband.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::vector<std::vector<halving_rung>>
hyperband_brackets(hyperband_options const& options)
{
    double const least = options.least_budget;
    double const most = options.most_budget;
    bool const in_order = least > 0 && least <= most && std::isfinite(most);
    if (!in_order || !(options.eta > 1) || !std::isfinite(options.eta))
        throw error("the budgets of a search are not positive, finite and in order",
                    "least_budget " + detail::formatted("%.6g", least) + ", most_budget " +
                        detail::formatted("%.6g", most) + ", eta " +
                        detail::formatted("%.6g", options.eta),
                    "0 < least_budget <= most_budget, and eta > 1");
    constexpr double rounding = 1 + 1e-9; // of most / least, where that is a power of eta
    constexpr double most_configurations = 1 << 24;
    std::vector<double> power{1}; // eta^i
    while (least * power.back() * options.eta <= most * rounding) {
        power.push_back(power.back() * options.eta);
        if (power.back() > most_configurations)
            throw error("a bracket would have more than 2^24 configurations",
                        "most_budget / least_budget is " + detail::formatted("%.6g", most / least),
                        "raise least_budget");
    }
    std::vector<std::vector<halving_rung>> out;
    std::size_t const brackets = power.size();
    for (std::size_t s = brackets; s-- > 0 && out.size() < options.brackets;) {
        double const wanted = static_cast<double>(brackets) * power[s] /
                              static_cast<double>(s + 1); // B / R = brackets
        auto const count = static_cast<std::size_t>(std::ceil(wanted));
        std::vector<halving_rung> rungs;
        for (std::size_t i = 0; i <= s; ++i)
            rungs.push_back({detail::halved(count, options.eta, i), most / power[s - i]});
        out.push_back(std::move(rungs));
    }
    return out;
}

struct hyperband::state {
    state(chain_of_trees searched, std::uint64_t seed, hyperband_options const& with,
          search_factory const& search)
        : space(std::move(searched))
        , options(with)
        , plans(hyperband_brackets(with))
        , engine(seed)
    {
        if (search)
            for (std::size_t level = 0; level < plans.front().size(); ++level)
                searchers.push_back(search(space, seed + level));
    }

    /// The budgets are numbered from the least, 0, to the most.
    [[nodiscard]] std::size_t level_of(std::uint32_t bracket, std::size_t rung) const
    {
        return bracket % plans.size() + rung;
    }
    [[nodiscard]] bool all_began() const noexcept { return began / plans.size() >= options.rounds; }

    /// A configuration that this bracket does not have; nothing when it has all of the space.
    [[nodiscard]] std::optional<point> propose(detail::halving_bracket& to, std::uint32_t bracket)
    {
        while (bracket == 0 && first_used < options.first.size()) {
            point const& p = options.first[first_used++];
            if (space.contains(p) && to.drawn().mark(p)) return p;
        }
        constexpr int most_repeats = 16;
        for (int tries = 0; tries < most_repeats && !searchers.empty(); ++tries) {
            std::vector<point> const asked = searchers[level_of(bracket, 0)].ask(1);
            if (asked.empty()) break;
            if (to.drawn().mark(asked.front())) return asked.front();
        }
        std::optional<point> out = to.drawn().draw(engine);
        if (out) to.drawn().mark(*out);
        return out;
    }

    /// The next trial of the brackets that began; nothing while outcomes are missing.
    [[nodiscard]] std::optional<fidelity_trial> next_of_open()
    {
        for (auto& [index, bracket] : open) {
            if (!bracket.next() && bracket.has_room()) {
                if (std::optional<point> p = propose(bracket, index))
                    bracket.add(std::move(*p));
                else
                    bracket.close();
            }
            std::optional<fidelity_trial> out = bracket.next();
            if (!out) continue;
            if (spent + out->budget > options.total_budget) {
                is_spent = true;
                return {};
            }
            bracket.give();
            spent += out->budget;
            return out;
        }
        return {};
    }
    void drop_finished()
    {
        std::erase_if(open, [](auto const& one) { return one.second.is_over(); });
    }
    [[nodiscard]] std::optional<fidelity_trial> next()
    {
        while (!is_spent) {
            if (std::optional<fidelity_trial> out = next_of_open()) return out;
            drop_finished(); // one that found no configuration
            if (is_spent || all_began()) return {};
            auto const index = static_cast<std::uint32_t>(began++);
            open.emplace_back(index, detail::halving_bracket(plans[index % plans.size()], index,
                                                             options.eta, space));
        }
        return {};
    }

    void tell(fidelity_trial const& asked, outcome const& result)
    {
        auto const* const m = std::get_if<measurement>(&result);
        bool const worked = m != nullptr && std::isfinite(m->value);
        double const value = worked ? m->value : std::numeric_limits<double>::infinity();
        auto const of = std::find_if(open.begin(), open.end(),
                                     [&](auto const& o) { return o.first == asked.bracket; });
        if (of == open.end() || !of->second.tell(asked, value))
            throw error("an outcome was told of a trial that does not wait for one",
                        "bracket " + std::to_string(asked.bracket) + ", rung " +
                            std::to_string(asked.rung) + ", " +
                            (space.contains(asked.where) ? text_of(space.describe(), asked.where)
                                                         : "outside the space"),
                        "tell each trial of ask() once");
        drop_finished();
        if (!searchers.empty())
            searchers[level_of(asked.bracket, asked.rung)].tell(
                asked.where, worked || m == nullptr ? result : outcome_of(m->value));
        bool const is_first = !best || asked.budget > best->budget;
        if (worked && (is_first || (asked.budget == best->budget && value < best->value)))
            best = {asked.where, value, asked.budget};
    }

    chain_of_trees space;
    hyperband_options options;
    std::vector<std::vector<halving_rung>> plans;
    random_engine engine;
    std::vector<any_searcher> searchers; // one per budget, ascending; none for uniform draws
    std::size_t first_used = 0;          // of options.first
    std::size_t began = 0;               // brackets, of all rounds
    std::deque<std::pair<std::uint32_t, detail::halving_bracket>> open; // with their indices
    double spent = 0;
    bool is_spent = false; // the next trial would exceed the total
    std::optional<fidelity_best> best;
};

ATTUNE_INLINE
hyperband::hyperband(chain_of_trees space, std::uint64_t seed, hyperband_options const& options,
                     search_factory const& search)
    : state_(std::make_unique<state>(std::move(space), seed, options, search))
{
}
ATTUNE_INLINE hyperband::~hyperband() = default;
ATTUNE_INLINE hyperband::hyperband(hyperband&&) noexcept = default;
ATTUNE_INLINE hyperband& hyperband::operator=(hyperband&&) noexcept = default;

ATTUNE_INLINE std::vector<fidelity_trial> hyperband::ask(std::size_t k)
{
    std::vector<fidelity_trial> out;
    while (out.size() < k) {
        std::optional<fidelity_trial> one = state_->next();
        if (!one) break;
        out.push_back(std::move(*one));
    }
    return out;
}
ATTUNE_INLINE void hyperband::tell(fidelity_trial const& asked, outcome const& result)
{
    state_->tell(asked, result);
}
ATTUNE_INLINE bool hyperband::is_finished() const noexcept
{
    return state_->is_spent || (state_->all_began() && state_->open.empty());
}
ATTUNE_INLINE std::optional<fidelity_best> const& hyperband::best() const noexcept
{
    return state_->best;
}
ATTUNE_INLINE double hyperband::spent() const noexcept { return state_->spent; }
ATTUNE_INLINE chain_of_trees const& hyperband::space() const noexcept { return state_->space; }

} // namespace attune::inline ATTUNE_ABI
