// attune/search/local/neighbourhood_descent.ipp - descent through several neighbourhoods, and small changes in wide spaces.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/kind_rules.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/local/neighbourhood_descent.hpp>

#include <deque>
#include <optional>
#include <unordered_set>

namespace attune::inline ATTUNE_ABI {

namespace detail {

/// Small changes of one configuration.
class wide_changes {
public:
    explicit wide_changes(chain_of_trees space)
        : near_(std::move(space))
    {
        for (named_value const& v : named_values(describe()))
            for (std::uint32_t const p : near_.varying())
                if (p - v.first < v.count) { // unsigned: false for p < v.first
                    varying_.push_back(v);
                    break;
                }
    }

    /// An unseen configuration near `from`; after 20 attempts a random one.
    /// @param widest  the most elements of an array that change together
    [[nodiscard]] point changed(point const& from, double widest, trials& t) const
    {
        for (int tries = 0; tries < 20 && !varying_.empty(); ++tries) {
            point child = from;
            do {
                change(varying_[uniform_below(t.engine(), varying_.size())], widest, child,
                       t.engine());
            } while (uniform_below(t.engine(), 3) == 0);
            // Without trees, repaired() would return a random configuration.
            if (near_.space().is_exact())
                child = near_.repaired(std::move(child), t.engine());
            else
                child = near_.space().settled(std::move(child));
            if (near_.space().contains(child) && !t.has_seen(child)) return child;
        }
        return t.fresh();
    }

private:
    [[nodiscard]] description const& describe() const noexcept { return near_.space().describe(); }

    /// A number from 1 to `most`, each order of magnitude with equal probability.
    [[nodiscard]] static std::size_t count_up_to(double most, random_engine& engine)
    {
        return static_cast<std::size_t>(std::pow(std::max(most, 1.0), uniform_unit(engine)));
    }

    void change(named_value const& what, double widest, point& child, random_engine& engine) const
    {
        if (has_order(describe(), what.first)) {
            std::vector<std::uint16_t> order = order_of(describe(), what.first, child);
            change_order(order, engine);
            set_order(describe(), what.first, child, order);
            return;
        }
        std::size_t const elements =
            what.is_array() ? count_up_to(std::min<double>(what.count, widest), engine) : 1;
        for (std::size_t i = 0; i < elements; ++i)
            step(what.first + static_cast<std::uint32_t>(uniform_below(engine, what.count)), child,
                 engine);
    }

    /// Reverses the section between two places, or moves a section to another place, twice as
    /// often.
    static void change_order(std::vector<std::uint16_t>& order, random_engine& engine)
    {
        auto const at = [&](std::size_t place) {
            return order.begin() + static_cast<std::ptrdiff_t>(place);
        };
        std::size_t const items = order.size();
        if (uniform_below(engine, 3) == 0) {
            auto const [from, to] =
                std::minmax({uniform_below(engine, items), uniform_below(engine, items)});
            std::reverse(at(from), at(to) + 1);
            return;
        }
        std::size_t const most = count_up_to(static_cast<double>(items) / 2, engine);
        std::size_t const count = 1 + uniform_below(engine, most);
        std::size_t const from = uniform_below(engine, items - count + 1);
        std::size_t const to = uniform_below(engine, items - count + 1);
        if (from < to)
            std::rotate(at(from), at(from + count), at(to + count));
        else
            std::rotate(at(to), at(from), at(from + count));
    }

    /// Moves a number by a normal step of a tenth of its range. Draws every other value anew, and
    /// one number in eight.
    void step(std::uint32_t parameter, point& child, random_engine& engine) const
    {
        parameter_description const& along = describe().parameters[parameter];
        bool const is_number = along.traits().is_interval || along.traits().is_ordered;
        if (!is_number || uniform_below(engine, 8) == 0) {
            child[parameter] = moves::random_coordinate(along, engine);
            return;
        }
        double const moved = 0.1 * normal_number(engine);
        if (along.traits().is_interval) {
            double const share = scale_position(along, child[parameter].real) + moved;
            child[parameter] = {0, scale_value(along, reflected(share, 1))};
            return;
        }
        double const last = static_cast<double>(along.value_count()) - 1;
        double const steps = std::max(1.0, std::round(std::abs(moved) * last));
        double const to = reflected(child[parameter].index + (moved < 0 ? -steps : steps), last);
        child[parameter].index = static_cast<std::uint32_t>(std::min(to, last));
    }
    /// `v` reflected into 0 to `last`.
    [[nodiscard]] static double reflected(double v, double last)
    {
        return last == 0 ? 0 : std::abs(std::remainder(v, 2 * last));
    }

