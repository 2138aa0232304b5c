// attune/search/local/wide_climb.ipp - small changes of the best, where a space is too wide for a model.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/group.hpp>
#include <attune/declare/kind/scale.hpp>
#include <attune/declare/order.hpp>
#include <attune/search/local/moves.hpp>
#include <attune/search/local/starts.hpp>
#include <attune/search/local/wide_climb.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Small changes of one configuration.
class wide_changes {
public:
    explicit wide_changes(chain_of_trees space)
        : near_(std::move(space))
    {
        for (named_value const& v : named_values(describe()))
            for (std::uint32_t const p : near_.varying())
                if (p - v.first < v.count) { // unsigned: false before the first
                    varying_.push_back(v);
                    break;
                }
    }

    /// A configuration near `from` that `t` has not seen; after 20 attempts a random one.
    /// @param widest  most elements of an array that change together
    [[nodiscard]] point changed(point const& from, double widest, trials& t) const
    {
        for (int tries = 0; tries < 20 && !varying_.empty(); ++tries) {
            point child = from;
            do {
                change(varying_[uniform_below(t.engine(), varying_.size())], widest, child,
                       t.engine());
            } while (uniform_below(t.engine(), 3) == 0);
            // Where no tree finds the nearest valid one, repaired() would draw any.
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

    /// 1 to `most`, each order of magnitude as often.
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

    /// A number moves by a normal step of a tenth of its range, another value is drawn anew; so is
    /// one number of eight.
    void step(std::uint32_t parameter, point& child, random_engine& engine) const
    {
        parameter_description const& along = describe().parameters[parameter];
        bool const is_number = along.traits().is_interval || along.traits().is_ordered;
        if (!is_number || uniform_below(engine, 8) == 0) {
            child[parameter] = moves::random_coordinate(along, engine);
            return;
        }
        double const radius = std::sqrt(-2 * std::log(1 - uniform_unit(engine)));
        double const moved = 0.1 * radius * std::cos(2 * std::numbers::pi * uniform_unit(engine));
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
    /// Into 0 to `last`.
    [[nodiscard]] static double reflected(double v, double last)
    {
        return last == 0 ? 0 : std::abs(std::remainder(v, 2 * last));
    }

    moves near_;
    std::vector<named_value> varying_; ///< they point into the description of near_'s space
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

} // namespace attune::inline ATTUNE_ABI::detail
