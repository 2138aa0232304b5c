// attune/search/compose/selector_operators.ipp - changes selectors.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/declare/description.hpp>
#include <attune/search/compose/selector_operators.hpp>
#include <attune/search/local/moves.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

[[nodiscard]] inline std::uint32_t number_of_cut_offs(gene_view const& of)
{
    return of.space().parameters[selector_of(of).cut(0)].value_count();
}

/// Another value than that at `now`, uniform; `now` if there is no other.
[[nodiscard]] inline coordinate other_coordinate(parameter_description const& of, coordinate now,
                                                 random_engine& engine)
{
    if (of.traits().is_interval) return attune::detail::moves::random_coordinate(of, engine);
    std::uint32_t const count = of.value_count();
    if (count < 2) return now;
    auto const step = static_cast<std::uint32_t>(1 + uniform_below(engine, count - 1));
    return {static_cast<std::uint32_t>((std::uint64_t{now.index} + step) % count), 0};
}

/// Moves cut-off `i` to another place between its neighbours, if there is one.
inline void shift_cut_off(selection& of, std::size_t i, std::uint32_t places, double deviation,
                          random_engine& engine)
{
    std::int64_t const low = i > 0 ? std::int64_t{of.cut_offs[i - 1]} + 1 : 0;
    std::int64_t const high = i + 1 < of.cut_offs.size() ? std::int64_t{of.cut_offs[i + 1]} - 1
                                                         : std::int64_t{places} - 1;
    if (low == high) return;
    std::int64_t const before = of.cut_offs[i];
    double const length = std::abs(attune::detail::normal_number(engine));
    double const most = static_cast<double>(places);
    auto const step =
        static_cast<std::int64_t>(std::clamp(std::round(length * deviation * most), 1.0, most));
    bool const up = uniform_below(engine, 2) == 0;
    std::int64_t const wanted = std::clamp(up ? before + step : before - step, low, high);
    std::int64_t const turned = std::clamp(up ? before - step : before + step, low, high);
    of.cut_offs[i] = static_cast<std::uint32_t>(wanted != before ? wanted : turned);
}

} // namespace detail

ATTUNE_INLINE void cut_off_shift::operator()(gene child, other_parents, random_engine& engine) const
{
    selection now = selection_of(child);
    if (now.cut_offs.empty()) return;
    std::size_t const always = uniform_below(engine, now.cut_offs.size());
    for (std::size_t i = 0; i < now.cut_offs.size(); ++i)
        if (uniform_unit(engine) < chance || i == always)
            detail::shift_cut_off(now, i, detail::number_of_cut_offs(child), sigma, engine);
    set_selection(child, now);
}

ATTUNE_INLINE void range_swap::operator()(gene child, other_parents, random_engine& engine) const
{
    selection now = selection_of(child);
    if (now.acts.size() < 2) return;
    std::size_t const a = uniform_below(engine, now.acts.size());
    std::size_t const b = (a + 1 + uniform_below(engine, now.acts.size() - 1)) % now.acts.size();
    std::swap(now.acts[a], now.acts[b]);
    detail::join_equal(now);
    set_selection(child, now);
}

ATTUNE_INLINE void range_redraw::operator()(gene child, other_parents, random_engine& engine) const
{
    selection now = selection_of(child);
    range_act& act = now.acts[uniform_below(engine, now.acts.size())];
    range_act const fresh = drawn_act(child, engine);
    if (uniform_unit(engine) < chance) {
        // The parameters of the algorithm are those whose values change the act.
        std::vector<range_act> possible;
        for (std::size_t i = 1; i < act.size(); ++i) {
            range_act one = act;
            one[i] = detail::other_coordinate(
                child.space().parameters[detail::place_of_act(detail::selector_of(child), 0, i)],
                act[i], engine);
            one = detail::settled_act(child, std::move(one));
            if (one != act) possible.push_back(std::move(one));
        }
        act = possible.empty() ? fresh : possible[uniform_below(engine, possible.size())];
    } else
        act = fresh;
    detail::join_equal(now);
    set_selection(child, now);
}

ATTUNE_INLINE void range_split::operator()(gene child, other_parents, random_engine& engine) const
{
    selection now = selection_of(child);
    std::uint32_t const places = detail::number_of_cut_offs(child);
    if (now.acts.size() >= detail::selector_of(child).ranges || now.cut_offs.size() >= places)
        return;
    // The n-th place that is not yet a cut-off.
    auto cut = static_cast<std::uint32_t>(uniform_below(engine, places - now.cut_offs.size()));
    std::size_t range = 0;
    for (; range < now.cut_offs.size() && now.cut_offs[range] <= cut; ++range)
        ++cut;
    auto const at = static_cast<std::ptrdiff_t>(range);
    now.cut_offs.insert(now.cut_offs.begin() + at, cut);
    auto const side = at + static_cast<std::ptrdiff_t>(uniform_below(engine, 2));
    now.acts.insert(now.acts.begin() + side, drawn_act(child, engine));
    detail::join_equal(now);
    set_selection(child, now);
}

ATTUNE_INLINE void range_removal::operator()(gene child, other_parents, random_engine& engine) const
{
    selection now = selection_of(child);
    if (now.cut_offs.empty()) return;
    detail::drop_cut_off(now, engine);
    detail::join_equal(now);
    set_selection(child, now);
}

namespace detail {

ATTUNE_INLINE void move_selector(gene const& child, random_engine& engine)
{
    std::array<std::uint8_t, 5> order{0, 1, 2, 3, 4};
    shuffle(std::span<std::uint8_t>(order), engine);
    selection const before = selection_of(child);
    for (std::uint8_t const which : order) {
        if (which == 0) cut_off_shift{}(child, {}, engine);
        if (which == 1) range_swap{}(child, {}, engine);
        if (which == 2) range_redraw{}(child, {}, engine);
        if (which == 3) range_split{}(child, {}, engine);
        if (which == 4) range_removal{}(child, {}, engine);
        if (selection_of(child) != before) return;
    }
}

} // namespace detail

ATTUNE_INLINE void selector_move::operator()(gene child, other_parents, random_engine& engine) const
{
    detail::move_selector(child, engine);
}

ATTUNE_INLINE void selector_cross::operator()(gene child, other_parents others,
                                              random_engine& engine) const
{
    auto const cut =
        static_cast<std::uint32_t>(uniform_below(engine, detail::number_of_cut_offs(child)));
    set_selection(child, crossed_selection(child, selection_of(others[0]), selection_of(others[1]),
                                           cut, engine));
}

ATTUNE_INLINE void selector_swarm::operator()(gene child, other_parents others,
                                              random_engine& engine) const
{
    if (uniform_unit(engine) < stay) return;
    selection const own = selection_of(child);
    selection const other = selection_of(others[uniform_unit(engine) < first ? 0 : 1]);
    auto const cut =
        static_cast<std::uint32_t>(uniform_below(engine, detail::number_of_cut_offs(child)));
    bool const is_above = uniform_below(engine, 2) == 0;
    set_selection(child, crossed_selection(child, is_above ? own : other, is_above ? other : own,
                                           cut, engine));
}

} // namespace attune::inline ATTUNE_ABI::search
