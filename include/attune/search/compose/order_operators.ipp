// attune/search/compose/order_operators.ipp - random places for mutations and crossovers of orders.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/search/compose/order_operators.hpp>

#include <algorithm>
#include <cmath>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// Number of items in a section of `strength` of `items`: 2 or more if there are as many.
[[nodiscard]] inline std::size_t items_of_section(std::size_t items, double strength)
{
    double const wanted = std::clamp(strength, 0.0, 1.0) * static_cast<double>(items);
    std::size_t const least = std::min<std::size_t>(items, 2);
    return std::clamp(static_cast<std::size_t>(std::lround(wanted)), least, items);
}

/// One of 0.1, 0.3 and 0.5.
[[nodiscard]] inline double drawn_strength(random_engine& engine)
{
    constexpr std::array<double, 3> all{0.1, 0.3, 0.5};
    return all[uniform_below(engine, all.size())];
}

} // namespace detail

ATTUNE_INLINE item_order crossed(order_view a, order_view b, crossover how, double strength,
                                 random_engine& engine)
{
    std::size_t const items = a.size();
    std::size_t const count = detail::items_of_section(items, strength);
    auto const place = [&] { return uniform_below(engine, items - count + 1); };
    switch (how) {
    case crossover::px:
        return cross_px(a, b, items < 3 ? items : 2 + uniform_below(engine, items - 1));
    case crossover::pmx:
        return cross_pmx(a, b, place(), count);
    case crossover::cx:
        return cross_cx(a, b, uniform_below(engine, items));
    case crossover::ox1:
        return cross_ox1(a, b, place(), count);
    case crossover::ox3:
        break;
    }
    std::size_t const to = place();
    return cross_ox3(a, b, to, place(), count);
}

ATTUNE_INLINE small_random_change small_random_change::drawn(random_engine& engine)
{
    return {0.05 * static_cast<double>(1 + uniform_below(engine, 10))};
}
ATTUNE_INLINE void random_swap::operator()(gene child, other_parents others,
                                           random_engine& engine) const
{
    item_order const from = others[0].order();
    if (from.size() < 2) return;
    std::size_t const i = uniform_below(engine, from.size());
    std::size_t const j = uniform_below(engine, from.size() - 1);
    child.set_order(swapped(from, i, j < i ? j : j + 1));
}
ATTUNE_INLINE random_invert random_invert::drawn(random_engine& engine)
{
    return {detail::drawn_strength(engine)};
}
ATTUNE_INLINE void random_invert::operator()(gene child, other_parents others,
                                             random_engine& engine) const
{
    item_order const from = others[0].order();
    std::size_t const count = detail::items_of_section(from.size(), strength);
    child.set_order(inverted(from, uniform_below(engine, from.size() - count + 1), count));
}
ATTUNE_INLINE random_shift random_shift::drawn(random_engine& engine)
{
    return {detail::drawn_strength(engine)};
}
ATTUNE_INLINE void random_shift::operator()(gene child, other_parents others,
                                            random_engine& engine) const
{
    item_order const from = others[0].order();
    if (from.size() < 2) return;
    double const wanted = std::clamp(strength, 0.0, 1.0) * static_cast<double>(from.size());
    std::size_t const most =
        std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(wanted)), 1, from.size() - 1);
    double const length = std::exp(uniform_unit(engine) *
                                   std::log(static_cast<double>(most) + 1)); // in [1, most + 1)
    std::size_t const count = std::min(static_cast<std::size_t>(length), most);
    std::size_t const first = uniform_below(engine, from.size() - count + 1);
    std::size_t const to = uniform_below(engine, from.size() - count);
    child.set_order(shifted(from, first, count, to < first ? to : to + 1));
}
ATTUNE_INLINE void random_reversal::operator()(gene child, other_parents others,
                                               random_engine& engine) const
{
    item_order const from = others[0].order();
    if (from.size() < 2) return;
    std::size_t const a = uniform_below(engine, from.size());
    std::size_t const other = uniform_below(engine, from.size() - 1);
    std::size_t const b = other < a ? other : other + 1;
    child.set_order(inverted(from, std::min(a, b), (a < b ? b - a : a - b) + 1));
}
ATTUNE_INLINE random_move random_move::drawn(random_engine& engine)
{
    return {detail::drawn_strength(engine)};
}
ATTUNE_INLINE void random_move::operator()(gene child, other_parents others,
                                           random_engine& engine) const
{
    std::uint64_t const kind = uniform_below(engine, 3);
    if (kind == 0)
        random_shift{strength}(child, others, engine);
    else if (kind == 1)
        random_swap{}(child, others, engine);
    else
        random_reversal{}(child, others, engine);
}
ATTUNE_INLINE pmx pmx::drawn(random_engine& engine) { return {{detail::drawn_strength(engine)}}; }
ATTUNE_INLINE ox1 ox1::drawn(random_engine& engine) { return {{detail::drawn_strength(engine)}}; }
ATTUNE_INLINE ox3 ox3::drawn(random_engine& engine) { return {{detail::drawn_strength(engine)}}; }

ATTUNE_INLINE permutation_swarm permutation_swarm::drawn(random_engine& engine)
{
    permutation_swarm out;
    out.how = static_cast<crossover>(uniform_below(engine, detail::crossover_texts.size()));
    out.strength = detail::drawn_strength(engine);
    return out;
}
ATTUNE_INLINE void permutation_swarm::operator()(gene child, other_parents others,
                                                 random_engine& engine) const
{
    if (uniform_unit(engine) < stay) return;
    bool const to_first = uniform_unit(engine) < first;
    child.set_order(
        crossed(child.order(), others[to_first ? 0 : 1].order(), how, strength, engine));
}

} // namespace attune::inline ATTUNE_ABI::search
