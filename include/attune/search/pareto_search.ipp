// attune/search/pareto_search.ipp - weighs two objectives anew for each configuration; sorts a front.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/event.hpp>
#include <attune/declare/text.hpp>
#include <attune/search/automatic.hpp>
#include <attune/search/optimizer.hpp>
#include <attune/search/pareto_search.hpp>
#include <attune/search/repeat.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::vector<std::size_t> non_dominated(std::span<two_values const> values)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::isfinite(values[i][0]) && std::isfinite(values[i][1])) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return values[a] != values[b] ? values[a] < values[b] : a < b;
    });
    std::vector<std::size_t> out;
    for (std::size_t const i : order)
        if (out.empty() || values[i][1] < values[out.back()][1]) out.push_back(i);
    return out;
}

ATTUNE_INLINE double hypervolume(std::span<two_values const> values, two_values const& reference)
{
    double area = 0;
    double ceiling = reference[1]; // below it nothing is counted yet
    for (std::size_t const i : non_dominated(values)) {
        if (!(values[i][0] < reference[0]) || !(values[i][1] < ceiling)) continue;
        area += (reference[0] - values[i][0]) * (ceiling - values[i][1]);
        ceiling = values[i][1];
    }
    return area;
}

namespace detail {

ATTUNE_INLINE double chebyshev(two_values const& values, double weight,
                               double augmentation) noexcept
{
    double const first = weight * values[0];
    double const second = (1 - weight) * values[1];
    return std::max(first, second) + augmentation * (first + second);
}

ATTUNE_INLINE std::vector<two_values> scaled_to_front(std::span<two_values const> values)
{
    std::vector<two_values> out(values.begin(), values.end());
    std::vector<std::size_t> const front = non_dominated(values);
    for (std::size_t of : {std::size_t{0}, std::size_t{1}}) {
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        for (std::size_t const i : front) {
            low = std::min(low, values[i][of]);
            high = std::max(high, values[i][of]);
        }
        if (!(high > low))
            for (two_values const& v : values)
                high = std::max(high, v[of]);
        double const extent = high - low;
        bool const has_extent = extent > 0 && std::isfinite(extent);
        for (two_values& v : out)
            v[of] = (v[of] - low) / (has_extent ? extent : 1);
    }
    return out;
}

/// A search whose model is fitted anew for each weight, to values that may be 0.
[[nodiscard]] inline search_factory weighted_search()
{
    search::automatic_options how;
    how.model.objective.logarithm = false;
    how.model.refit_after = 1;
    how.model.refit_growth = 0;
    // Local searches do not accept a changed outcome.
    how.long_run = std::numeric_limits<std::size_t>::max();
    how.poor_fit = std::numeric_limits<double>::infinity();
    return search_with<search::automatic>(how);
}

} // namespace detail

struct pareto_search::state {
    state(chain_of_trees searched, std::uint64_t seed, pareto_options const& chosen,
          search_factory const& search)
        : options(chosen)
        , space(std::move(searched))
        , searcher(search ? search(space, seed) : detail::weighted_search()(space, seed))
        , initial(detail::default_point(space))
        , engine(seed)
    {
        if (!(options.augmentation >= 0) || !std::isfinite(options.augmentation))
            throw error("the augmentation of a Pareto search is negative, or no number",
                        detail::formatted("%.6g", options.augmentation), "take 0.05");
        log.seed = seed;
        log.key = detail::space_identity(space.describe()) + " for two objectives";
    }

    /// Passes all values to the searcher again, with a new weight.
    void weigh_anew()
    {
        weight = uniform_unit(engine);
        std::vector<two_values> const scaled = detail::scaled_to_front(values);
        for (std::size_t i = 0; i < scaled.size(); ++i)
            searcher.tell(where[i], outcome{measurement::exact(detail::chebyshev(
                                        scaled[i], weight, options.augmentation))});
    }

    [[nodiscard]] std::optional<point> next()
    {
        if (initial && !std::exchange(is_initial_asked, true) && !known.contains(*initial))
            return initial;
        weigh_anew();
        for (;;) {
            std::vector<point> asked = searcher.ask(1);
            if (asked.empty()) return {};
            if (!known.contains(asked.front())) return std::move(asked.front());
        }
    }

    [[nodiscard]] std::vector<point> ask(std::size_t k)
    {
        std::vector<point> out;
        while (out.size() < k) {
            std::optional<point> p = next();
            if (!p) break;
            known.insert(*p);
            out.push_back(std::move(*p));
        }
        log.events.push_back({.kind = event_kind::asked, .points = out, .wanted = k});
        return out;
    }

