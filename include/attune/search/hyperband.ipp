// attune/search/hyperband.ipp - fills brackets, and promotes the best of each rung.
// SPDX-License-Identifier: MIT
// Source   brackets: Jamieson & Talwalkar 2016; the inner loop of Hyperband (Li et al. 2018),
//          Algorithm 1
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/random.hpp>
#include <attune/core/sort_stably.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/bayes/design.hpp>
#include <attune/search/hyperband.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <utility>
#include <variant>

namespace attune::inline ATTUNE_ABI::detail {

/// n_i of Algorithm 1: how many of `count` remain after `rungs` rungs, at least 1.
[[nodiscard]] inline std::size_t halved(std::size_t count, double eta, std::size_t rungs)
{
    double power = 1;
    for (std::size_t i = 0; i < rungs; ++i)
        power *= eta;
    // A single division rounds correctly, and is exact for whole eta.
    return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(count) / power));
}

/// A bracket: successive halving of its configurations.
class halving_bracket {
public:
    halving_bracket(std::vector<halving_rung> rungs, std::uint32_t index, double eta,
                    chain_of_trees space)
        : rungs_(std::move(rungs))
        , index_(index)
        , eta_(eta)
        , drawn_(std::move(space))
    {
    }

    /// Returns true if the bracket needs another configuration.
    [[nodiscard]] bool has_room() const noexcept
    {
        return rung_ == 0 && !is_closed_ && runs_.size() < rungs_.front().count;
    }
    /// All configurations of the bracket so far.
    [[nodiscard]] unseen_points& drawn() noexcept { return drawn_; }
    void add(point p) { runs_.push_back({std::move(p)}); }
    /// Declares that there are no more configurations.
    void close()
    {
        is_closed_ = true;
        if (told_ == runs_.size()) promote();
    }

    /// The next trial; nothing while outcomes, or configurations, are missing.
    [[nodiscard]] std::optional<fidelity_trial> next() const
    {
        if (given_ == runs_.size()) return {};
        return fidelity_trial{runs_[given_].where, rungs_[rung_].budget, index_,
                              static_cast<std::uint32_t>(rung_)};
    }
    void give() noexcept { ++given_; }

    /// @return  false if the trial is not waiting for an outcome
    [[nodiscard]] bool tell(fidelity_trial const& asked, double value)
    {
        if (asked.bracket != index_ || asked.rung != rung_) return false;
        auto const end = runs_.begin() + static_cast<std::ptrdiff_t>(given_);
        auto const one =
            std::find_if(runs_.begin(), end, [&](run const& r) { return r.where == asked.where; });
        if (one == end || one->is_told) return false;
        one->value = value;
        one->is_told = true;
        ++told_;
        if (!has_room() && told_ == runs_.size()) promote();
        return true;
    }
    [[nodiscard]] bool is_over() const noexcept { return rung_ == rungs_.size(); }

private:
    struct run {
        point where;
        double value = std::numeric_limits<double>::infinity();
        bool is_told = false;
    };

    /// Promotes the best configurations to the next rung, best first.
    void promote()
    {
        if (rung_ == 0) began_ = runs_.size();
        sort_stably(runs_, [](run const& a, run const& b) { return a.value < b.value; });
        ++rung_;
        std::size_t const kept = rung_ < rungs_.size() ? halved(began_, eta_, rung_) : 0;
        runs_.resize(std::min(runs_.size(), kept));
        while (!runs_.empty() && std::isinf(runs_.back().value))
            runs_.pop_back();
        if (runs_.empty()) rung_ = rungs_.size();
        for (run& r : runs_)
            r.is_told = false;
        given_ = told_ = 0;
    }

    std::vector<halving_rung> rungs_;
    std::uint32_t index_;
    double eta_;
    unseen_points drawn_;
    std::size_t rung_ = 0;
    std::size_t began_ = 0;  // configurations of the first rung
    std::vector<run> runs_;  // of this rung
    std::size_t given_ = 0;  // number of started runs_, from the front
    std::size_t told_ = 0;   // number of runs_ with an outcome
    bool is_closed_ = false; // the first rung gets no more configurations
};

} // namespace attune::inline ATTUNE_ABI::detail

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
    constexpr double rounding = 1 + 1e-9; // for most / least that is a power of eta
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

    /// Budgets are numbered from the least, 0, to the most.
    [[nodiscard]] std::size_t level_of(std::uint32_t bracket, std::size_t rung) const
    {
        return bracket % plans.size() + rung;
    }
    [[nodiscard]] bool all_began() const noexcept { return began / plans.size() >= options.rounds; }

    /// A configuration that this bracket does not have; nothing if it has the whole space.
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

    /// The next trial of the started brackets; nothing while outcomes are missing.
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
            drop_finished(); // brackets without configurations
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
    : state_(detail::make_state<state>(std::move(space), seed, options, search))
{
}

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