    moves near_;
    std::vector<named_value> varying_; ///< with pointers into the description of near_'s space
};

inline search_process climb_widely(trials& t)
{
    wide_changes const near(t.space());
    std::vector<point> round = fresh_points(t, 10);
    std::vector<double> value = co_await t.evaluate(round);
    valued_point current = best_of(round, value);
    for (;;) {
        if (t.best() && t.best_value() < current.value) current = {*t.best(), t.best_value()};
        double const coordinates = static_cast<double>(t.space().describe().parameters.size());
        double const widest = coordinates / (3 + static_cast<double>(t.seen_count()) / 16);
        round.clear();
        do
            round.push_back(near.changed(current.where, widest, t));
        while (round.size() < t.batch());
        value = co_await t.evaluate(round);
        valued_point const found = best_of(round, value);
        if (found.value <= current.value) current = found;
    }
}

ATTUNE_INLINE wide_climb::wide_climb(chain_of_trees space, std::uint64_t seed)
    : stepwise_searcher(std::move(space), seed, climb_widely)
{
}

enum class neighbourhood : std::uint8_t { adjacent, one_parameter, two_parameters, elites };

/// `a` with a random choice of the parameters of `b`.
[[nodiscard]] inline point mixture(point a, point const& b, moves const& near,
                                   random_engine& engine)
{
    for (std::uint32_t const p : near.varying())
        if (uniform_below(engine, 2) == 0) a[p] = b[p];
    return near.repaired(a, engine);
}

/// The best five successful configurations, best first.
[[nodiscard]] inline std::vector<valued_point> elites_of(trials const& t)
{
    std::vector<valued_point> out;
    for (valued_point const& known : t.told())
        if (known.value != failed_value) keep_best(out, known, 5);
    return out;
}

/// Unseen configurations of a neighbourhood of `centre`, the most promising first.
[[nodiscard]] inline std::vector<point> candidates_of(neighbourhood which, point const& centre,
                                                      moves const& near,
                                                      neighbourhood_descent_options const& o,
                                                      trials& t)
{
    std::vector<point> all;
    if (which == neighbourhood::adjacent)
        all = near.adjacent(centre);
    else if (which == neighbourhood::one_parameter)
        all = near.hamming(centre, o.candidates, t.engine());
    else if (which == neighbourhood::two_parameters)
        for (std::size_t i = 0; i < o.candidates; ++i)
            all.push_back(near.scrambled(centre, 2, t.engine()));
    else {
        std::vector<valued_point> const elites = elites_of(t);
        for (std::size_t i = 0; i < o.candidates && !elites.empty(); ++i)
            all.push_back(mixture(centre, elites[uniform_below(t.engine(), elites.size())].where,
                                  near, t.engine()));
    }
    std::unordered_set<point, point_hash> taken;
    std::erase_if(all, [&](point const& p) { return t.has_seen(p) || !taken.insert(p).second; });
    shuffle(std::span(all), t.engine());
    all.resize(std::min(all.size(), o.candidates));
    if (o.neighbours == 0) return all;
    nearest_estimate const estimate(t.space().describe(), t.told());
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < all.size(); ++i)
        order.emplace_back(estimate(all[i], o.neighbours), i);
    std::sort(order.begin(), order.end());
    std::vector<point> out;
    for (auto const& [expected, i] : order)
        out.push_back(std::move(all[i]));
    return out;
}

/// The best known configuration one step from `centre` that is not tabu.
[[nodiscard]] inline std::optional<valued_point>
uphill_move(valued_point const& centre, std::deque<point> const& tabu, trials const& t)
{
    std::optional<valued_point> out;
    for (valued_point const& known : t.told()) {
        std::size_t differing = 0;
        for (std::uint32_t p = 0; p < known.where.size(); ++p)
            differing += known.where[p] != centre.where[p] && t.space().is_active(p, known.where) &&
                                 t.space().is_active(p, centre.where)
                             ? 1U
                             : 0U;
        if (differing == 0 || differing > 2 || known.value == failed_value) continue;
        if (std::find(tabu.begin(), tabu.end(), known.where) != tabu.end()) continue;
        if (!out || known.value < out->value) out = known;
    }
    return out;
}

inline search_process descend_by_neighbourhood(trials& t, neighbourhood_descent_options o)
{
    moves const near(t.space());
    std::deque<point> tabu;
    for (;;) {
        std::vector<point> round = fresh_points(t, o.starts);
        std::vector<double> value = co_await t.evaluate(round);
        valued_point current = best_of(round, value);
        double best_here = current.value;
        for (std::size_t uphill = 0; uphill <= o.patience;) {
            bool improved = false;
            for (int k = 0; k < 4 && !improved; ++k) {
                std::vector<point> const candidates =
                    candidates_of(static_cast<neighbourhood>(k), current.where, near, o, t);
                std::size_t const end = std::min(candidates.size(), o.tries);
                for (std::size_t i = 0; i < end && !improved; i += round.size()) {
                    round.assign(candidates.begin() + static_cast<std::ptrdiff_t>(i),
                                 candidates.begin() +
                                     static_cast<std::ptrdiff_t>(std::min(end, i + t.batch())));
                    value = co_await t.evaluate(round);
                    valued_point const found = best_of(round, value);
                    improved = found.value < current.value;
                    if (improved) current = found;
                }
            }
            if (improved) {
                if (current.value < best_here) {
                    best_here = current.value;
                    uphill = 0;
                }
                continue;
            }
            tabu.push_back(current.where);
            if (tabu.size() > o.tabu) tabu.pop_front();
            std::optional<valued_point> const next = uphill_move(current, tabu, t);
            if (!next) break;
            current = *next;
            ++uphill;
        }
    }
}

} // namespace detail

ATTUNE_INLINE
neighbourhood_descent::neighbourhood_descent(chain_of_trees space, std::uint64_t seed,
                                             neighbourhood_descent_options const& options)
    : stepwise_searcher(std::move(space), seed,
                        [&](trials& t) { return detail::descend_by_neighbourhood(t, options); })
{
}

} // namespace attune::inline ATTUNE_ABI