    void tell(point const& at, two_outcome const& result)
    {
        if (at.size() != space.describe().parameters.size() || !space.contains(at))
            throw error("the configuration is not in the space", "pareto_search::tell()",
                        "tell what ask() gave, or a configuration that keeps all constraints");
        event e{.kind = event_kind::told, .points = {at}};
        auto const* const seen = std::get_if<two_values>(&result);
        bool const works =
            seen != nullptr && std::isfinite((*seen)[0]) && std::isfinite((*seen)[1]);
        if (works) {
            e.result = measurement::exact((*seen)[0]);
            e.numbers = {(*seen)[1]};
        } else {
            e.result = seen != nullptr ? outcome_of(std::numeric_limits<double>::quiet_NaN())
                                       : outcome{std::get<failure>(result)};
        }
        log.events.push_back(e);
        known.insert(at);
        auto const place = place_of.find(at);
        if (works) {
            two_values const lowest = in_sign(*seen);
            if (place != place_of.end()) {
                values[place->second] = lowest;
            } else {
                place_of.emplace(at, values.size());
                where.push_back(at);
                values.push_back(lowest);
            }
            two_values const scaled = detail::scaled_to_front(values)[place_of.at(at)];
            searcher.tell(at, outcome{measurement::exact(
                                  detail::chebyshev(scaled, weight, options.augmentation))});
            return;
        }
        if (place != place_of.end()) forget(place->second);
        searcher.tell(at, *e.result);
    }

    /// Removes a configuration that no longer succeeds.
    void forget(std::size_t place)
    {
        place_of.erase(where[place]);
        where.erase(where.begin() + static_cast<std::ptrdiff_t>(place));
        values.erase(values.begin() + static_cast<std::ptrdiff_t>(place));
        for (std::size_t i = place; i < where.size(); ++i)
            place_of[where[i]] = i;
    }

    /// The objectives' values as values to minimise, and back.
    [[nodiscard]] two_values in_sign(two_values v) const
    {
        for (std::size_t of : {std::size_t{0}, std::size_t{1}})
            if (options.goals[of] == goal::highest) v[of] = -v[of];
        return v;
    }

    void resume(logged_session const& saved)
    {
        auto const check = [](event const& e) -> std::string {
            if (e.kind == event_kind::asked) return "";
            if (e.kind != event_kind::told) return "it is not of a search of two objectives";
            if (e.points.size() != 1 || !e.result) return "nothing was told";
            return succeeded(*e.result) && e.numbers.size() != 1 ? "it has no second value" : "";
        };
        auto const take = [this](event const& e) -> std::string {
            if (e.kind != event_kind::told) return {};
            if (auto const* const m = std::get_if<measurement>(&*e.result))
                tell(e.points.front(), two_values{m->value, e.numbers.front()});
            else
                tell(e.points.front(), std::get<failure>(*e.result));
            return {};
        };
        detail::resume_events(
            log, saved, "search", "space", check, [this](std::size_t k) { return ask(k); }, take);
    }

    pareto_options options;
    chain_of_trees space;
    any_searcher searcher;
    std::optional<point> initial; ///< the default configuration
    random_engine engine;
    double weight = 0.5;
    bool is_initial_asked = false;
    std::unordered_set<point, point_hash> known; ///< proposed, or with values
    /// Successful configurations, in the order of tell(); values are to be minimised.
    std::vector<point> where;
    std::vector<two_values> values;
    std::unordered_map<point, std::size_t, point_hash> place_of;
    logged_session log;
};

ATTUNE_INLINE
pareto_search::pareto_search(chain_of_trees space, std::uint64_t seed,
                             pareto_options const& options, search_factory const& search)
    : state_(detail::make_state<state>(std::move(space), seed, options, search))
{
}

ATTUNE_INLINE std::vector<point> pareto_search::ask(std::size_t k) { return state_->ask(k); }
ATTUNE_INLINE void pareto_search::tell(point const& at, two_outcome const& result)
{
    state_->tell(at, result);
}

ATTUNE_INLINE std::vector<pareto_member> pareto_search::front() const
{
    std::vector<pareto_member> out;
    for (std::size_t const i : non_dominated(state_->values))
        out.push_back({state_->where[i], state_->in_sign(state_->values[i])});
    return out;
}

ATTUNE_INLINE double pareto_search::hypervolume(two_values const& reference) const
{
    return attune::hypervolume(state_->values, state_->in_sign(reference));
}

ATTUNE_INLINE chain_of_trees const& pareto_search::space() const noexcept { return state_->space; }
ATTUNE_INLINE logged_session const& pareto_search::save() const noexcept { return state_->log; }
ATTUNE_INLINE void pareto_search::resume(logged_session const& saved) { state_->resume(saved); }

} // namespace attune::inline ATTUNE_ABI
